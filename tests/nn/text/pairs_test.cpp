// The length filter and the split, and that the longest of lines passes through all of it.
#include "nn/text/pairs.h"

#include <set>

#include "tests/nn/text/support.h"

using namespace heed;
using namespace heed::text;
using heed::bad_input::refuses;
using text_test::Folder;
using text_test::message_of;

namespace {

const PairTokenizers words{};

std::vector<SentencePair> corpus(int sources, int translations) {
  std::vector<SentencePair> pairs;
  for (int s = 0; s < sources; ++s)
    for (int t = 0; t < translations; ++t)
      pairs.push_back({"sentence " + std::to_string(s), "phrase " + std::to_string(s) + " " + std::to_string(t)});
  return pairs;
}

std::string targets(const std::vector<SentencePair>& pairs) {
  std::string result;
  for (const SentencePair& pair : pairs) result += pair.target + "|";
  return result;
}

}  // namespace

TEST_CASE("pairs: each side by its own tokeniser") {
  auto pairs = tokenize({{"I won't.", "Non, c'est"}}, {.source = {}, .target = {.kind = Tokenizer::Kind::space}});
  CHECK(pairs[0].source == std::vector<std::string>{"i", "won't", "."});
  CHECK(pairs[0].target == std::vector<std::string>{"Non,", "c'est"});
}

TEST_CASE("pairs: too long on either side, or without a token, is dropped and counted") {
  auto pairs = tokenize({{"a b c", "x"}, {"a", "w x y z"}, {"a b c d", "x"}, {"\u200B", "x"}, {"b", "y"}}, words);
  CHECK(filter_by_length(pairs, 3) == 3);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[1].source[0] == "b");
  CHECK(filter_by_length(pairs, 3) == 0);
}

TEST_CASE("pairs: a line of a million words is read, tokenised and dropped") {
  Folder folder;
  std::string line;
  for (int i = 0; i < 1000000; ++i) line += "mot ";
  auto pairs = tokenize(read_pairs(folder.file("long.tsv", line + "\tx\na\tb\n")).pairs, words);
  CHECK(pairs[0].source.size() == 1000000);
  CHECK(filter_by_length(pairs, 50) == 1);
  CHECK(pairs.size() == 1);
  // One word of a million letters, full stops and apostrophes: linear as well.
  for (const char* unit : {"a", "a.", "a'", "-", "'", "\u0301", "1,"}) {
    std::string word;
    for (int i = 0; i < 1000000; ++i) word += unit;
    CHECK(Tokenizer{}.split(word).size() <= 1000001);
  }
}

TEST_CASE("split: no source sentence stands in two sets, and no pair is lost") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Split<SentencePair> split = split_by_source(corpus(50, 3), {.validation = 7, .test = 5, .seed = seed});
    CHECK(split.train.size() == 38 * 3);
    CHECK(split.validation.size() == 7 * 3);
    CHECK(split.test.size() == 5 * 3);
    std::set<std::string> seen;
    for (const auto* set : {&split.train, &split.validation, &split.test}) {
      std::set<std::string> here;
      for (const SentencePair& pair : *set) here.insert(pair.source);
      for (const std::string& source : here) CHECK(seen.insert(source).second);
    }
    CHECK(seen.size() == 50);
  }
}

TEST_CASE("split: the seed decides, and nothing else") {
  auto validation = [](uint64_t seed) {
    return targets(split_by_source(corpus(50, 2), {.validation = 5, .test = 5, .seed = seed}).validation);
  };
  CHECK(validation(1) == validation(1));
  CHECK(validation(1) != validation(2));
  Split<SentencePair> all = split_by_source(corpus(4, 2), {});
  CHECK(targets(all.train) == targets(corpus(4, 2)));  // the order of the corpus stays
  CHECK(all.test.empty());
}

TEST_CASE("split: tokenised pairs are one source when their tokens are") {
  auto pairs = tokenize({{"Run!", "Cours !"}, {"run !", "Courez !"}, {"ru n!", "x"}}, words);
  Split<TokenPair> split = split_by_source(pairs, {.validation = 1, .seed = 4});
  CHECK(split.train.size() + split.validation.size() == 3);
  CHECK((split.train.size() == 1 || split.train.size() == 2));
  CHECK(source_key(pairs[0]) == source_key(pairs[1]));
  CHECK(source_key(pairs[0]) != source_key(pairs[2]));
}

TEST_CASE("split: sizes that leave nothing to train on") {
  CHECK(message_of<InputError>([] { split_by_source(corpus(10, 3), {.validation = INT64_MAX, .test = INT64_MAX}); }) ==
        "split: a source sentence must be left to train on; got 10 distinct ones for validation 9223372036854775807 "
        "and test 9223372036854775807");
  refuses<InputError>("split: source got 0 0 0", [] { split_by_source(corpus(0, 0), {}); });
  CHECK(split_by_source(corpus(10, 3), {.validation = 5, .test = 4}).train.size() == 3);
}
