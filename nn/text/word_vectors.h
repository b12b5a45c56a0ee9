// Word vectors in the text format of word2vec, which most tools read and write:
//
//   3 2                  how many words, how many numbers each
//   chair 0.5 -1.25      a word, a blank, its numbers; a blank at the end of a line is allowed
//   table 0.4 -1
//   tiger -2 0.125
//
// Numbers are written with as many digits as bring back the same float, so that a file read and written stays what it
// was. Words hold no white space and come once. (GloVe's files lack the first line.)
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed::text {

struct WordVectors {
  std::vector<std::string> words;  // V
  Tensor vectors;                  // [V, D] f32
};

WordVectors read_word_vectors(const std::string& path);
void write_word_vectors(const std::string& path, const WordVectors& table);  // whole or not at all

}  // namespace heed::text
