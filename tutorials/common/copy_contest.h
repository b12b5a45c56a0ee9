// What lessons 10 and 12 share: an encoder-decoder learns to copy, and is asked to at every length.
//
//   train     sequences of 4 to 24 symbols, teacher forcing, Adam, clipped at 1; the rate falls to 0 in a straight line
//   ask       greedy decoding of new sequences, L symbols each; a place is right if it holds the right symbol
//
// All sequences come from data::copy_task: what is trained on is never asked. B: sequences of a batch, L: length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/data/tasks/sequences.h"
#include "nn/models/seq2seq.h"

namespace heed::app {

struct CopyTraining {
  int64_t symbols = 8, batch = 32, steps = 1500;
  data::Range lengths{4, 24};
  double rate = 5e-3, clip = 1;
  uint64_t seed = 1;
};

struct Copier {
  std::string name;
  nn::Seq2Seq model;           // in evaluation mode
  std::vector<double> losses;  // of each step, a symbol
};

// The model of lesson 10 or 12: `context` as in Seq2SeqOptions, an encoder of two directions with N units each, a
// decoder of N; no dropout.
nn::Seq2SeqOptions copier_options(const std::string& context, int64_t hidden);

// Vocabularies are filled in. Equal seeds give equal sequences in equal order, whatever the model.
Copier learn_to_copy(const std::string& name, nn::Seq2SeqOptions options, const CopyTraining& training);

// `count` sequences of one length that no training has seen; the same for every model.
data::Task sequences_of(int64_t length, int64_t symbols, int64_t count, uint64_t seed);

// What the model writes by itself, each word the likeliest after those it wrote: rows of ids, without </s>.
std::vector<std::vector<int64_t>> greedy_copies(const nn::Seq2Seq& model, const std::vector<data::EncodedPair>& pairs);
// Places of the targets that hold the right symbol, in %. A place that was not written is wrong.
double places_right(const std::vector<std::vector<int64_t>>& written, const std::vector<data::EncodedPair>& pairs);

// places_right at each length, by greedy decoding.
std::vector<double> right_by_length(const nn::Seq2Seq& model, const std::vector<int64_t>& lengths,
                                    const CopyTraining& training, int64_t count);

// The mean over those lengths that lie in the range.
double mean_right(const std::vector<double>& right, const std::vector<int64_t>& lengths, data::Range range);

}  // namespace heed::app
