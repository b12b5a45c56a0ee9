// The normaliser of attention: scores become weights, along the last axis.
//
//   w = normalise(e)        e [.., T, S], -inf where the key is not allowed -> w [.., T, S], exactly 0 there
//
// .. is [B], or [B, H] with heads (H = options.heads, for parameters of each head). If a row has only -inf, all its
// weights are 0, and so is the context. The registry lists all normalisers (all.cpp).
#pragma once

#include <memory>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct Normaliser : Module {
  using Stage = Normaliser;
  virtual ~Normaliser() = default;
  Normaliser() = default;
  Normaliser(Normaliser&&) = default;
  Normaliser& operator=(Normaliser&&) = default;

  Variable operator()(const Variable& scores, StageContext& context) const;
  Variable operator()(const Variable& scores) const;  // outside of any sequence

  virtual bool row_wise() const { return true; }  // false: rows depend on each other and cannot be computed in slices
  virtual bool sequential() const { return false; }      // does it read the weights of the step before?
  virtual bool is_softmax() const { return false; }      // then a row can be computed block by block (online softmax)
  virtual bool chooses_one() const { return false; }     // are its rows one-hot?
  virtual bool rows_sum_to_one() const { return true; }  // false: they may have any sum, unless no key is allowed
  virtual void visit(Visitor&) {}

 protected:
  virtual Variable weights(const Variable& scores, StageContext& context) const = 0;
};

// ValueError for a name or a setting that the registry does not have, or a value outside its range.
std::unique_ptr<Normaliser> make_normaliser(const NormaliserOptions& options, Generator& rng);

}  // namespace heed::nn
