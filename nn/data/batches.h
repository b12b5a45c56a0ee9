// From pairs of id lists to padded batches of sentences of like length.
//
// Padding is wasted work, so sentences are shuffled, taken in pools of some batches, sorted by length inside the pool
// and cut; then the batches are shuffled. Everything depends on (seed, epoch) alone, so a run can be resumed in the
// middle.
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
  Tensor lengths;                // [B] i64, of the sources
  Tensor target_in;              // [B, T] i64: <s> y_1 .. y_n
  Tensor target_out;             // [B, T] i64: y_1 .. y_n </s>, padded with <pad>, which the loss ignores
  int64_t tokens = 0;            // target tokens that count, </s> included
  std::vector<int64_t> members;  // positions in the list of pairs
};

// One batch of the given members, in their order. ValueError for none, or for an empty source.
Batch make_batch(const std::vector<EncodedPair>& pairs, std::vector<int64_t> members);
// Sources alone (targets are empty): for translating.
Batch make_source_batch(const std::vector<std::vector<int64_t>>& sources);

// The members of each batch of one epoch.
std::vector<std::vector<int64_t>> epoch_batches(const std::vector<EncodedPair>& pairs, int64_t batch_size,
                                                uint64_t seed, int64_t epoch);
// The same by size instead of by number: B max(S, T) <= max_tokens, where S counts </s> and T counts <s>, so that every
// step costs about the same memory and time. All pairs are sorted by max(S, T), equal ones in an order of chance.
// ValueError where a pair alone is larger.
std::vector<std::vector<int64_t>> token_batches(const std::vector<EncodedPair>& pairs, int64_t max_tokens,
                                                uint64_t seed, int64_t epoch);
// In order of length, without chance: for validation and translation.
std::vector<std::vector<int64_t>> sorted_batches(const std::vector<EncodedPair>& pairs, int64_t batch_size);

}  // namespace heed::data
