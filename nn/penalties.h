// Penalties: a stage anywhere inside a model adds a term to the loss; neither the model nor the training loop has to
// know which stages do.
//
//   Penalties::add("coverage", coverage, 0.5);          // in the stage; does nothing if no Penalties exists
//
//   Penalties penalties;                                // in the training loop
//   Variable loss = cross_entropy(model(batch), ..);
//   if (!penalties.empty()) loss = loss + penalties.total();   // total = sum of weight * term; undefined if empty
//   backward(loss);
//
// While a Penalties lives, it receives what the models of this thread add; if there are several, only the innermost one
// does. Collected terms keep their graphs alive, so a Penalties lives for one step. If a term costs something to
// compute, ask active() first.
//
// A term is a mean over a batch: over its words, its sentences, .. (MeanOver). If a step has several batches, each term
// is multiplied by the share of its batch in the words (sentences, ..) of the step, so that the sum over the batches is
// the term of one large batch. The training loop computes the shares and gives them to the collector; a term only says
// what its mean is over.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "tensor/scope.h"

namespace heed::nn {

enum class MeanOver {
  words,      // of the targets, </s> included; a decoder makes one step for each
  sentences,  // rows of the batch
  pairs,      // of two steps of the same sentence: n (n - 1) for n steps
  nothing     // the term is a function of the parameters, the same in every batch
};
// The share of a batch in its step, one for each MeanOver: 1 if the step has no other batch.
using BatchShares = std::array<double, 4>;
// Replaces the counts of each batch of a step by shares: count / (sum of counts), or 0 if the sum is 0. The share of a
// single batch is 1.
void to_shares(std::vector<BatchShares>& counts);

class Penalties {
 public:
  explicit Penalties(const BatchShares& shares = {1, 1, 1, 1});

  static bool active();
  // `loss` is one number, [] (else ShapeError); ValueError for a weight that is negative or not finite.
  static void add(const std::string& name, const Variable& loss, double weight = 1, MeanOver over = MeanOver::words);
  // A term that depends on the parameters of `owner` alone (MeanOver::nothing). A collector counts it once, however
  // often the owner is called: a decoder may call it at each step.
  static void add_once(const void* owner, const std::string& name, const Variable& loss, double weight = 1);

  bool empty() const { return terms_.empty(); }
  Variable total() const;                        // []; undefined if nothing was added
  std::map<std::string, double> values() const;  // weight * share * loss by name; terms of one name are added up
  struct Term {
    std::string name;
    Variable loss;  // times its weight and the share of its batch
    MeanOver over;
    const void* owner = nullptr;  // of add_once
  };
  const std::vector<Term>& terms() const { return terms_; }
  // Passes a term that an inner collector received on to the present innermost one. The inner collector has ended.
  static void add_again(const Term& term);

 private:
  static void receive(Term term, double weight);
  BatchShares shares_;
  std::vector<Term> terms_;
  ScopedValue<Penalties*> scope_;
};

}  // namespace heed::nn
