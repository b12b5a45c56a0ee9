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

#include "nn/models/seq2seq.h"

namespace heed::nn {

// Logits [B, T, V]. `truth` is p; with p = 1, they are those of model(source, lengths, target_in). Draws one random
// number per row and step after the first.
Variable scheduled_logits(const Seq2Seq& model, const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                          double truth, Generator& rng);

// The probability p of the true word at step i (ibid., section 2.4):
double linear_decay(int64_t step, double slope, double floor = 0);  // max(floor, 1 - slope i)
double inverse_sigmoid_decay(int64_t step, double k);               // k / (k + exp(i / k)), k >= 1

}  // namespace heed::nn
