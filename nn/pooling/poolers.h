// The poolings of this folder as stages (pooler.h), each a few lines around a function or module:
//
//   FixedPooler        a pooling without parameters (pool.h)                          width D
//   AttentionPooler    one learned query (attention_pooling.h)                        width D
//   StructuredPooler   R learned queries (attention/structures/structured.h),         width R D
//                      the rows of the matrix one after the other
//   MultiHeadPooler    R learned seeds (multi_head_pooling.h), likewise               width R D
//
// D width of the words, R rows.
#pragma once

#include "nn/attention/attention_pooling.h"
#include "nn/attention/structures/structured.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

inline constexpr About kAboutStructuredRows{
    .names = {"I8", "structured_rows", "E8"},
    .formula = "M = A H, its R rows",
    .paper = {"Lin et al., ICLR 2017", 2017, 1},
    .idea =
        "Several learned queries attend to the sentence, and their mixtures are put one after another. It is the "
        "matrix of structured self-attention as one long vector. The penalty on similar rows is added to the loss.",
    .wrong = "The result is R times as wide as a word, and the next layer must expect it.",
    .shapes = "h [B, S, D] -> [B, R, D]",
    .cost = "S A (D + R) + R S D products; A (D + R) parameters",
    .own = {"one_row_is_attention_pooling"},
    .cases = "StructuredEmbedding",
    .option = "pooling",
    .text = "structured",
};

struct FixedPooler final : Pooler {
  FixedPooler(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;
  int64_t width() const override { return options.width; }
  PoolerOptions options;
};

struct AttentionPooler final : Pooler {
  AttentionPooler(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;
  int64_t width() const override { return width_; }
  void visit(Visitor& v) override { v.child("", pooling); }
  AttentionPooling pooling;

 private:
  int64_t width_;
};

struct StructuredPooler final : Pooler {
  struct Settings {
    int64_t rows = 4;
    int64_t hidden = 64;
    double penalty = 0;
    void fields(OptionFields& f) {
      f("rows", rows, "R, rows of the matrix; 30 in the paper", {1, 1024});
      f("hidden", hidden, "A, width of W_1; 350 in the paper", {1, 4096});
      f("penalty", penalty, "weight of |A A^T - 1|_F^2 in the loss; 1 in the paper", {0, 1e6});
    }
  };

  StructuredPooler(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;
  int64_t width() const override { return embedding.options.rows * embedding.options.input; }
  void visit(Visitor& v) override { v.child("", embedding); }
  StructuredEmbedding embedding;
};

struct MultiHeadPooler final : Pooler {
  struct Settings {
    int64_t seeds = 1;
    int64_t heads = 1;
    void fields(OptionFields& f) {
      f("seeds", seeds, "R, number of learned queries", {1, 1024});
      f("heads", heads, "number of heads; must divide the encoder's width", {1, 1024});
    }
  };

  MultiHeadPooler(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;
  int64_t width() const override { return pooling.options.seeds * pooling.options.model; }
  void visit(Visitor& v) override { v.child("", pooling); }
  MultiHeadPooling pooling;
};

}  // namespace heed::nn
