// Scheduled sampling (Bengio, Vinyals, Jaitly and Shazeer, NeurIPS 2015): let a decoder practise on its own mistakes.
//
//   teacher forcing    the next input is always the true word: the model never sees what its own errors lead to
//   scheduled          the next input is the true word with probability p, else the word the model itself finds
//                      likeliest; p falls from 1 as training goes on
//
// The loss is that of the true words as before. The gradient does not pass through the choice of a word.
#pragma once

#include "nn/models/seq2seq.h"

namespace heed::nn {

// Logits [B, T, V], as model(source, lengths, target_in) gives with p = 1. A word a row and a step is drawn.
Variable scheduled_logits(const Seq2Seq& model, const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                          double truth, Generator& rng);

// The share of true words p at step i (ibid., section 2.4):
double linear_decay(int64_t step, double slope, double floor = 0);  // max(floor, 1 - slope i)
double inverse_sigmoid_decay(int64_t step, double k);               // k / (k + exp(i / k)), k >= 1

}  // namespace heed::nn
