// Sparse Sinkhorn attention (Tay, Bahri, Yang, Metzler and Juan, "Sparse Sinkhorn attention", ICML 2020): the blocks of
// keys are sorted by a learned soft permutation. A block of queries attends to itself and to the block that was moved
// to its place.
//
//   r_j = sum of the words of block j                     [D]
//   P = Sinkhorn(W r + b)                                 [J, J]: rows and columns sum to 1; row i: what is moved to i
//   K~_i = sum_j P_ij K_j,   V~_i = sum_j P_ij V_j        blocks of l words, sorted
//   head_i = softmax(Q_i [K_i; K~_i]^T / sqrt(K)) [V_i; V~_i]         [l, 2 l] scores for each block
//
// P is exp(e) with rows and columns divided by their sums in turns, in log space. Blocks without words take no part. W
// has a row for each block, so sentences may not be longer than `max_source`. The sum of a block and the sorting read
// all words; the paper's causal form masks both, which is not done here. The paper also adds Gumbel noise in training.
// Cost: 2 T l D products for each of scores and contexts, J T D for each sorting. The paper sorts with two layers;
// this one has one. B batch, T words, D width of the model, H heads, K width of a head, J = T/l blocks.
#pragma once

#include "nn/attention/mixers/four_projections.h"

namespace heed::nn {

struct SinkhornBlocksMixer final : Mixer {
  SinkhornBlocksMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Variable permutation(const Variable& x, const Tensor& words) const;  // P [B, J, J]
  void visit(Visitor& v) override {
    v.child("", projections);
    v.child("sorting", sorting);
  }
  MixerOptions options;
  FourProjections projections;
  Linear sorting;  // W [most blocks, D]
};

}  // namespace heed::nn
