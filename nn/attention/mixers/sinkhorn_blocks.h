// Sparse Sinkhorn attention: the blocks of keys are sorted by a learned soft permutation.
// r_j = sum of the words of block j [D], of l words; row i of P [J, J] is what is moved to i: exp(e) with rows and
// columns divided by their sums in turns, in log space. [l, 2 l] scores for each block.
//
// Blocks without words take no part. W has a row for each block, so sentences may not be longer than `max_source`. The
// sum of a block and the sorting read all words; the paper's causal form masks both, which is not done here. The paper
// also adds Gumbel noise in training. The paper sorts with two layers; this one has one.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct SinkhornBlocksMixer final : Mixer {
  struct Settings {
    int64_t block = 4;
    int64_t iterations = 8;
    int64_t max_source = 300;
    void fields(OptionFields& f) {
      f("block", block, "l, words of a block", {1, 256});
      f("iterations", iterations, "divisions of rows and of columns", {1, 100});
      f("max_source", max_source, "number of positions of the longest sentence", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"G15", "sinkhorn_blocks", "sparse Sinkhorn attention", "sorted blocks"},
      .formula = "P = Sinkhorn(W r + b);  softmax(Q_i [K_i; sum_j P_ij K_j]^T / sqrt(K)) [V_i; sum_j P_ij V_j]",
      .paper = {"Tay, Bahri, Yang, Metzler and Juan, ICML 2020", 2020, 3},
      .idea =
          "The sentence is cut into blocks, and a block of queries attends to its own words and to one other block of "
          "keys. Which block that is is learned, as a soft permutation. So a word can reach far away although each "
          "query has only two blocks of keys.",
      .wrong =
          "The sorting is a matrix whose rows and columns sum to 1. A softmax over the rows alone could bring the same "
          "block to all positions and others to none.",
      .cost = "4 T l D + 2 J T D products beside the projections; 4 D^2 + J D parameters",
      .own = {"one_block_is_attention", "sorting_is_doubly_stochastic"},
      .exempt = {{kLaterWordsAreNotRead, "it sorts blocks by what all their words are"}},
  };

  SinkhornBlocksMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Variable permutation(const Variable& x, const Tensor& words) const;  // P [B, J, J]
  void visit(Visitor& v) override {
    v.child("", projections);
    v.child("sorting", sorting);
  }
  MixerOptions options;
  Settings settings;
  FourProjections projections;
  Linear sorting;  // W [most blocks, D]
};

}  // namespace heed::nn
