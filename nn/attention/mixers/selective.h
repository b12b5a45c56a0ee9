// Selective attention: words can decide that an earlier word is no longer needed. S is what t masks, F what the words
// before t have masked. A word never masks itself, and the first word (which begins every sentence) is never masked. In
// an encoder (not in the paper) all words are read, and masking goes in the order of the words.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

// F from the scores e [B, T, T] of the selecting head; words bool [B, T] or undefined: padding masks nothing.
Variable selective_masking(const Variable& e, const Tensor& words);

struct SelectiveMixer final : OwnHeadsMixer {
  static constexpr About about{
      .names = {"E25b", "selective", "selective attention"},
      .formula = "w = softmax(e_ts - F_ts),  F_ts = sum_(r < t) S_rs,  S_ts = relu(e_ts of head 0) for 0 < s < t",
      .paper = {"Leviathan, Kalman and Matias, ICLR 2025", 2025, 4},
      .idea =
          "A word can mark an earlier word as no longer needed, and all later words then give it less weight. The "
          "scores of one head say what is marked, so there are no new parameters. The marks add up and never fall, so "
          "marked words could be dropped from the memory.",
      .wrong =
          "What a word masks counts for the words after it, and not for itself. A sum that includes its own row lowers "
          "the weights of the word that selects.",
      .cost = "as multi-head attention, and T^2 sums; no more parameters",
      .own = {"masks_add_up", "nothing_selected_is_attention"},
  };

  SelectiveMixer(const MixerOptions& o, Generator& rng) : OwnHeadsMixer(o, "selective", rng) {}

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
