// Exercise 10.4: scheduled sampling.
//
// With teacher forcing a decoder never meets its own errors in training. Scheduled sampling lets it read its own
// symbols more and more often:
//
// clang-format off
//   share(i) = k / (k + exp(i / k))                        share of true inputs at training step i;
//                                                          it falls from nearly 1 to nearly 0
//   input      t = 0: <s>
//              t > 0: with probability `truth` the true symbol of step t - 1,
//                     otherwise the symbol that the decoder found most probable at step t - 1
//   loss     = - sum_bt m_bt log p(y_bt) / sum_bt m_bt     m: 1 at a target symbol, 0 at <pad>
// clang-format on
//
// The loss is that of the true symbols y, whatever was read. B sequences, T steps, V symbols.
// Bengio, Vinyals, Jaitly and Shazeer, NeurIPS 2015, section 2.4.
#pragma once

#include "nn/data/batches.h"
#include "nn/models/fixed_vector.h"

namespace mine {

double share(int64_t step, double k);

// batch: source [B, S], lengths [B], target_in [B, T] (<s> first), target_out [B, T], all i64. Draws rng.uniform() once
// for each row b = 0 .. B - 1 of each step t = 1 .. T - 1, padding included: below `truth`, the true symbol is read.
heed::Variable scheduled_loss(const heed::nn::Cho& model, const heed::data::Batch& batch, double truth,
                              heed::Generator& rng);

}  // namespace mine
