// Exercise 05.1: a module of your own.
//
//   z = x W^T + b      h = max(z, 0)      y = x + h V^T + c          x, y [B, D], W [N, D], b [N], V [D, N], c [D]
//
// B examples, D inputs and as many outputs, N hidden units. The block adds the output of two layers to its input, so
// that a network of many such blocks can begin by leaving x unchanged: a residual connection (He et al., "Deep Residual
// Learning", CVPR 2016, equation 1).
//
// A module has members, a call, and `visit`, which names every member once. What visit does not name is not trained,
// not saved and not counted, and no error is reported: see Mlp in mlp.h and nn/module.h.
#pragma once

#include "autograd/ops.h"
#include "nn/layers.h"

namespace mine {

struct Block : heed::nn::Module {
  struct Options {
    int64_t width = 3, hidden = 5;  // D, N
  };
  Block(const Options& o, heed::Generator& rng)
      : options(o), up({.in = o.width, .out = o.hidden}, rng), down({.in = o.hidden, .out = o.width}, rng) {}

  heed::Variable operator()(const heed::Variable& x) const;  // [B, D] -> [B, D]
  void visit(heed::nn::Visitor& v);

  Options options;
  heed::nn::Linear up, down;  // W and b, V and c
};

}  // namespace mine
