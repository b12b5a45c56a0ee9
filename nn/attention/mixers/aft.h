// The attention-free transformer, AFT ("An attention free transformer"): a weighted mean of the values for each feature
// by itself. U and V are [max_source, r]. The largest k_s and w_ts are subtracted first; only where keys differ by more
// than 60 is there a softmax for each feature. aft_full and aft_local are limited to sentences of max_source words. A
// causal aft_simple is a running sum (running_means.h); the others compute all words again. (The conv form of the paper
// has normalised kernels; here they are used as they are.) H groups of features, r rank.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct AftFullSettings {
  int64_t max_source = 100;
  int64_t rank = 32;
  void fields(OptionFields& f) {
    f("max_source", max_source, "number of positions of the longest sentence", {1, 16384});
    f("rank", rank, "r of the biases' factors", {1, 4096});
  }
};
inline constexpr About kAboutAftFull{
    .names = {"G19", "aft_full", "attention-free transformer", "AFT"},
    .formula = "y_t = (sigmoid(q_t) sum_s e^(k_s + w_ts) v_s / sum_s e^(k_s + w_ts)) W_o,  w = U V^T",
    .paper = {"Zhai et al., 2021", 2021, 4},
    .idea =
        "The weight of a word is the exponential of its key plus a learned bias for the pair of positions. The query "
        "only gates the result. Keys and biases are separate factors, so all weighted means are one matrix product and "
        "no matrix of scores depends on the words.",
    .wrong =
        "The mean is for each feature by itself, so a softmax over whole words is another function. The largest key "
        "must be subtracted before exp.",
    .cost = "4 T D^2 + 2 T^2 D products; 4 D^2 + 4 D + 2 r max_source parameters",
    .own = {"weights_are_those_of_aft", "no_bias_is_aft_simple", "longer_sentences_are_refused"},
};

inline constexpr About kAboutAftSimple{
    .names = {"G19b", "aft_simple"},
    .formula = "AFT with w = 0: y_t = (sigmoid(q_t) sum_s e^(k_s) v_s / sum_s e^(k_s)) W_o",
    .paper = {"Zhai et al., 2021", 2021, 4},
    .idea =
        "It is the attention-free transformer without biases for pairs of positions. The key of a word decides how "
        "important it is for all words. A causal model keeps one mean and its total weight.",
    .wrong = "Without causality every word of the sentence gets the same mean, and only the gate differs.",
    .cost = "4 T D^2 products; 4 D^2 + 4 D parameters; decoding keeps 2 D numbers",
    .own = {"weights_are_those_of_aft", "is_rwkv_without_decay", kLinearCost},
};

struct AftLocalSettings {
  int64_t max_source = 100;
  int64_t rank = 32;
  int64_t window = 16;
  void fields(OptionFields& f) {
    f("max_source", max_source, "number of positions of the longest sentence", {1, 16384});
    f("rank", rank, "r of the biases' factors", {1, 4096});
    f("window", window, "distances from here on have no bias", {1, 65536});
  }
};
inline constexpr About kAboutAftLocal{
    .names = {"G19c", "aft_local"},
    .formula = "AFT with w_ts = (U V^T)_ts where |t - s| < window, 0 elsewhere",
    .paper = {"Zhai et al., 2021", 2021, 4},
    .idea =
        "The biases of positions are learned for neighbouring words only. All other words are read with the weights of "
        "their keys alone. So every word still sees the whole sentence.",
    .wrong = "The window limits the biases and not the words: far words are read with the bias 0.",
    .cost = "as aft_full",
    .own = {"weights_are_those_of_aft", "longer_sentences_are_refused", "far_words_have_no_bias"},
};

struct AftConvSettings {
  int64_t window = 16;
  void fields(OptionFields& f) { f("window", window, "distances from here on have no bias", {1, 65536}); }
};
inline constexpr About kAboutAftConv{
    .names = {"G19d", "aft_conv"},
    .formula = "AFT with w_ts = table_h[t - s] where |t - s| < window, 0 elsewhere",
    .paper = {"Zhai et al., 2021", 2021, 4},
    .idea =
        "The biases of positions depend on the distance alone, as in a convolution. Each group of features has its "
        "own. So there is no longest sentence.",
    .wrong =
        "There is no table of positions, so sentences of any length can be read. The bias depends on the distance and "
        "on the group of features.",
    .cost = "4 T D^2 + 2 T^2 D products; 4 D^2 + 4 D + H (2 window - 1) parameters",
    .own = {"weights_are_those_of_aft", "far_words_have_no_bias"},
};

struct AftMixer final : Mixer {
  AftMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  Variable bias(int64_t T) const;  // w [1, T, T] or [H, T, T]
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("output", output);
    v.parameter("of_query", of_query), v.parameter("of_key", of_key), v.parameter("table", table);
  }
  MixerOptions options;
  AftLocalSettings settings;  // those of all four
  Linear query, key, value, output;
  Variable of_query, of_key;  // U, V [max_source, r]
  Variable table;             // [H, 2 window - 1]: of the distances t - s from -(window - 1) on

 private:
  Variable seen_bias(int64_t T) const;  // -inf for later words if causal
  Mixed far_apart(const Variable& x, const Variable& k) const;
  bool running() const { return options.causal && options.name == "aft_simple"; }
};

}  // namespace heed::nn
