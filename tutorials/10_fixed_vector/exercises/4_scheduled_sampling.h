// Exercise 10.4: scheduled sampling.
//
// With teacher forcing a decoder never meets its own errors in training. Scheduled sampling lets it read its own
// symbols more and more often:
//
//   share(i) = k / (k + exp(i / k))                           of true inputs at training step i: near 1 first, then
//   near 0 input    t = 0: <s>;   t > 0: the true previous symbol with probability `truth`, else the decoder's most
//   probable
//            symbol of step t - 1
//   loss     = - sum_bt m_bt log p(y_bt) / sum_bt m_bt        m: 1 at a symbol of the target, 0 at <pad>
//
// The loss asks for the true symbols, whatever was read. B sequences, T steps, V symbols.
// Bengio, Vinyals, Jaitly and Shazeer, NeurIPS 2015, section 2.4.
#pragma once

#include "nn/data/batches.h"
#include "nn/models/seq2seq.h"

namespace mine {

double share(int64_t step, double k);

// batch: source [B, S], lengths [B], target_in [B, T] (<s> first), target_out [B, T], all i64. Draws rng.uniform() once
// for each row b = 0 .. B - 1 of each step t = 1 .. T - 1, padding included: below `truth`, the true symbol is read.
heed::Variable scheduled_loss(const heed::nn::Seq2Seq& model, const heed::data::Batch& batch, double truth,
                              heed::Generator& rng);

}  // namespace mine
