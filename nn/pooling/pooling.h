// Pooling chosen by name: x [B, S, D] -> [B, D], or the results of n poolings concatenated, [B, n D]. The names are
// those of sentence-transformers (pool.h), and `attention`, with a learned query (attention_pooling.h).
//
//   Pooling pooling({.modes = {"mean", "max"}, .width = 64}, rng);
//   Variable sentence = pooling(annotations, length_mask(lengths, S));       // [B, 128]
//
// The vectors are not normalised; to compare two of them by their cosine, divide by their lengths.
#pragma once

#include <memory>
#include <vector>

#include "nn/pooling/attention_pooling.h"

namespace heed::nn {

struct PoolingOptions {
  std::vector<std::string> modes = {"mean"};
  int64_t width = 0;                     // D
  ScoreOptions score = {.name = "dot"};  // of `attention`; the key width is D, and so is the query width by default
};

struct Pooling : Module {
  using Options = PoolingOptions;
  Pooling(const Options& options, Generator& rng);  // ValueError for an unknown name
  Variable operator()(const Variable& x, const Tensor& words = {}) const;
  int64_t width() const { return options.width * static_cast<int64_t>(options.modes.size()); }
  void visit(Visitor& v) {
    if (attention) v.child("attention", *attention);
  }
  Options options;
  std::unique_ptr<AttentionPooling> attention;  // null unless it is one of the modes
};

}  // namespace heed::nn
