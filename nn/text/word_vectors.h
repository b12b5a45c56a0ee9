// Word vectors in the text format of word2vec, which most tools read and write:
//
//   3 2                  number of words, numbers per word
//   chair 0.5 -1.25      a word, a space, its numbers; a space at the end of a line is allowed
//   table 0.4 -1
//   tiger -2 0.125
//
// Numbers are written with enough digits to read back as the same float, so reading a file and writing it again does
// not change it. Words contain no white space and occur once. (GloVe's files lack the first line.)
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
void write_word_vectors(const std::string& path, const WordVectors& table);  // written completely or not at all

}  // namespace heed::text
