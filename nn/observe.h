// Observe: receive the attention weights of any model, without a change to the model.
//
//   Observe observe([](const AttentionSeen& seen) { draw(seen.module, seen.weights); });
//   model(sentence);
//
// While an Observe exists, every attention that this thread computes reports its module path and weights to it. If
// several exist, only the innermost one receives them; if that has no callback, nobody does.
#pragma once

#include <functional>
#include <string>

#include "tensor/scope.h"
#include "tensor/tensor.h"

namespace heed::nn {

struct AttentionSeen {
  std::string module;  // "decoder.attention"
  Tensor weights;      // [B, T, S] or [B, H, T, S], after the normaliser: one call of the attention
  Tensor scores = {};  // the same shape, before it: -inf where not allowed; undefined where no scores exist
};

class Observe {
 public:
  using Callback = std::function<void(const AttentionSeen&)>;
  explicit Observe(Callback callback);

  static bool active();  // true if a callback receives them
  // Called by attention; does nothing while no Observe exists.
  static void report(const Tensor& weights, const Tensor& scores = {});

 private:
  Callback callback_;
  ScopedValue<Observe*> scope_;
};

}  // namespace heed::nn
