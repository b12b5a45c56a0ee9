// Scheduled sampling (Bengio, Vinyals, Jaitly and Shazeer, NeurIPS 2015): trains a decoder with its own predictions as
// inputs, too.
//
// clang-format off
//   teacher forcing      the next input is always the true word: the model never sees the
//                        consequences of its own errors
//   scheduled sampling   the next input is the true word with probability p, otherwise the word
//                        that the model finds most probable; p falls from 1 during training
// clang-format on
//
// The loss is that of the true words, as with teacher forcing. No gradient passes through the choice of a word.
#pragma once

#include <functional>

#include "nn/about.h"
#include "nn/models/paper.h"

namespace heed::nn {

inline constexpr About kAboutScheduledSampling{
    .names = {"D11", "scheduled_sampling"},
    .formula = "the next input is the true word with probability p, else the word that the model predicts",
    .paper = {"Bengio et al., NIPS 2015", 2015, 1},
    .idea =
        "In training the decoder sometimes reads the word that it predicted itself instead of the true one. So it gets "
        "used to its own mistakes. The share of true words falls during training.",
    .wrong =
        "Even with unlimited data, the model that minimises this loss does not have the true distribution. If the true "
        "word is always read, it is teacher forcing.",
    .shapes = "target_in [B, T] -> logits [B, T, V]",
    .cost = "one argmax over V per step; the steps cannot run in parallel",
    .own = {"ends_are_teacher_forcing_and_greedy"},
};

// The logits of each step: `step` continues with these words, [B] i64 -> [B, V].
Variable scheduled(const Tensor& target_in, double truth, Generator& rng,
                   const std::function<Variable(const Tensor& words)>& step);

// Logits [B, T, V] of a recurrent paper. `truth` is p; with p = 1, they are those of model(source, lengths, target_in).
// Draws one random number per row and step after the first.
template <class M>
requires requires(const M& m, const Tensor& t) { m.encode(t, t).source; }
Variable scheduled_logits(const M& model, const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                          double truth, Generator& rng) {
  auto encoded = model.encode(source, lengths);
  return scheduled(target_in, truth, rng, [&](const Tensor& words) {
    Decoded d = decode(model, words.unsqueeze(1), encoded.source, encoded.state, true);
    return select(logits_of(model, d, encoded.source), 1, 0);
  });
}

// The probability p of the true word at step i (ibid., section 2.4):
double linear_decay(int64_t step, double slope, double floor = 0);  // max(floor, 1 - slope i)
double inverse_sigmoid_decay(int64_t step, double k);               // k / (k + exp(i / k)), k >= 1

}  // namespace heed::nn
