// The feed-forward half of a transformer's layer: every word alone, through a wide layer and back (Vaswani et al.,
// NeurIPS 2017, section 3.3); and with a gate (Shazeer, "GLU variants improve transformer", 2020, eqs. 5 and 6).
//
//   relu     y = relu(x W_1^T + b_1) W_2^T + b_2                W_1 [F, D], W_2 [D, F]
//   gelu     y = gelu(x W_1^T + b_1) W_2^T + b_2
//   geglu    y = (gelu(a) g) W_2^T + b_2,   [a; g] = x W_1^T + b_1          W_1 [2 F, D]
//   swiglu   y = (silu(a) g) W_2^T + b_2
//
// A gate costs a third matrix; the paper takes F at two thirds then, for the same number of parameters. Dropout stands
// behind the activation. Names and layouts as PyTorch's layers have them: linear1 and linear2; a gate's two matrices
// are one, linear1, the activated half first. B batch, T words, D width of the model, F inner width.
#pragma once

#include <string>

#include "nn/layers.h"

namespace heed::nn {

struct FeedForwardOptions {
  int64_t model, inner;             // D, F
  std::string activation = "relu";  // gelu, geglu, swiglu
  double dropout = 0;
};

struct FeedForward : Module {
  using Options = FeedForwardOptions;
  FeedForward(const Options& options, Generator& rng);  // ValueError for an activation that is not known
  Variable operator()(const Variable& x) const;         // [.., D] -> [.., D]
  void visit(Visitor& v) {
    v.child("linear1", linear1);
    v.child("linear2", linear2);
    v.child("inner_dropout", dropout);
  }
  Options options;
  Linear linear1, linear2;
  Dropout dropout;
};

bool is_gated(const std::string& activation);  // two matrices in linear1

}  // namespace heed::nn
