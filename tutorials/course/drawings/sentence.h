// The sentence of the drawings: "the agreement .. was signed", from the toy grammar, in both languages.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::course {

struct Excerpt {
  std::vector<std::string> source, target;  // the words in the order of the sentences, "…" for those left out
  std::vector<std::pair<int, int>> links;   // source word, target word: which is translated by which
};
Excerpt agreement();

// The words of one of the grammar's showcase sentences, in English: the first that contains `word`.
std::vector<std::string> showcase_words(const std::string& word);

}  // namespace heed::course
