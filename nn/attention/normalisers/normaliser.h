// The normaliser of attention: scores become weights, along the last axis.
//
//   w = normalise(e)        e [.., S], -inf where the key is not allowed -> w [.., S], 0 exactly there
//
// A row of -inf only gives zeros: attention over nothing reads nothing. A normaliser is chosen by its name.
#pragma once

#include <memory>
#include <string>

#include "nn/module.h"

namespace heed::nn {

struct NormaliserOptions {
  std::string name = "softmax";
  double temperature = 1;  // gumbel
};

struct Normaliser : Module {
  virtual ~Normaliser() = default;
  Normaliser() = default;
  Normaliser(Normaliser&&) = default;
  Normaliser& operator=(Normaliser&&) = default;

  virtual Variable operator()(const Variable& scores) const = 0;
  virtual bool chooses_one() const { return false; }  // are its rows one-hot?
  virtual void visit(Visitor&) {}
};

// ValueError for a name that is not known.
std::unique_ptr<Normaliser> make_normaliser(const NormaliserOptions& options, Generator& rng);

}  // namespace heed::nn
