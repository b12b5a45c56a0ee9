// A tokenizer for a new model, learned from a text, in the files of published ones: tokenizer.json and
// tokenizer_config.json, which PublishedTokenizer and the library `tokenizers` read alike.
//
// clang-format off
//   wordpiece     low ##est       BERT's: lower case, words and signs apart, [CLS] .. [SEP]
//   byte_pairs    Ġlow est        GPT-2's alphabet of bytes: no text is unknown; <s> before a text
// clang-format on
//
// Both learn pieces as byte-pair encoding does (nn/text/bpe.h): the most frequent pair of neighbours becomes a piece.
// WordPiece then looks for the longest piece, byte-level BPE repeats the merges. (The vocabulary of BERT chose pairs
// by likelihood; how is not published, and the libraries of today take the most frequent pair for both.) Words are
// cut without regular expressions, so that every build of heed reads the result: at spaces, which belong to the word
// after them, at new lines, and at punctuation.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"

namespace heed::tokenizers {

struct LearnOptions {
  int64_t vocabulary = 2000;  // at most; with the special tokens
  int64_t min_frequency = 2;  // rarer pairs and characters are no pieces
  int64_t max_length = 512;   // of a text in tokens, for tokenizer_config.json
};
struct LearnedTokenizer {
  io::Json tokenizer, config;  // of tokenizer.json and tokenizer_config.json
};

// InputError if the text has no words, or the vocabulary no room for characters and pieces.
LearnedTokenizer learn_wordpiece(const std::vector<std::string>& lines, const LearnOptions& options = {});
LearnedTokenizer learn_byte_pairs(const std::vector<std::string>& lines, const LearnOptions& options = {});

void save_tokenizer(const LearnedTokenizer& tokenizer, const std::string& folder);

}  // namespace heed::tokenizers
