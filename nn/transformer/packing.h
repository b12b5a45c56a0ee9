// Packed sequences: several sentences share one row of a batch, and segment numbers keep them apart.
//
//   ids         a a a b b c c c c -        the words; -: padding
//   segments    1 1 1 2 2 3 3 3 3 0        which sentence a word belongs to; 0: padding
//   places      0 1 2 0 1 0 1 2 3 0        positions start at 0 in each sentence
//   allowed     [t, s] = segments_t == segments_s, neither 0       a block-diagonal matrix
//
// Each sentence gets the same result as in a row of its own. Packing saves the work on padding: a batch of R filled
// rows of L words computes R L words whatever the lengths of the sentences, whereas with one sentence per row each row
// is as long as the longest sentence. Scores between different sentences are computed and thrown away: a packed row of
// L words has L^2 scores, so rows that are many times as long as the sentences do not pay off. (Krell et al.,
// "Efficient sequence packing without cross-contamination", 2021.) R rows, T words in a row.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed::nn {

struct Packed {
  Tensor ids, segments;  // [R, T] i64
};

// rows[r] lists the sentences of row r, which become its segments 1, 2, ... in this order. Short rows end in <pad>.
Packed pack(const std::vector<std::vector<int64_t>>& sentences, const std::vector<std::vector<size_t>>& rows);

// Decides which sentences share a row of `width` words, by first-fit decreasing: the longest sentence first, each into
// the first row that has room. A sentence longer than `width` gets a row of its own. A sentence may have several
// lengths (source and target); then each of them must fit.
std::vector<std::vector<size_t>> rows_of(const std::vector<std::vector<int64_t>>& lengths, int64_t width);

Tensor segment_places(const Tensor& segments);                   // [R, T] -> [R, T] i64
Tensor same_segment(const Tensor& queries, const Tensor& keys);  // [R, T], [R, S] -> [R, T, S] bool

}  // namespace heed::nn
