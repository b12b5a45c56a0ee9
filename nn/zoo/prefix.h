// Prefix tuning (section 4 of the paper): P learned keys and values are put before those of the words in each attention
// of a trained model. Only a mask over the prefix gives the original model back. The keys and values are given after
// the projections of the attention, so they need no matrix product. W width of a head, D = H W.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/other_keys_properties.cpp use it.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/stage.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/init.h"
#include "nn/padding.h"

namespace heed::nn {

struct PrefixOptions {
  int64_t model, heads;
  int64_t prefixes = 5;  // P
  bool bias = true;
};

struct PrefixAttention : Module {
  static constexpr About about{
      .names = {"E26g", "prefix_keys", "prefix tuning", "persistent keys and values"},
      .formula = "c_t = softmax([P_k; k] . q_t / sqrt(W)) [P_v; v]",
      .paper = {"Li and Liang, ACL 2021", 2021, 4},
      .idea =
          "A few learned keys and values are put before those of the words in each attention. Only these keys and "
          "values are trained, and the model itself stays as it is. So one model can serve many tasks with a small "
          "prefix for each.",
      .wrong =
          "A prefix of zeros is not the same as no prefix. A key of zeros has the score 0 and takes weight from the "
          "words.",
      .shapes = "x [B, T, D] -> [B, T, D], weights [B, H, T, P + S]",
      .cost = "that of multi-head attention, with P more keys; 2 P D parameters",
      .own = {"keys_may_be_permuted", "queries_may_be_permuted", "masked_prefixes_are_the_model",
              "zero_prefixes_take_weight", "prefixes_are_further_keys"},
      .exempt = {{"empty_row_reads_zero", "a query that may attend to no word still reads the prefixes"},
                 {"rows_sum_to_one", "the prefixes have a share of each row"}},
      .cases = "PrefixAttention",
      .more = "a layer for a model of your own, in C++; no option of heed train has it",
  };

  using Options = PrefixOptions;
  PrefixAttention(const Options& o, Generator& rng)
      : options(o),
        attention({.model = o.model, .heads = o.heads, .bias = o.bias}, rng),
        keys(normal_parameter({1, o.heads, o.prefixes, o.model / o.heads}, 0.5, rng)),
        values(normal_parameter({1, o.heads, o.prefixes, o.model / o.heads}, 0.5, rng)) {}
  // x [B, T, D], y [B, S, D] (x itself for self-attention), allowed bool, broadcastable to [B, T, S]. Weights [B, H, T,
  // P + S]. `closed`: the prefixes are masked out.
  MultiHeadOutput operator()(const Variable& x, const Variable& y, const Tensor& allowed = {},
                             bool closed = false) const {
    Call call(*this);
    int64_t B = x.size(0), T = x.size(1), S = y.size(1), P = options.prefixes;
    Variable own_words = without_unread(y, allowed);
    HeadMemory words = attention.remember(own_words, own_words);
    auto before = [&](const Variable& prefix, const Variable& own) {
      return concat({expand(prefix, {B, prefix.size(1), P, prefix.size(3)}), own}, 2);
    };
    HeadMemory all{before(keys, words.keys), before(values, words.values), {}};
    Tensor own = allowed.defined() ? allowed.expand({B, T, S}).contiguous() : Tensor::ones({B, T, S}, DType::boolean);
    Tensor prefix = closed ? Tensor::zeros({B, T, P}, DType::boolean) : Tensor::ones({B, T, P}, DType::boolean);
    return attention(x, all, {.allowed = concat({prefix, own}, 2), .weights = true});
  }
  void visit(Visitor& v) {
    v.child("attention", attention);
    v.parameter("keys", keys), v.parameter("values", values);
  }
  Options options;
  MultiHeadAttention attention;
  Variable keys, values;  // P_k, P_v [1, H, P, W]
};

}  // namespace heed::nn
