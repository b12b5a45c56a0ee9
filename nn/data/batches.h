// Turns pairs of id lists into padded batches of sentences of similar length.
//
// Computing on padding is wasted work. So the sentences are shuffled, divided into pools of several batches, sorted by
// length within each pool and cut into batches; then the batches are shuffled. The result depends only on (seed,
// epoch), so a run can resume in the middle of an epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed::data {

struct EncodedPair {
  std::vector<int64_t> source;  // with </s> at the end
  std::vector<int64_t> target;  // without <s> and </s>
};

struct Batch {
  Tensor source;                 // [B, S] i64, padded
  Tensor lengths;                // [B] i64, the lengths of the sources
  Tensor target_in;              // [B, T] i64: <s> y_1 .. y_n
  Tensor target_out;             // [B, T] i64: y_1 .. y_n </s>, padded with <pad>, which the loss ignores
  int64_t tokens = 0;            // number of target tokens in the loss, </s> included
  std::vector<int64_t> members;  // indices into the list of pairs
};

struct Widths {
  int64_t source = 0, target = 0;  // S and T
};
// One batch of the given members, in their order. ValueError if there are none, or a source is empty. `least`: of those
// of a larger batch that these members are a share of, so that all its rows are padded alike.
Batch make_batch(const std::vector<EncodedPair>& pairs, std::vector<int64_t> members, const Widths& least = {});
Widths widths_of(const std::vector<EncodedPair>& pairs, const std::vector<int64_t>& members);
// A batch of sources only (the targets are empty), for translating.
Batch make_source_batch(const std::vector<std::vector<int64_t>>& sources);

// The members of each batch of one epoch.
std::vector<std::vector<int64_t>> epoch_batches(const std::vector<EncodedPair>& pairs, int64_t batch_size,
                                                uint64_t seed, int64_t epoch);
// Limits the size of a batch instead of its number of pairs: B max(S, T) <= max_tokens, where S counts </s> and T
// counts <s>, so that every step costs about the same memory and time. All pairs are sorted by max(S, T), and equal
// ones are shuffled. ValueError if a single pair is larger than the limit.
std::vector<std::vector<int64_t>> token_batches(const std::vector<EncodedPair>& pairs, int64_t max_tokens,
                                                uint64_t seed, int64_t epoch);
// Batches in order of length, without randomness: for validation and translation. If max_tokens is not 0, a batch has
// at most that number of padded source tokens, or one sentence.
std::vector<std::vector<int64_t>> sorted_batches(const std::vector<EncodedPair>& pairs, int64_t batch_size,
                                                 int64_t max_tokens = 0);

}  // namespace heed::data
