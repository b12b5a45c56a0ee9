// Transient global attention, of LongT5's encoder (section 3.2 of the paper). Words read their neighbours, and a
// summary of each block of the sentence, in one softmax:
//
//   g_j = RMSNorm(sum of the inputs x_s of block j)                  made anew in every layer, [B, J, D]
//   e_ts = q_t . k_s + b[bucket(s - t)]                              for words |s - t| <= r
//   e_tj = q_t . (g_j W_k) + b'[bucket(j - block of t)]              for all blocks j
//   y = softmax(e) [v; g W_v] W_o                                    the same W_k and W_v, no biases, no 1/sqrt(K)
//
// A sentence of n words has floor(n / l) blocks of l words. The words left over belong to its last block, and a
// sentence of less than l words has none. q begins at a scale of 1/sqrt(K), which takes the place of the division. The
// tables b and b' are those of T5 (positions/t5.h) and begin N(0, 1/D), as do W_k, W_v and W_o; LongT5 has them once
// for all layers, here each layer has its own.
// Summaries read later words, so it is for encoders. The masks are computed here over all pairs. B batch, T words, J
// blocks, D width of the model, H heads, K = D / H.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/positions/t5.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

struct TransientGlobalMixer final : Mixer {
  struct Settings {
    int64_t radius = 127;
    int64_t block = 16;
    int64_t buckets = 32;
    int64_t max_distance = 128;
    void fields(OptionFields& f) {
      f("radius", radius, "r, words on each side that are read", {0, 65536});
      f("block", block, "l, words of a block, which is read as one summary", {1, 65536});
      f("buckets", buckets, "rows of the two tables of distances", {4, 65536});
      f("max_distance", max_distance, "larger distances share the last row", {2, 65536});
    }
  };
  static constexpr About about{
      .names = {"K9", "transient_global", "LongT5", "TGlobal"},
      .formula = "softmax of q . [k; g W_k] + [b; b'] over |s - t| <= r and all blocks, g = rms(sum of a block's x)",
      .paper = {"Guo et al., NAACL Findings 2022", 2022, 4},
      .idea =
          "A word reads the words around it and one summary for each block of the whole text. Summaries are sums of "
          "the inputs of a block, made anew in each layer, so that no words have to be added to the text. One softmax "
          "weighs words and summaries together.",
      .wrong =
          "A last block that is too short joins the block before it. The inputs of a block are summed and not "
          "averaged; the norm makes the difference disappear only up to its epsilon.",
      .cost = "2 T (2 r + 1 + T / l) D products in a kernel, 2 T^2 D under the mask here; 4 D^2 + 2 N H parameters",
      .own = {"a_wide_radius_is_t5_attention", "a_word_changes_all_through_its_block"},
      .exempt = {{kLaterWordsAreNotRead, "the summary of a block reads all of its words"}},
  };

  TransientGlobalMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("q_proj", q_proj), v.child("k_proj", k_proj), v.child("v_proj", v_proj), v.child("out_proj", out_proj);
    v.child("norm", norm), v.child("local_bias", local_bias), v.child("global_bias", global_bias);
  }
  MixerOptions options;
  Settings settings;
  Linear q_proj, k_proj, v_proj, out_proj;  // [D, D] each
  RMSNorm norm;
  T5Bias local_bias, global_bias;  // [buckets, H] each
};

}  // namespace heed::nn
