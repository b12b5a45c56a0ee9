// Feature-wise attention as a pooling (Shen et al., AAAI 2018, source to token): no query, and a weight
// for each word and feature.
//
//   y_d = sum_s w_sd x_sd,   w_sd = softmax over the words of c tanh((U x_s + b)_d / c)          [B, S, D] -> [B, D]
#pragma once

#include "autograd/ops.h"
#include "nn/attention/structures/feature_wise.h"
#include "nn/padding.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

struct FeatureWisePooling final : Pooler {
  FeatureWisePooling(const PoolerOptions& o, Generator& rng)
      : attention({.query = 0, .key = o.width, .value = o.width}, rng) {}
  Variable operator()(const Variable& x_, const Tensor& words) const override {
    Variable x = without_padding(x_, words);
    return squeeze(attention({}, x, x, words.defined() ? words.unsqueeze(1) : Tensor()).context, 1);
  }
  int64_t width() const override { return attention.options.value; }
  void visit(Visitor& v) override { v.child("", attention); }
  FeatureWiseAttention attention;
};

}  // namespace heed::nn
