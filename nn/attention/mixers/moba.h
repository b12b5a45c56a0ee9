// Mixture of block attention, MoBA ("MoBA: mixture of block attention for long-context LLMs", section 2.2): each query
// chooses the blocks of words that it reads, as the router of a mixture of experts chooses experts.
//
//   gate_tj = q_t . mean of k_s over block j                 without 1 / sqrt(K); blocks of C words
//   read      the block of t itself, up to t, and the n - 1 earlier blocks with the largest gates
//   y_t       softmax over the words of these blocks of q_t . k_s / sqrt(K), times their values
//
// The choice is made for each word and each head, and has no gradient: only the attention itself trains q and k. The
// mean of a word's own block would contain later words, so the own block has no gate; it is always read and is one of
// the n. Padding does not count in a mean. In an encoder, which the paper does not have, all other blocks are
// candidates. The mask is computed here over all pairs of words. K = D / H, T words, J = T / C blocks.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct MobaMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t block = 16;
    int64_t selected = 3;
    void fields(OptionFields& f) {
      f("block", block, "C, words of a block", {1, 65536});
      f("selected", selected, "n, blocks that a word reads, its own among them", {1, 65536});
    }
  };
  static constexpr About about{
      .names = {"K1", "moba", "MoBA", "mixture of block attention"},
      .formula = "softmax over the own block and the n - 1 best earlier blocks j by q_t . mean k_j",
      .paper = {"Lu et al., 2025 (arXiv 2502.13189)", 2025, 4},
      .idea =
          "The words are cut into blocks, and each query compares itself with the mean key of every earlier block. It "
          "then reads only the words of the best few blocks and of its own. No parameters are added, so a model can "
          "change between this and full attention.",
      .wrong =
          "The own block counts among the n, and its mean key must not be used, because it contains words that are "
          "still to come.",
      .cost = "T (T / C + n C) D products in a kernel, 2 T^2 D under the mask here; no more parameters than attention",
      .own = {"enough_blocks_are_attention", "chosen_blocks_are_merged"},
  };

  MobaMixer(const MixerOptions& o, Generator& rng)
      : OwnHeadsMixer(o, "moba", rng), settings(options.settings.as<Settings>()) {}
  // bool [B, H, T, T]: the words of the blocks that each query chooses; its own block is there up to the end.
  Tensor chosen(const OwnHeads& heads) const;
  Settings settings;

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
