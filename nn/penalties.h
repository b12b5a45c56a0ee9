// Penalties: a stage anywhere inside a model adds a term to the loss, without the model or the training loop knowing
// it.
//
//   Penalties::add("coverage", coverage, 0.5);          // in the stage; does nothing unless somebody collects
//
//   Penalties penalties;                                // in the training loop
//   Variable loss = cross_entropy(model(batch), ..);
//   if (!penalties.empty()) loss = loss + penalties.total();   // total = sum of weight * term; undefined if empty
//   backward(loss);
//
// While a Penalties lives, it receives what the models of this thread add; if there are several, only the innermost one
// does. Collected terms keep their graphs alive, so a Penalties lives for one step. If a term costs something to
// compute, ask active() first.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "tensor/scope.h"

namespace heed::nn {

class Penalties {
 public:
  Penalties();

  static bool active();
  // `loss` is one number, []; ValueError for a weight that is negative or not finite.
  static void add(const std::string& name, const Variable& loss, double weight = 1);

  bool empty() const { return terms_.empty(); }
  Variable total() const;                        // []; undefined if nothing was added
  std::map<std::string, double> values() const;  // weight * loss by name; terms of one name are added up
  struct Term {
    std::string name;
    Variable loss;  // times its weight
  };
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
  ScopedValue<Penalties*> scope_;
};

}  // namespace heed::nn
