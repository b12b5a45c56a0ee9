// A toy English-French corpus: sentences drawn from a grammar of some 400 words, with gold alignments.
//
// Tokens are lower-cased words, as nn/text makes them: "l'" and "n'" stand alone, "didn't" is one token, and no
// sentence carries a final full stop. Each sentence has exactly one translation, both ways, so exact match is a fair
// measure. Which part a sentence belongs to is decided by the sentence and not by the seed: a sentence of the test set
// is never trained on, whatever the seed, size and direction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/data/alignment.h"

namespace heed::data {

enum class Direction { en_fr, fr_en };

enum class ToySplit {
  train,
  validation,
  test,          // unseen sentences
  combinations,  // with an adjective and noun, or a verb and object, that never meet in training: "green hat"
};

struct ToyCorpus {
  std::vector<AlignedPair> train, validation, test, test_combinations;  // distinct sentences throughout
};

struct ToyCorpusOptions {
  Direction direction = Direction::en_fr;
  int train = 20000;
  int validation = 500;
  int test = 1000;
  int combinations = 500;
  uint64_t seed = 1;
};

// Deterministic in its options. Every word of the other parts occurs in training (if there is any). The training set
// begins with the short showcase sentences (then shuffled). Throws ValueError on a negative size, or one that the
// grammar cannot fill.
ToyCorpus toy_corpus(const ToyCorpusOptions& options = {});

// One sentence from the grammar as it stands, of any split: the distribution of the families and of each one's choices.
AlignedPair toy_sentence(Direction direction, uint64_t seed, uint64_t index);

std::vector<std::string> toy_families();  // the names of the constructions

// The sentences that everybody shows.
struct ToyShowcase {
  AlignedPair pair;
  ToySplit split;  // the first three are in every training set; the agreement and the two about the street never are
};
std::vector<ToyShowcase> showcase_sentences(Direction direction = Direction::en_fr);

// "the animal didn't cross the street because it was too tired": il or elle? The whole family, exactly balanced (in
// each split too): given the adjective alone, or both nouns alone, the pronoun is masculine in half of the sentences.
struct PronounExample {
  AlignedPair pair;
  std::string animal, way, adjective;  // in English
  bool points_to_animal;
  bool feminine;                       // French "elle"
  int pronoun_source, pronoun_target;  // positions of it, il or elle
  int animal_source, way_source;       // positions of the two nouns in the source
  int adjective_source;
  ToySplit split;
};
std::vector<PronounExample> pronoun_family(Direction direction = Direction::en_fr);

}  // namespace heed::data
