// Exercise 13.1: BLEU of one sentence.
//
//   p_n  = sum over runs of n words of min(count in hypothesis, count in reference) / number of runs     n = 1 .. 4
//   BLEU = 100 min(1, exp(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)          c, r: words of hypothesis and reference
//
// precision(hypothesis, reference, n) is p_n. Where a p_n is 0, BLEU is 0 here. Sentences have at least four words.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "nn/text/bleu.h"
#include "tutorials/common/exercise.h"

using namespace heed;

using Words = std::vector<std::string>;

double precision(const Words& hypothesis, const Words& reference, size_t n) {
  auto runs = [n](const Words& words) {  // each run of n words, and how often it comes
    std::map<Words, int64_t> counts;
    for (auto end = words.begin() + static_cast<int64_t>(n); end <= words.end(); ++end)
      ++counts[Words(end - static_cast<int64_t>(n), end)];
    return counts;
  };
  double found = 0, all = 0;
  // --- the gap: this counts a run as often as it is said, however often the reference has it ---
  for (const auto& [run, count] : runs(hypothesis)) {
    found += runs(reference).count(run) ? static_cast<double>(count) : 0;
    all += static_cast<double>(count);
  }
  // --- end of the gap ---
  return found / all;
}

double bleu_of([[maybe_unused]] const Words& hypothesis, [[maybe_unused]] const Words& reference) {
  // --- the gap ---
  return 0;
  // --- end of the gap ---
}

int main(int argc, char** argv) {
  app::Exercise e("13", 1, "BLEU of one sentence");
  e.hint("precision: runs(reference)[run] is 0 where the reference lacks the run, so std::min does all.");
  e.hint("The brevity penalty is 1 where the hypothesis is not shorter than the reference.");
  e.hint("(p_1 p_2 p_3 p_4)^(1/4): std::pow(product, 0.25).");
  return e.run(argc, argv, [&] {
    Words reference{"the", "cat", "sat", "on", "the", "mat", "and", "slept"};
    e.check("p_1 of \"the the the the\"", precision({"the", "the", "the", "the"}, reference, 1), 0.5, 1e-12);
    e.check("p_2 of \"on the mat the cat\"", precision({"on", "the", "mat", "the", "cat"}, reference, 2), 0.75, 1e-12);
    auto line = [](const Words& words) {
      std::string text;
      for (const std::string& word : words) text += word + " ";
      return text;
    };
    for (const Words& hypothesis :
         {reference, Words{"the", "cat", "sat", "on", "the", "mat"},
          Words{"a", "cat", "sat", "on", "the", "mat", "and", "ate"},
          Words{"the", "cat", "the", "cat", "sat", "on", "the", "mat", "and", "slept", "well"}})
      e.check("BLEU of \"" + line(hypothesis) + "\"", bleu_of(hypothesis, reference),
              text::bleu({line(hypothesis)}, {line(reference)}, {.tokens = text::BleuTokens::none}).bleu, 1e-9);
  });
}
