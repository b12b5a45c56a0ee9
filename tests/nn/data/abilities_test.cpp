// The tasks of abilities.h: right answers by rules of the test's own, sizes, chance.
#include "nn/data/tasks/abilities.h"

#include <map>
#include <set>

#include "tests/nn/support.h"

using namespace heed;
using namespace heed::data;

namespace {

// What is asked in a sequence, and the words before each answer.
struct Question {
  std::vector<int64_t> before;
  int64_t answer;
};
std::vector<Question> asked(const AbilitySequence& s) {
  REQUIRE(s.words.size() == s.answers.size());
  std::vector<Question> out;
  for (size_t t = 0; t < s.words.size(); ++t)
    if (s.answers[t] != 0)
      out.push_back({{s.words.begin(), s.words.begin() + static_cast<std::ptrdiff_t>(t) + 1}, s.answers[t]});
  return out;
}
// The word after the first occurrence of a word.
int64_t after(const std::vector<int64_t>& words, int64_t word) {
  return *(std::find(words.begin(), words.end(), word) + 1);
}

}  // namespace

TEST_CASE("abilities: words and answers are in the vocabulary, training has its sizes, seeds decide") {
  for (const std::string& name : ability_names()) {
    CAPTURE(name);
    const AbilityTask task = ability(name);
    Generator one(3), same(3), other(4);
    for (int64_t size : {task.trained.least, task.trained.most, task.tested.back()}) {
      AbilityBatch b = ability_batch(task, size, 5, one), again = ability_batch(task, size, 5, same);
      CHECK(b.words.shape() == b.answers.shape());
      CHECK(bit_equal(b.words, again.words));
      CHECK(bit_equal(b.answers, again.answers));
      int64_t questions = 0;
      for (int64_t r = 0; r < 5; ++r)
        for (int64_t t = 0; t < b.words.size(1); ++t) {
          CHECK((b.words.at({r, t}) >= 0 && b.words.at({r, t}) < static_cast<double>(task.vocabulary)));
          CHECK((b.answers.at({r, t}) >= 0 && b.answers.at({r, t}) < static_cast<double>(task.vocabulary)));
          questions += b.answers.at({r, t}) != 0;
        }
      CHECK(questions >= 5);
    }
    AbilityBatch b = ability_batch(task, task.trained.most, 5, one),
                 different = ability_batch(task, task.trained.most, 5, other);
    CHECK((b.words.shape() != different.words.shape() || !bit_equal(b.words, different.words)));
    CHECK((task.chance > 0 && task.chance < 60));
  }
}

TEST_CASE(
    "abilities: recall asks for the word after a key, induction for that after the mark, the needle for all its "
    "parts") {
  Generator rng(5);
  for (int64_t pairs : {1, 5, 16}) {
    const AbilitySequence s = ability("recall").draw(pairs, rng);
    CHECK(std::ssize(s.words) == 4 * pairs);
    std::set<int64_t> keys;
    for (const Question& q : asked(s)) {
      CHECK(q.answer == after(s.words, q.before.back()));
      CHECK(keys.insert(q.before.back()).second);
    }
    CHECK(std::ssize(keys) == pairs);
  }
  std::set<size_t> places;
  for (int i = 0; i < 200; ++i) {
    const AbilitySequence s = ability("needle", {.haystack = 64}).draw(64, rng);
    CHECK(s.words.size() == 64 + 4);
    const std::vector<Question> parts = asked(s);
    REQUIRE(parts.size() == 4);
    CHECK(parts[0].before.back() == 33);  // the mark
    for (const Question& q : parts) CHECK(q.answer == after(s.words, q.before.back()));
    CHECK(std::count_if(s.words.begin(), s.words.end(), [](int64_t w) { return w <= 16; }) ==
          7);  // 4, and 3 read again
    places.insert(static_cast<size_t>(std::find(s.words.begin(), s.words.end(), 33) - s.words.begin()));
    const AbilitySequence mark = ability("induction").draw(9, rng);
    REQUIRE(asked(mark).size() == 1);
    CHECK(asked(mark)[0].answer == after(mark.words, 17));
    CHECK(mark.words.back() == 17);
    CHECK(std::count(mark.words.begin(), mark.words.end(), 17) == 2);
  }
  CHECK(places.size() > 40);  // anywhere in the text
}

TEST_CASE("abilities: parity is the sum so far, permutations compose in the order in which they are read") {
  Generator rng(6);
  const AbilitySequence bits = ability("parity").draw(40, rng);
  int64_t sum = 0;
  for (size_t t = 0; t < 40; ++t) CHECK(bits.answers[t] == 1 + (sum += bits.words[t] - 1) % 2);
  // S_3 by its six elements as texts, and by what they do to "abc".
  const std::vector<std::string> all{"abc", "acb", "bac", "bca", "cab", "cba"};
  const AbilitySequence s = ability("permutations").draw(60, rng);
  std::string state = "abc";
  std::set<int64_t> seen;
  for (size_t t = 0; t < 60; ++t) {
    for (char& c : state) c = all[static_cast<size_t>(s.words[t] - 1)][static_cast<size_t>(c - 'a')];
    CHECK(all[static_cast<size_t>(s.answers[t] - 1)] == state);
    seen.insert(s.answers[t]);
  }
  CHECK(seen.size() == 6);
  CHECK(ability("permutations", {.group = 5}).vocabulary == 121);
}

TEST_CASE("abilities: selective, reverse, copy and the grammar write their answers after the text") {
  Generator rng(7);
  for (const char* name : {"selective", "reverse", "copy"}) {
    CAPTURE(name);
    const AbilitySequence s = ability(name).draw(12, rng);
    std::vector<int64_t> wanted, answers;
    for (size_t t = 0; t < 12; ++t)
      if (s.words[t] <= 16) wanted.push_back(s.words[t]);
    if (std::string(name) == "reverse") std::reverse(wanted.begin(), wanted.end());
    for (const Question& q : asked(s)) {
      if (std::string(name) != "selective" && !answers.empty()) CHECK(q.before.back() == answers.back());
      answers.push_back(q.answer);
    }
    CHECK(answers == wanted);
  }
  const AbilityTask grammar = ability("grammar");
  for (int64_t part : {1, 2, 3}) {
    const AbilitySequence s = grammar.draw(part, rng);
    CHECK(s.answers.back() == grammar.vocabulary - 1);  // the end
    CHECK(std::count(s.words.begin(), s.words.end(), grammar.vocabulary - 2) == 1);
  }
  CHECK((grammar.chance > 5 && grammar.chance < 30));
}

TEST_CASE(
    "abilities: the sizes of training reach both ends, and those of the needle are short ones as often as long ones") {
  Generator rng(9);
  for (const std::string& name : ability_names()) {
    CAPTURE(name);
    const AbilityTask task = ability(name);
    int64_t least = task.trained.most, most = task.trained.least, low = 0;
    for (int i = 0; i < 2000; ++i) {
      const int64_t size = size_for_training(task, rng);
      least = std::min(least, size), most = std::max(most, size), low += size <= 64;
    }
    CHECK(least == task.trained.least);
    CHECK(most == task.trained.most);
    if (name == "needle") CHECK((low > 1100 && low < 1300));  // 8 to 64 of 8 to 256: three octaves of five
  }
}

TEST_CASE("abilities: chance is what guessing reaches") {
  Generator rng(8);
  for (const char* name : {"recall", "needle"}) {  // a value of the text; a part of the needle, but none twice
    const AbilityTask task = ability(name, {.haystack = 40});
    const bool one = std::string(name) == "recall";
    double right = 0, all = 0;
    for (int i = 0; i < 2000; ++i) {
      const AbilitySequence s = task.draw(task.trained.most, rng);
      const std::vector<Question> questions = asked(s);
      std::vector<int64_t> values;
      for (size_t t = 0; s.answers[t] == 0; ++t)
        if (one ? s.words[t] > 16 && s.words[t] <= 32 : s.words[t] <= 16) values.push_back(s.words[t]);
      for (size_t q = 0; q < (one ? 1 : questions.size()); ++q) {
        right += values[static_cast<size_t>(rng.below(std::ssize(values)))] == questions[q].answer, ++all;
        if (!one) values.erase(std::find(values.begin(), values.end(), questions[q].answer));
      }
    }
    CAPTURE(name);
    CHECK(100 * right / all > task.chance - 3);
    CHECK(100 * right / all < task.chance + (one ? 9 : 3));  // values of recall may be equal
  }
}
