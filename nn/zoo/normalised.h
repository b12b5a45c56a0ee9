// The normalised transformer, nGPT: all vectors of words and all rows of matrices have length 1, and each half of a
// layer is a step on the sphere.
//
//   u(x) = x / |x|          a_A, a_M [D]: rates, 0.05 at first         s_qk [D]: 1 at first        s_uv [2F]: 1 at
//   first q, k = s_qk u(RoPE(h W_q)), s_qk u(RoPE(h W_k)) in each head;      h_A = [softmax(sqrt(K) q k^T) v]_h W_o h
//   <- u(h + |a_A| (u(h_A) - h))                                     a step towards what attention returns [u, v] =
//   s_uv sqrt(D) h W_uv;  h_M = (u silu(v)) W_d;              h <- u(h + |a_M| (u(h_M) - h)) after each step of the
//   optimiser: each matrix has length 1 along D (normalise)
//
// Vectors of length 1 have products of about 1 / sqrt(K), so scores are multiplied by sqrt(K), not divided. There are
// no other norms and no biases. A rate or a scale is stored at the size that the optimiser's steps suit, 1 / sqrt(D)
// for a and s_qk, and multiplied by its first value over that. A rotation keeps lengths, so unit vectors may be taken
// before or after it; the published program multiplies pairs without adding them, which is no rotation. Pairs are
// neighbours. Matrices are drawn from a normal distribution before they get their lengths. B batch, T words, D = H K
// width, H heads, F feed-forward width.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/heads_properties.cpp use it.
#pragma once

#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct NormalisedLayerOptions {
  int64_t model, heads, inner = 0;  // D, H, F; 0: 4 D
  bool causal = true;
};

struct NormalisedLayer : Module {
  static constexpr About about{
      .names = {"L1", "normalised", "nGPT", "normalised transformer"},
      .formula = "h <- u(h + |a| (u(f(h)) - h)),  u(x) = x / |x|;  q, k = s u(RoPE(..)), scores q . k sqrt(K)",
      .paper = {"Loshchilov, Hsieh, Sun and Ginsburg, ICLR 2025", 2025, 4},
      .idea =
          "Every vector of a word lies on the unit sphere, and a layer moves it towards its own output by a learned "
          "rate for each feature. All matrices are brought back to rows of length 1 after each step of training. So "
          "products are cosines, and no other norm, no warm-up and no weight decay are needed.",
      .wrong =
          "Scores of unit vectors are multiplied by sqrt(K) and not divided by it. What is stored for a rate is not "
          "the rate: it is rescaled so that the optimiser's steps suit it.",
      .shapes = "h [B, T, D] -> [B, T, D]",
      .cost = "those of a layer with a gated feed-forward network; 4 D^2 + 3 D F + 3 D + 2 F parameters",
      .own = {"words_stay_on_the_sphere", "no_rate_is_the_identity", "sphere_steps_by_hand",
              "matrices_are_brought_back"},
      .cases = "NormalisedLayer",
      .more = "a layer for a model of your own, in C++; no option of heed train has it",
  };

  using Options = NormalisedLayerOptions;
  NormalisedLayer(const Options& options, Generator& rng);  // its matrices are normalised already
  // h [B, T, D], rows of length 1; words bool [B, T] or undefined: false for padding, which nobody attends to
  Variable operator()(const Variable& h, const Tensor& words = {}) const;
  void normalise();  // the training rule: call it after each step of the optimiser
  void visit(Visitor& v) {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("output", output);
    v.child("up", up), v.child("down", down);
    v.parameter("attention_rate", attention_rate), v.parameter("feed_rate", feed_rate);
    v.parameter("scale_heads", scale_heads), v.parameter("scale_inner", scale_inner);
  }
  Options options;
  Linear query, key, value, output;    // [D, D]
  Linear up, down;                     // [2 F, D], [D, F]
  Variable attention_rate, feed_rate;  // a sqrt(1/D) / 0.05, [D]
  Variable scale_heads, scale_inner;   // s_qk sqrt(1/D), [D]; s_uv, [2 F]

 private:
  Variable attended(const Variable& h, const Tensor& words) const;
  Variable moved(const Variable& h, const Variable& target, const Variable& rate) const;
};

}  // namespace heed::nn
