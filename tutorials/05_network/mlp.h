// A multilayer perceptron: linear layers with a nonlinearity, ReLU, between them.
//
//   h1 = max(x W1^T + b1, 0)      h2 = max(h1 W2^T + b2, 0)      logits = h2 W3^T + b3
//   x [B, 2], W1 [N, 2], h1 [B, N], W2 [N, N], h2 [B, N], W3 [2, N], logits [B, 2]        B examples, N hidden units
//
// Without ReLU the three layers together are a single linear layer: x (W3 W2 W1)^T + const.
#pragma once

#include "autograd/ops.h"
#include "nn/layers.h"

namespace heed {

struct Mlp : nn::Module {
  struct Options {
    int64_t hidden = 64;
    bool nonlinear = true;  // false: without ReLU, a mistake to be planted
  };
  Mlp(const Options& o, Generator& rng)
      : options(o), first({2, o.hidden}, rng), second({o.hidden, o.hidden}, rng), last({o.hidden, 2}, rng) {}

  Variable operator()(const Variable& x) const {  // [B, 2] -> [B, 2]
    Call call(*this);
    Variable h = activation(first(x));
    h = activation(second(h));
    return call.result("logits", last(h));
  }
  void visit(nn::Visitor& v) {
    v.child("first", first);
    v.child("second", second);
    v.child("last", last);
  }

  Options options;
  nn::Linear first, second, last;

 private:
  Variable activation(const Variable& x) const { return options.nonlinear ? relu(x) : x; }
};

}  // namespace heed
