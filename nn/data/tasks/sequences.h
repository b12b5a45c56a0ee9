// Copy, reverse, sort, selective copy: the input is a sequence of symbols "0" .. "N-1", and the output has the same
// symbols.
//
// clang-format off
//   copy     y_t = x_t                 link t -> t
//   reverse  y_t = x_{n+1-t}           link n+1-t -> t
//   sort     y = x in rising order     link to the symbol's position; possible links if
//                                      several symbols are equal
//   selective copy   _ 3 _ _ 1 _ 3 _  ->  3 1 3      link to the symbol's position
// clang-format on
//
// If one fixed vector connects encoder and decoder, its limit shows in how the accuracy falls with the length.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct SequenceOptions {
  int64_t symbols = 16;
  Range lengths{4, 24};      // drawn uniformly
  Range held_out_lengths{};  // for validation and test; default: as in training
  // No symbol twice in a sequence: then there must be at least as many symbols as the longest sequence has.
  bool distinct = false;
  int64_t first = 0;  // the number in the name of the first symbol
  TaskParts parts = {};
};

// The result depends only on the options. ValueError for a reversed range or too few sequences.
Task copy_task(const SequenceOptions& options = {});
Task reverse_task(const SequenceOptions& options = {});
Task sort_task(const SequenceOptions& options = {});

// Selective copy: the symbols stand among blanks "_", at places drawn uniformly, and only they are copied, in their
// order. A model must decide by content what to keep (Gu and Dao, "Mamba", COLM 2024, section 4.1.1; the task with
// fixed places is that of Arjovsky, Shah and Bengio, ICML 2016).
struct SelectiveCopyOptions {
  int64_t symbols = 16;
  Range lengths{8, 24};      // of the source, blanks included; drawn uniformly
  Range held_out_lengths{};  // for validation and test; default: as in training
  double share = 0.5;        // of the source that is symbols, rounded to the nearest number; at least one; in (0, 1]
  TaskParts parts = {};
};
// The source has `symbols` + 1 symbols, the target `symbols`. ValueError for a reversed range or a share outside (0,
// 1].
Task selective_copy_task(const SelectiveCopyOptions& options = {});

// Two published settings, so that our curves can be compared with published ones. As in the originals, the parts are
// drawn independently, so the short sequences of the first setting occur in several parts.

// The tutorial of JoeyNMT: reverse, 50 symbols, training lengths 1 to 25, held-out lengths 1 to 30; 50,000 training,
// 1,000 validation and 1,000 test sequences.
SequenceOptions joeynmt_reverse_options(uint64_t seed = 1);
// "The Annotated Encoder-Decoder": copy, a vocabulary of 11 with the padding, symbols 1 to 10. The published sequences
// have length 10 and begin with symbol 1, which is not given to the encoder and from which the decoder starts; our <s>
// has that role. That leaves 9 drawn symbols on both sides. The original has no end mark; our batches add one, which is
// easy to predict.
SequenceOptions annotated_copy_options(uint64_t seed = 1);

}  // namespace heed::data
