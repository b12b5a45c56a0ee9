// Packed sequences: several sentences in one row, kept apart by numbers.
//
//   ids         a a a b b c c c c -        what stands there
//   segments    1 1 1 2 2 3 3 3 3 0        which sentence it belongs to; 0: padding
//   places      0 1 2 0 1 0 1 2 3 0        positions begin anew in each
//   allowed     [t, s] = segments_t == segments_s, neither 0       a matrix of blocks along the diagonal
//
// Each sentence gets what it would get in a row of its own. It saves the padding: a batch of R rows filled to L words
// computes R L words, whatever the lengths of the sentences, where a row each costs as many as the longest has. Scores
// between sentences are computed and thrown away: a packed row of L words costs L^2 of them, so rows several times as
// long as the sentences gain nothing more. (Krell et al., "Efficient sequence packing without cross-contamination",
// 2021.) R rows, T words in a row.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed::nn {

struct Packed {
  Tensor ids, segments;  // [R, T] i64
};

// rows[r] names the sentences of row r; they become its segments 1, 2, ... in this order. Padded with <pad>.
Packed pack(const std::vector<std::vector<int64_t>>& sentences, const std::vector<std::vector<size_t>>& rows);

// Which sentences share a row of `width` words: the longest first, each into the first row with room (first fit,
// decreasing). A sentence longer than that has a row to itself. Several lengths a sentence (source and target): each
// must fit.
std::vector<std::vector<size_t>> rows_of(const std::vector<std::vector<int64_t>>& lengths, int64_t width);

Tensor segment_places(const Tensor& segments);                   // [R, T] -> [R, T] i64
Tensor same_segment(const Tensor& queries, const Tensor& keys);  // [R, T], [R, S] -> [R, T, S] bool

}  // namespace heed::nn
