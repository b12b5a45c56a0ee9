// Cross-covariance attention ("XCiT: cross-covariance image transformers"): attention between the entries of the
// vectors in place of the words.
//
//   q^_d = q_d / |q_d|,  k^_d = k_d / |k_d|     q_d [T]: entry d of the queries of all words
//   A = softmax(K^^T Q^ / tau)                  [K, K] in each head; softmax over the entries of the keys
//
// The temperature tau_h of each head is learned, as the factor 1 / tau_h. The paper adds convolutions for neighbours.
// The weights do not change when the words are permuted. The sums read all words: it cannot be causal.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct CrossCovarianceMixer final : Mixer {
  static constexpr About about{
      .names = {"E26j", "cross_covariance", "XCA", "XCiT"},
      .formula = "head = V softmax(K^^T Q^ / tau);  each entry of Q^ and K^ has length 1 along the words",
      .paper = {"El-Nouby et al., NeurIPS 2021", 2021, 4},
      .idea =
          "The weights are between the entries of the vectors and not between the words. They come from the products "
          "of queries and keys summed over all words. So the matrix of weights has a fixed size, and the cost grows "
          "only with the length.",
      .wrong =
          "A vector that is scaled to length 1 consists of one entry of all words, and not of all entries of one word.",
      .cost = "2 T D K products beside the projections; 4 D^2 + H parameters",
      .own = {"entry_weights_ignore_the_order", "words_may_be_permuted", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "its weights are sums over all words"}},
  };

  CrossCovarianceMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Variable entry_weights(const Variable& x, const Tensor& words) const;  // A [B, H, K of the keys, K]
  void visit(Visitor& v) override {
    v.child("", projections);
    v.parameter("temperature", temperature);
  }
  MixerOptions options;
  FourProjections projections;
  Variable temperature;  // 1 / tau [H, 1, 1], at the start 1
};

}  // namespace heed::nn
