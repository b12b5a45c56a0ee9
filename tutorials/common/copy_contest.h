// What lessons 10 and 12 share: an encoder-decoder learns to copy sequences, and is tested at each length.
//
//   train     sequences of 4 to 24 symbols, teacher forcing, Adam, gradients clipped at norm 1; the learning rate falls
//             to 0 in a straight line
//   test      greedy decoding of new sequences of L symbols; the score is the share of places with the right symbol
//
// All sequences come from data::copy_task, which never gives a training sequence to the test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/data/tasks/sequences.h"
#include "nn/models/papers.h"

namespace heed::app {

struct CopyTraining {
  int64_t symbols = 8, batch = 32, steps = 1500;
  data::Range lengths{4, 24};
  double rate = 5e-3, clip = 1;
  uint64_t seed = 1;
};

struct TrainedCopier {
  std::string name;
  std::unique_ptr<nn::EncoderDecoder> model;  // in evaluation mode
  std::vector<double> losses;                 // of each step, the mean per symbol
};

// The options of a paper M (nn/models/) in these lessons: a bidirectional encoder with `hidden` units for each
// direction, a decoder with `hidden` units, no dropout.
template <class M>
typename M::Options copier_options(int64_t hidden) {
  typename M::Options o;
  o.source.width = o.target.width = 16;
  o.encoder.hidden = o.decoder.hidden = hidden;
  o.start = "last", o.dropout = 0;
  return o;
}

// With the same seed, every paper sees the same sequences in the same order.
TrainedCopier learn_to_copy(const std::string& name, const nn::AnyPaper& paper, const CopyTraining& training);

// `count` sequences of one length that no training has seen; the same for every model.
data::Task sequences_of(int64_t length, int64_t symbols, int64_t count, uint64_t seed);

// The outputs of greedy decoding: rows of ids, without </s>.
std::vector<std::vector<int64_t>> greedy_copies(const nn::EncoderDecoder& model,
                                                const std::vector<data::EncodedPair>& pairs);
// The share of places of the targets whose symbol is right, in %. A place without an output is wrong.
double places_right(const std::vector<std::vector<int64_t>>& written, const std::vector<data::EncodedPair>& pairs);

// places_right at each length, by greedy decoding.
std::vector<double> right_by_length(const nn::EncoderDecoder& model, const std::vector<int64_t>& lengths,
                                    const CopyTraining& training, int64_t count);

// The mean over the lengths in the range.
double mean_right(const std::vector<double>& right, const std::vector<int64_t>& lengths, data::Range range);

}  // namespace heed::app
