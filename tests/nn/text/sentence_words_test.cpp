// Numbers for the words of one sentence that the vocabulary lacks, and back.
#include "nn/text/sentence_words.h"

#include <doctest/doctest.h>

using namespace heed::text;
using Ids = std::vector<int64_t>;

TEST_CASE("sentence words: unknown words are V, V + 1, .. in the order of the source, equal ones are one") {
  Vocabulary v({{"went", "went", "to"}});  // 4, 5; V = 6
  SentenceWords s(v, {"Mira", "went", "to", "Oslo", "from", "Mira"});
  CHECK(s.source() == Ids{6, 4, 5, 7, 8, 6, 3});
  CHECK(s.unknown() == std::vector<std::string>{"Mira", "Oslo", "from"});
  CHECK(s.encode({"to", "Oslo", "Paris"}) == Ids{5, 7, 1});
  CHECK(s.token(4) == "went");
  CHECK(s.token(7) == "Oslo");
  CHECK(s.token(9) == "<unk>");
  CHECK(SentenceWords(v, {"<pad>"}).source() == Ids{6, 3});  // a text cannot name a special
}
