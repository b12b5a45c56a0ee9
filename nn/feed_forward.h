// The feed-forward sub-layer of a transformer layer: two linear layers with a nonlinearity between them, applied to
// each word separately (Vaswani et al., NeurIPS 2017, section 3.3, eq. 2); also with a gate (Shazeer, "GLU variants
// improve transformer", 2020, eqs. 5 and 6).
//
//   relu     y = relu(x W_1^T + b_1) W_2^T + b_2                W_1 [F, D], W_2 [D, F]
//   gelu     y = gelu(x W_1^T + b_1) W_2^T + b_2
//   geglu    y = (gelu(a) g) W_2^T + b_2,   [a; g] = x W_1^T + b_1          W_1 [2 F, D]
//   swiglu   y = (silu(a) g) W_2^T + b_2
//
// A gate needs a third matrix; Shazeer therefore reduces F by a third, for the same number of parameters. Dropout is
// applied after the activation. Names and layouts are those of PyTorch's layers, linear1 and linear2. With a gate,
// linear1 has both matrices in one, that of a before that of g. D width of the model, F feed-forward width (d_ff).
#pragma once

#include <string>

#include "nn/layers.h"

namespace heed::nn {

struct FeedForwardOptions {
  int64_t model, inner;             // D, F (d_ff)
  std::string activation = "relu";  // or gelu, geglu, swiglu
  double dropout = 0;
};

struct FeedForward : Module {
  using Options = FeedForwardOptions;
  FeedForward(const Options& options, Generator& rng);  // ValueError for an unknown activation
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

bool is_gated(const std::string& activation);  // true: linear1 holds two matrices

}  // namespace heed::nn
