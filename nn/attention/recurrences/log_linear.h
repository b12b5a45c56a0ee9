// Log-linear attention ("Log-linear attention"): a recurrent mixer with a few states in place of one, each of which has
// the words of one stretch of the past, short stretches near by and long ones far away.
//
//   o_t = sum_(s <= t) l_t[level(t, s)] exp(G_ts) (q_t . k_s) v_s       G_ts: the log decay from word s to word t
//   level(t, s) = number of bits of (t XOR s), t and s counted from 0: 0 is the word itself
//   l_t = softplus(L_h * (u W_l)) [levels]                              L [H, levels] begins at 1
//
// Two words that agree in their high bits are near: the levels of the past of word t are blocks of 2^b words, one for
// each 1 bit of t, as in a Fenwick tree. Each block is one state. When a word is added, the blocks below the lowest 0
// bit merge with it, as a counter carries:
//
// clang-format off
//   t = 6 = 110:  words 0 1 2 3 | 4 5 | 6           states 4, 2; then the word itself
//   t = 7 = 111:  words 0 1 2 3 | 4 5 | 6 | 7       states 4, 2, 1
//   t = 8:        words 0 1 2 3 4 5 6 7 | 8         all have merged
// clang-format on
//
// Everything else, q, k, v, the decay and the gate, is Mamba-2's (mamba2.h). The last level is shared by all words that
// are further away, so any number of words can be read; 15 levels, as in the authors' program, tell 2^14 words apart.
// The program divides the products by sqrt(N) in its newer versions; the paper and this mixer do not. Places are
// counted without padding. Recurrent (chunk = 1), parallel (chunk = T) and chunkwise agree. M states at most, M =
// levels - 1.
#pragma once

#include "nn/attention/recurrences/mamba2.h"

namespace heed::nn {

struct LeveledSums {
  Variable states = {};  // [B, M, H, K, V]: of the blocks of 1, 2, 4, .. words; undefined before the first word
  Tensor places = {};    // i64 [B]: words so far; undefined: 0
};
// words as in decayed_sums.h with a decay of width 1; scales l [B, H, T, levels]; mask bool [B, T] or undefined. The
// sums become what the next words need. -> o [B, H, T, V]
Variable leveled_sums(const DecayedSums& words, const Variable& scales, const Tensor& mask, int64_t chunk,
                      LeveledSums& sums);

struct LogLinearMixer final : RecurrentMixer {
  struct Settings : Mamba2Mixer::Settings {
    int64_t levels = 15;
    void fields(OptionFields& f) {
      Mamba2Mixer::Settings::fields(f);
      f("levels", levels, "levels of distance, 2^(levels - 1) words are told apart", {2, 48});
    }
  };
  static constexpr About about{
      .names = {"J20", "log_linear", "log-linear attention", "log-linear Mamba-2"},
      .formula = "o_t = sum_(s <= t) l_t[bits of t XOR s] exp(G_ts) (q_t . k_s) v_s,  l_t = softplus(L (u W_l))",
      .paper = {"Guo et al., 2025", 2025, 4},
      .idea =
          "The past is cut at powers of two, and each of these blocks has a state of its own and a weight that the "
          "word decides. So not a single state must keep everything. Their number is the logarithm of the number of "
          "words.",
      .wrong =
          "Levels count from the first word of the sentence. Padding before it must not shift them, or the blocks are "
          "others.",
      .cost =
          "with E = 2 D: 3 T D E + T E (C + 2 N levels) products; Mamba-2's parameters and D H levels + H levels; "
          "decoding keeps E N (levels - 1) + (E + 2 N)(w - 1) + 1 numbers",
      .own = {"three_forms_agree", "one_scale_is_mamba2", "states_are_the_bits", "levels_are_bits_of_places",
              kLinearCost},
  };

  LogLinearMixer(const MixerOptions& options, Generator& rng);
  Variable scales_of(const Variable& u) const;  // l [B, H, T, levels]
  void visit(Visitor& v) override {
    v.child("mamba", mamba), v.child("level", level), v.parameter("level_scale", level_scale);
  }
  Settings settings;
  Mamba2Mixer mamba;
  Linear level;          // W_l [H levels, D]
  Variable level_scale;  // L [H, levels]

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
