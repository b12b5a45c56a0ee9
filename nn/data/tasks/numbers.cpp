#include "nn/data/tasks/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "nn/data/tasks/draw.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using namespace drawing;

constexpr std::array<const char*, 20> kSmall = {
    "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
    "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<const char*, 10> kTens = {"",      "",      "twenty",  "thirty", "forty",
                                               "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr int kNone = -1;

// A word gives the digits of the decimal places [low, high] (0: ones). "hundred" and "thousand" give no digit, but
// after them only places below `low` are left. "and" (low is kNone) gives nothing.
struct Word {
  std::string text;
  int low = kNone, high = kNone;
};

// Writes the three digits from place `base` up, a number from 1 to 999, as words.
void say_group(std::vector<Word>& words, int64_t group, int base) {
  int64_t hundreds = group / 100, rest = group % 100;
  if (hundreds > 0) {
    words.push_back({kSmall[static_cast<size_t>(hundreds)], base + 2, base + 2});
    words.push_back({"hundred", base + 2});
  }
  if (rest > 0 && !words.empty() && (hundreds > 0 || base == 0)) words.push_back({"and"});
  if (rest >= 20) words.push_back({kTens[static_cast<size_t>(rest / 10)], base + 1, base + 1});
  int64_t last = rest >= 20 ? rest % 10 : rest;
  if (last > 0) words.push_back({kSmall[static_cast<size_t>(last)], base, last >= 10 ? base + 1 : base});
}

std::vector<Word> say(int64_t number) {
  if (number < 0 || number > 999999)
    throw ValueError(fmt::format("number_words: the number must lie in [0, 999999]; got {}", number));
  if (number == 0) return {{kSmall[0], 0, 0}};
  std::vector<Word> words;
  if (number >= 1000) {
    say_group(words, number / 1000, 3);
    words.push_back({"thousand", 3});
  }
  if (number % 1000 > 0) say_group(words, number % 1000, 0);
  return words;
}

// The words that the digit of `place` is linked to.
std::vector<Link> links_of(const std::vector<Word>& words, int place, size_t target) {
  for (size_t s = 0; s < words.size(); ++s)
    if (words[s].high != kNone && words[s].low <= place && place <= words[s].high) return {sure(s, target)};
  size_t before = 0;  // the last word before that place is reached
  for (size_t s = 0; s < words.size(); ++s)
    if (words[s].low > place) before = s;
  if (before + 1 == words.size()) return {possible(before, target)};
  return {possible(before, target), possible(before + 1, target)};
}

}  // namespace

std::vector<std::string> number_words(int64_t number) {
  std::vector<std::string> texts;
  for (const Word& word : say(number)) texts.push_back(word.text);
  return texts;
}

AlignedPair number_pair(int64_t number) {
  std::vector<Word> words = say(number);
  std::vector<std::string> digits;
  std::vector<Link> links;
  for (char digit : std::to_string(number)) digits.emplace_back(1, digit);
  for (size_t t = 0; t < digits.size(); ++t)
    for (const Link& link : links_of(words, static_cast<int>(digits.size() - 1 - t), t)) links.push_back(link);
  AlignedPair pair = aligned("number", number_words(number), std::move(digits), std::move(links));
  for (size_t s = 0; s < words.size(); ++s) pair.source_content[s] = words[s].text != "and";
  return pair;
}

Task number_task(const NumberOptions& o) {
  Plan plan{"number", o.digits, given(o.held_out_digits, o.digits), o.parts};
  check_parts(plan.task, o.parts);
  check_range(plan.task, "digits", plan.sizes, 1);
  check_range(plan.task, "held-out digits", plan.held_out, 1);
  int64_t most = std::max(plan.sizes.most, plan.held_out.most);
  if (most > 6) throw ValueError(fmt::format("number: there must be at most 6 digits; got {}", most));
  std::vector<std::string> words(kSmall.begin(), kSmall.end());
  words.insert(words.end(), kTens.begin() + 2, kTens.end());
  words.insert(words.end(), {"hundred", "thousand", "and"});
  return sequence_task(plan, Symbols(words), Symbols(numerals(0, 10)), [](Generator& rng, int64_t digits) {
    int64_t least = digits == 1 ? 0 : 1, most_of = 1;
    for (int64_t d = 1; d < digits; ++d) least *= 10;
    for (int64_t d = 0; d < digits; ++d) most_of *= 10;
    return number_pair(least + rng.below(most_of - least));
  });
}

}  // namespace heed::data
