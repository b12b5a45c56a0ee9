// PaTH attention ("PaTH attention: position encoding via accumulating Householder transformations", sections 3 and 4):
// what lies between two words says how the key of the first looks to the second.
//
//   H_t  = 1 - b_t w_t^T w_t                              w = silu(conv_3(x W_1 W_2)) with length 1 in each head
//   e_ts = q_t H_t H_(t-1) .. H_(s+1) k_s^T / sqrt(K)     b = 2 sigmoid(x W_b + c), one number a head
//   y_t  = softmax over s <= t of e_ts, times v_s
//
// H_t turns and shrinks along one direction: b = 0 leaves a vector as it is, 1 removes the direction, 2 reflects it.
// The product is one triangular system for each block of C words, as under the delta rule (decayed_sums.h): with N_lm =
// b_l w_l . w_m for m < l, and P_ls = b_l w_l . k_s for s < l,
//
//   Y = (1 + N)^-1 P,   e = q k^T - tril(q w^T) Y,   and then k_s <- k_s - sum_l Y_ls w_l for all words so far.
//
// The last step rewrites the cached keys, so what is kept for decoding is k_s H_(s+1) .. H_t: a step multiplies each
// key by one H. In an encoder, which the paper does not have, the path from t to a later word s is H_(t+1) .. H_s. K =
// D / H.
#pragma once

#include "nn/attention/mixers/own_cache.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct PathScores {
  Variable scores;  // e sqrt(K) [B, H, n, S]; of later words: 0, or without any H
  Variable keys;    // [B, H, S, K], rewritten up to the last word
};
// q, k, w [B, H, n, K] and b [B, H, n, 1] follow the words of `keys` (undefined: none), in blocks of C.
PathScores path_scores(const Variable& q, const Variable& k, const Variable& w, const Variable& b, const Variable& keys,
                       int64_t C);

struct PathMixer final : OwnCacheMixer {
  struct Settings {
    int64_t rank = 32;
    int64_t taps = 3;
    int64_t chunk = 16;
    void fields(OptionFields& f) {
      f("rank", rank, "numbers between W_1 and W_2", {1, 65536});
      f("taps", taps, "words that the short convolution reads", {1, 64});
      f("chunk", chunk, "C, words whose system is solved together", {1, 65536});
    }
  };
  static constexpr About about{
      .names = {"J29", "path", "PaTH", "Householder position encoding"},
      .formula = "e_ts = q_t H_t .. H_(s+1) k_s^T / sqrt(K),  H_t = 1 - b_t w_t^T w_t,  b = 2 sigmoid(x W_b + c)",
      .paper = {"Yang et al., NeurIPS 2025", 2025, 4},
      .idea =
          "Each word has a direction of its own, and every key that lies before it is reflected or shrunk along that "
          "direction. Rotary positions turn a key by the distance alone, whatever the words are. So the score depends "
          "on the words between query and key, which lets attention follow a state.",
      .wrong =
          "The transformation of the key's own word is not applied, and that of the query's word is. The product "
          "begins at "
          "the query; in the other order it is another function.",
      .cost =
          "as multi-head attention, and T (T + C) D products; 2 D r + (w + H) D + H more parameters; decoding keeps 2 "
          "T D numbers and rewrites half of them",
      .own = {"no_reflection_is_attention", "cached_keys_are_products"},
  };

  PathMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.child("w_down", w_down), v.child("w_up", w_up), v.child("convolution", convolution);
    v.child("strength", strength);
  }
  Settings settings;
  Linear w_down, w_up;  // W_1 [r, D], W_2 [D, r]
  ShortConvolution convolution;
  Linear strength;  // W_b [H, D], c [H]

 protected:
  Attended read_after(const OwnHeads& heads, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
