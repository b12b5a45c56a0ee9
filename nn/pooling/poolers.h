// The poolings of this folder as stages (pooler.h), each a few lines around what it is made of:
//
//   FixedPooler        a pooling without parameters (pool.h)                          width D
//   AttentionPooler    one learned query (attention_pooling.h)                        width D
//   StructuredPooler   R learned queries (attention/structures/structured.h),         width R D
//                      the rows of the matrix one after the other
//   MultiHeadPooler    R learned seeds (multi_head_pooling.h), likewise               width R D
//
// D width of the words, R rows.
#pragma once

#include "nn/attention/structures/structured.h"
#include "nn/pooling/attention_pooling.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

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
  StructuredPooler(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;
  int64_t width() const override { return embedding.options.rows * embedding.options.input; }
  void visit(Visitor& v) override { v.child("", embedding); }
  StructuredEmbedding embedding;
};

struct MultiHeadPooler final : Pooler {
  MultiHeadPooler(const PoolerOptions& options, Generator& rng);
  Variable operator()(const Variable& x, const Tensor& words) const override;
  int64_t width() const override { return pooling.options.seeds * pooling.options.model; }
  void visit(Visitor& v) override { v.child("", pooling); }
  MultiHeadPooling pooling;
};

}  // namespace heed::nn
