// A short causal convolution, each feature by itself: what Mamba and the newer fast weights put before keys, queries
// and values, so that a word can be compared with its neighbours (Fu et al., "Hungry hungry hippos", ICLR 2023,
// proposed it for the keys).
//
//   y_t = silu(sum_(j < w) weight_j * x_(t - j) + bias)        weight [w, D]; words before the first are 0
//
// Its state is the last w - 1 inputs. With w = 1 a word reads no other word. Some mixers leave out the bias or the
// silu. B batch, T words, D width, w taps.
#pragma once

#include "nn/module.h"

namespace heed::nn {

struct ShortConvolution : Module {
  struct Options {
    int64_t features, taps;
    bool bias = true, silu = true;
  };
  ShortConvolution(const Options& options, Generator& rng);
  struct Read {
    Variable output;  // [B, T, D]
    Variable state;   // [B, w - 1, D]
  };
  Read operator()(const Variable& x, const Variable& state) const;  // state undefined: zeros
  void visit(Visitor& v) { v.parameter("weight", weight), v.parameter("bias", bias); }
  Options options;
  Variable weight, bias;  // [w, D], [D] or undefined
};

}  // namespace heed::nn
