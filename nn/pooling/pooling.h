// Pooling chosen by name: x [B, S, D] -> [B, D], or the results of several poolings concatenated. The names are those
// of sentence-transformers (pool.h), `attention` with a learned query (attention_pooling.h), and every other row of the
// catalogue that is a pooling, with its settings.
//
//   Pooling pooling({.modes = {"mean", "structured:rows=4"}, .width = 64}, rng);
//   Variable sentence = pooling(annotations, length_mask(lengths, S));       // [B, 64 + 4 * 64]
//
// The vectors are not normalised; to compare two of them by their cosine, divide by their lengths.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/pooling/pooler.h"

namespace heed::nn {

struct PoolingOptions {
  std::vector<std::string> modes = {"mean"};
  int64_t width = 0;        // D
  ScoreOptions score = {};  // of `attention`; the key width is D, and so is the query width by default
};

struct Pooling : Module {
  static constexpr About about{
      .names = {"I10", "concatenated", "several modes"},
      .formula = "[pool_1(x); pool_2(x); ..]",
      .paper = {"Reimers and Gurevych, EMNLP 2019", 2019, 1},
      .idea =
          "The results of several poolings of the same words are concatenated. Mean and maximum together describe both "
          "the average and the extremes. The next layer learns which of them it needs.",
      .wrong = "The widths add up, so a layer that was made for one pooling does not fit two.",
      .shapes = "x [B, S, D] -> [B, n D]",
      .cost = "the sum over its parts",
      .own = {"parts_stand_side_by_side"},
      .exempt = {{"one_word_is_itself", "the output contains the word once for each mode"}},
      .cases = "Pooling",
      .option = "pooling",
      .text = "mean,max",
  };

  using Options = PoolingOptions;
  Pooling(const Options& options, Generator& rng);  // ValueError for an unknown name
  Variable operator()(const Variable& x, const Tensor& words = {}) const;
  int64_t width() const;  // the sum of the widths of its parts
  // Each part's parameters are under its name ("attention.query"); of the second of two with one name, "attention_2".
  void visit(Visitor& v);
  Options options;
  std::vector<std::unique_ptr<Pooler>> parts;  // one per mode
};

}  // namespace heed::nn
