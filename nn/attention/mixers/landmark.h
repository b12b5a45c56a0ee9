// Landmark attention ("Random-access infinite context length for transformers", section 3.2): a word reads its own
// block word by word, and every other block through the gate of its landmark.
//
//   p        softmax of q_t . k over the words of the own block and the landmarks of the earlier blocks, / sqrt(K)
//   w_ts     p_s for s in the own block;   p of the landmark of s's block, times softmax of q_t . k_s within that block
//
// A landmark has no value, and that of the own block is not read. Rows sum to 1. In the paper a landmark is a word of
// the text after each block: it has states in all layers, and shifts the places of all words after it. Here the text
// has none. Each layer inserts a learned input l after each block of C words. It reads the words of its block, as the
// layers below would have let it do, and is then only a key; no place moves:
//
//   l_j = l + [softmax over block j of q_l . k_s / sqrt(K), times v_s]_h W_o + b_o,     key l_j W_k + b_k
//
// `reads=0` inserts l itself, so that all landmarks of a layer have one key. l starts N(0, 0.02^2). In an encoder,
// which the paper does not have, all other blocks are read. K = D / H, J = T / C blocks.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct LandmarkMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t block = 50;
    bool reads = true;
    void fields(OptionFields& f) {
      f("block", block, "C, words of a block", {1, 65536});
      f("reads", reads, "a landmark reads its block before its key is made");
    }
  };
  static constexpr About about{
      .names = {"K4", "landmark", "landmark attention"},
      .formula = "w_ts = p_ts in the own block, p of the landmark of s times softmax within its block elsewhere",
      .paper = {"Mohtashami and Jaggi, NeurIPS 2023", 2023, 4},
      .idea =
          "Each block of words ends in a landmark, whose key stands for the block. A query weighs the words of its own "
          "block against the landmarks of the others, and spreads the weight of a landmark over the words of its "
          "block. So "
          "a long memory can be searched by landmarks, and only the best blocks need be loaded.",
      .wrong = "The landmark itself gets no weight on its value. The landmark of the query's own block is left out.",
      .cost = "as multi-head attention, and T^2 D / C products; D more parameters",
      .own = {"one_block_has_no_landmark", "blocks_are_read_apart"},
  };

  LandmarkMixer(const MixerOptions& options, Generator& rng);
  Variable keys_of_landmarks(const OwnHeads& heads) const;  // [B, H, J, K]
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.parameter("landmark", landmark);
  }
  Settings settings;
  Variable landmark;  // l [D]

 protected:
  Attended read(const OwnHeads& heads) const override;

 private:
  Variable by_block(const Variable& scores, const Tensor& words) const;  // [.., T] -> [.., J, C], -inf without a word
};

}  // namespace heed::nn
