// Heads without output ("Are sixteen heads really better than one?", section 2.3), in self-attention only. Which heads
// matter least is found by the gradient of HeadMasks::heads, xi as a Variable (multi_head.h). The text names layer and
// head, from 0.0 on, as in 0.3,2.1: head 3 of layer 0 and head 1 of layer 2.
#pragma once

#include <array>
#include <utility>

#include "autograd/ops.h"
#include "nn/attention/around/around.h"

namespace heed::nn {

// 0.3,2.1 -> (0, 3), (2, 1): layer and head. ValueError for another text.
std::vector<std::pair<int64_t, int64_t>> pruned_from(const std::string& text);

struct PrunedHeads final : Around {
  static constexpr About about{
      .names = {"H6", "pruned_heads", "head masks", "are sixteen heads really better than one"},
      .formula = "output = sum_h xi_h head_h W_o,h^T + b_o,  xi_h in {0, 1};  importance of h: mean |dL / dxi_h|",
      .paper = {"Michel, Levy and Neubig, NeurIPS 2019", 2019, 3},
      .idea =
          "A factor for each head is one, or zero where the head is taken away. Most heads of a trained model can go "
          "without much loss. The gradient of the factor says which heads the loss depends on.",
      .wrong =
          "The output of the head is set to zero, not its weights or scores. A head with scores of zero still reads "
          "the mean.",
      .shapes = "[B, H, T, K], xi [H] or [B, H] -> [B, H, T, K]",
      .cost = "B T D products",
      .own = {"a_pruned_head_has_no_columns", "importance_is_a_difference"},
      .cases = "MultiHeadAttention",
      .more = "layer.head, or HeadMasks::heads in C++",
  };
  static constexpr const char* help = "heads of self-attention without output: layer.head, as in 0.3,2.1";
  static constexpr std::array<const char*, 2> examples{"0.0", "0.0,1.1"};
  static void require(const std::string& text, int64_t layers, int64_t heads);
  static bool acts(const AroundOptions& o) { return !o.cross; }

  PrunedHeads(const AroundOptions& options, Generator&);
  Variable after(const Attended& seen, const Variable&, Passed*) const override {
    return kept.defined() ? seen.context * Variable(kept.to(seen.context.dtype())) : seen.context;
  }
  std::string needs_attention() const override { return kept.defined() ? "a mixer has no heads to prune" : ""; }
  Tensor kept;  // xi [H, 1, 1]; undefined if none of this layer is pruned
};

}  // namespace heed::nn
