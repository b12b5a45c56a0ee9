// Exercise 26.3: one training step of a transformer.
//
//   batch   source   the source sentences, padded                       [B, S]    words    true where source is a word
//           input    <s> y_1 .. y_n      what the decoder reads         [B, T]
//           output   y_1 .. y_n </s>     what it must predict           [B, T]    allowed  [T, T], true where j <= i
//   loss    the mean of  - sum_v q_v log p_v  over the positions where output is not <pad>
//           q_v = (1 - e) [v is the right word] + e / V                           label smoothing
//   rate    lr(s) = D^-0.5 min(s^-0.5, s warmup^-1.5)                             s = 1 at the first step
//
// All rows are as long as the longest of the batch, and filled up with <pad>. B sentences, S and T positions, V words.
// Vaswani et al., NeurIPS 2017, sections 3.1 (the shift and the mask), 5.3 (equation 3) and 5.4.
#pragma once

#include <functional>

#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/text/vocabulary.h"

namespace mine {

using Sentences = std::vector<std::vector<int64_t>>;  // ids of words
inline constexpr int64_t kPad = heed::text::Vocabulary::pad, kStart = heed::text::Vocabulary::start,
                         kStop = heed::text::Vocabulary::stop;

struct Batch {
  heed::Tensor source, words;           // [B, S] i64 and bool
  heed::Tensor input, output, allowed;  // [B, T] i64 twice, [T, T] bool
};
using Model =
    std::function<heed::Variable(const Batch&)>;  // -> logits [B, T, V]; it uses the masks of the batch and no others
struct Settings {
  double smoothing;       // e
  int64_t width, warmup;  // D, and the number of steps in which the rate rises
};

// The sources end with </s> already; the targets have neither <s> nor </s>.
Batch make_batch(const Sentences& sources, const Sentences& targets);
heed::Variable smoothed_loss(const heed::Variable& logits, const heed::Tensor& output, double smoothing);
double rate(int64_t step, const Settings& settings);
// One step of the optimiser; returns the loss before it. adam.steps() is the number of steps so far.
double train_step(const Model& model, heed::nn::Adam& adam, const Sentences& sources, const Sentences& targets,
                  const Settings& settings);

}  // namespace mine
