// The tiled evaluator: one operation (autograd/ops_attention.h) that computes scores that are products of query and
// key, under a softmax.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

struct TiledEvaluator final : Evaluator {
  static constexpr About about{
      .names = {"G1", "tiled", "flash attention", "online softmax"},
      .formula =
          "for blocks of keys: m' = max(m, max e), l' = e^(m - m') l + sum e^(e - m'), o' = e^(m - m') o + e^(e - m') "
          "v;  context = o / l",
      .paper = {"Milakov and Gimelshein, 2018; Dao et al. (FlashAttention), NeurIPS 2022", 2022, 1},
      .idea =
          "Keys are taken block by block, and a running maximum and sum of the exponentials correct what was added "
          "before. So the matrix of weights is never stored. The result is the same as that of dense attention up to "
          "rounding.",
      .wrong =
          "In a block without an allowed key the largest score is minus infinity, and a difference of two such scores "
          "is NaN. The running sum and the output must be scaled before a new block is added.",
      .shapes = "q [B, T, H, K], k [B, S, G, K], v [B, S, G, V] -> [B, T, H, V]",
      .cost = "the products of dense, plus the scores once more in backward; stores T rows of one block of keys",
      .own = {"any_block_is_dense", "any_mask_is_dense", "tiled_empty_row_reads_zero", "log_sum_exp_of_a_row",
              "dropout_is_drawn_again", "threads_and_padding_change_no_bit", "memory_is_that_of_blocks",
              "evaluators_agree", "chosen_unless_somebody_looks"},
      .cases = "MultiHeadAttention",
  };

  TiledEvaluator(const EvaluatorOptions&, Generator&) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool automatic() const override { return true; }
  bool shows_weights() const override { return false; }
};

}  // namespace heed::nn
