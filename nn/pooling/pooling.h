// Pooling by name: x [B, S, D] -> [B, D], or several side by side, [B, n D]. The names are those of
// sentence-transformers (pool.h), and `attention`, with a learned question (attention_pooling.h).
//
//   Pooling pooling({.modes = {"mean", "max"}, .width = 64}, rng);
//   Variable sentence = pooling(annotations, length_mask(lengths, S));       // [B, 128]
//
// The cosine of two such vectors still needs their lengths taken away.
#pragma once

#include <memory>
#include <vector>

#include "nn/pooling/attention_pooling.h"

namespace heed::nn {

struct PoolingOptions {
  std::vector<std::string> modes = {"mean"};
  int64_t width = 0;                     // D
  ScoreOptions score = {.name = "dot"};  // of `attention`; its key is D wide, and so is its query unless told
};

struct Pooling : Module {
  using Options = PoolingOptions;
  Pooling(const Options& options, Generator& rng);  // ValueError for a name that is not known
  Variable operator()(const Variable& x, const Tensor& words = {}) const;
  int64_t width() const { return options.width * static_cast<int64_t>(options.modes.size()); }
  void visit(Visitor& v) {
    if (attention) v.child("attention", *attention);
  }
  Options options;
  std::unique_ptr<AttentionPooling> attention;  // if it is one of the modes
};

}  // namespace heed::nn
