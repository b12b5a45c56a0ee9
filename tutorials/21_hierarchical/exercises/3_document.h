// Exercise 21.3: from words to a document.
//
//   one level, for the rows x_1 .. x_n that exist:
//     a_i = tanh(W x_i + b)          w = softmax_i(u . a_i)          y = sum_i w_i x_i
//
//   words -> sentences     s_m = the level of the words applied to the words of sentence m
//   sentences -> document  d   = the level of the sentences applied to those s_m that have words
//
// This is the attention of the lesson without its recurrent networks. M sentences of up to L words, D the width of a
// word and of a sentence, A the width of a_i. Sentence m consists of its first counts[m] words, the others are padding;
// a sentence without words, anywhere in the document, is padding too. Padding gets the weight 0 at both levels,
// whatever numbers it contains. Yang et al., NAACL 2016, section 2.2, equations 5 to 10.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace mine {

struct Level {
  heed::Tensor W, b, u;  // [A, D], [A], [A]: the learned query is u
};
struct Pooled {
  heed::Tensor weights, vector;  // w [n], y [D]
};
struct Document {
  heed::Tensor words;      // [M, L]: row m sums to 1, or is 0 if sentence m has no words
  heed::Tensor sentences;  // [M]: sums to 1; 0 for a sentence without words
  heed::Tensor vector;     // d [D]
};

Pooled one_level(const heed::Tensor& x, const Level& level);  // x [n, D], without padding; n >= 1
// h [M, L, D], counts[m] in 0 .. L, at least one of them above 0. All tensors f64.
Document read_document(const heed::Tensor& h, const std::vector<int64_t>& counts, const Level& of_words,
                       const Level& of_sentences);

}  // namespace mine
