// FNet ("FNet: mixing tokens with Fourier transforms"): words are mixed by a Fourier transform along the words and
// along the entries.
//
//   Y = C_T X C_D - S_T X S_D,   C_n[i, j] = cos(2 pi i j / n),  S_n[i, j] = sin(2 pi i j / n)
//
// The transform is computed as products of matrices, which the paper found faster on TPUs than an FFT, except for long
// sentences. Each sentence has matrices of its own. Every output reads all words: it cannot be causal.
#pragma once

#include "nn/attention/mixers/mixer.h"

namespace heed::nn {

struct FNetMixer final : Mixer {
  static constexpr About about{
      .names = {"G20", "fnet", "Fourier mixing"},
      .formula = "Y = Re(F_T X F_D),  F_n[i, j] = exp(-2 pi i j sqrt(-1) / n)",
      .paper = {"Lee-Thorp, Ainslie, Eckstein and Ontanon, NAACL 2022", 2022, 3},
      .idea =
          "The words are mixed by a Fourier transform, which has nothing to learn. Each output is a sum over all words "
          "with fixed waves as weights. What is learned is only the networks between these sums, and for classifying "
          "sentences that is often nearly as good.",
      .wrong =
          "The transform must have the length of the sentence without its padding. Otherwise the output of a word "
          "depends on the other sentences of the batch.",
      .cost = "2 T D (T + D) products; no parameters",
      .own = {"it_is_the_2d_fourier_transform", "twice_is_the_mean_with_its_mirror"},
      .exempt = {{kLaterWordsAreNotRead, "it mixes all words by a fixed matrix"}},
  };

  FNetMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  MixerOptions options;
};

struct CosineSine {
  Tensor cosine, sine;  // C, S
};
// The matrices of places [.., T] i64 in rows of length [.., 1]: [.., T, T], in f64.
CosineSine fourier_matrices(const Tensor& places, const Tensor& length);

}  // namespace heed::nn
