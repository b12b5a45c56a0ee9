// The training data of `heed translate`: the built-in grammar, a file of pairs, or parallel files, brought to one form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/data/grammar/toy_corpus.h"
#include "nn/options.h"
#include "nn/text/bpe.h"
#include "nn/text/pairs.h"
#include "nn/text/vocabulary.h"

namespace heed::app {

constexpr int64_t kMaxTokens = 1000;  // words or pieces of words of one line: time and memory grow with the square

struct DataOptions {
  std::string pairs, source, target, valid_source, valid_target;  // paths; all empty: the built-in grammar
  std::string direction = "en-fr";                                // for pairs: fr-en exchanges the columns
  std::string tokenize;                                           // "", "space" or "words"
  int64_t max_length = 0, limit = 0;                              // 0: the corpus' own default, no limit
  bool quick = false;
  uint64_t seed = 1;

  void fields(nn::OptionFields& f);  // all but the last two, as heed translate has them
};

// Sentences held out from training, with gold alignments where the corpus has them.
struct HeldOut {
  std::string name;  // "unseen sentences"
  std::vector<text::TokenPair> pairs;
  std::vector<data::AlignedPair> gold;  // empty, or one per pair
};

struct TranslateData {
  std::string description;  // "toy English-French grammar"
  bool built_in = false;
  text::PairTokenizers tokenizers;
  std::vector<text::TokenPair> train, validation;
  std::optional<text::Bpe> bpe = {};  // set by limit_pieces
  std::vector<HeldOut> tests;
  std::vector<data::AlignedPair> showcase;  // the first one is drawn while the model learns
  std::vector<std::string> examples;        // for the prompt
  std::vector<std::string> notes;           // what was left out, for the user to know
  uint64_t fingerprint = 0;                 // of everything above that training sees
};

// InputError where files are missing, malformed, empty, do not match, or leave nothing to train on.
TranslateData load_translate_data(const DataOptions& options);

// Tells the user of a side that has no word left in its vocabulary.
void note_no_words(const text::Vocabulary& source, const text::Vocabulary& target, int64_t min_frequency);

// A byte-pair encoding of the words of both sides.
text::Bpe learn_pieces(const std::vector<text::TokenPair>& pairs, const text::BpeOptions& options);

// Leaves out the training pairs in which a side has more than max_length pieces, and from the other sets those with
// more than the larger of max_length and 200. The notes say how many.
void limit_pieces(TranslateData& data, text::Bpe bpe, int64_t max_length);

}  // namespace heed::app
