// Copy, reverse, sort: a sequence of symbols "0" .. "N-1" goes in and the same symbols come out.
//
//   copy     y_t = x_t                 link t -> t
//   reverse  y_t = x_{n+1-t}           link n+1-t -> t
//   sort     y = x in rising order     link to the symbol's place; of equal symbols any one is possible
//
// What one fixed vector between encoder and decoder cannot carry shows in how accuracy falls with the length.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct SequenceOptions {
  int64_t symbols = 16;
  Range lengths{4, 24};      // drawn evenly
  Range held_out_lengths{};  // of validation and test; left alone: as in training
  bool distinct = false;     // no symbol twice in a sequence: needs as many symbols as the longest has places
  int64_t first = 0;         // the number that the first symbol is called
  TaskParts parts = {};
};

// Deterministic in their options; ValueError for a range that runs downwards or holds too few sequences.
Task copy_task(const SequenceOptions& options = {});
Task reverse_task(const SequenceOptions& options = {});
Task sort_task(const SequenceOptions& options = {});

// Two published settings, so that a curve can be laid beside the published one. Their parts are drawn independently, as
// they were; the short sequences of the first occur in several parts.

// JoeyNMT's tutorial: reverse, 50 symbols, training lengths 1 to 25, held-out lengths 1 to 30; 50,000, 1,000 and 1,000.
SequenceOptions joeynmt_reverse_options(uint64_t seed = 1);
// "The Annotated Encoder-Decoder": copy, vocabulary of 11 with the padding, symbols 1 to 10. Published sequences have
// length 10 and begin with symbol 1, which the encoder is not shown and the decoder starts from: our <s>. That leaves 9
// drawn symbols on both sides. There is no end mark there; our batches add one, which is easy to get right.
SequenceOptions annotated_copy_options(uint64_t seed = 1);

}  // namespace heed::data
