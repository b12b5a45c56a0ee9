// Hints and checks of exercise 13.1.
#include "tutorials/13_search_and_score/exercises/1_bleu.h"

#include <algorithm>
#include <cmath>

#include "nn/text/bleu.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Words;

void examine(app::Exercise& e) {
  Words reference{"the", "cat", "sat", "on", "the", "mat", "and", "slept"};
  e.check("p_1 of \"the the the the\"", mine::precision({"the", "the", "the", "the"}, reference, 1), 0.5, 1e-12);
  e.check("p_2 of \"on the mat the cat\"", mine::precision({"on", "the", "mat", "the", "cat"}, reference, 2), 0.75,
          1e-12);
  auto line = [](const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  };
  for (const Words& hypothesis : {reference, Words{"the", "cat", "sat", "on", "the", "mat"},
                                  Words{"a", "cat", "sat", "on", "the", "mat", "and", "ate"},
                                  Words{"the", "cat", "the", "cat", "sat", "on", "the", "mat", "and", "slept", "well"}})
    e.check("BLEU of \"" + line(hypothesis) + "\"", mine::bleu_of(hypothesis, reference),
            text::bleu({line(hypothesis)}, {line(reference)}, {.tokens = text::BleuTokens::none}).bleu, 1e-9);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("13", 1, "BLEU of one sentence");
  e.hint(
      "precision: in a map of the reference's n-grams, wanted[run] is 0 where the reference lacks the n-gram, so "
      "std::min(count, wanted[run]) is all it takes.");
  e.hint(
      "The brevity penalty is exp(1 - r / c) if the hypothesis is shorter than the reference (c < r), and 1 "
      "otherwise.");
  e.hint("The geometric mean of four numbers is std::pow(product, 0.25).");
  e.insight(
      "Clipping keeps a repeated word from scoring again and again, and the brevity penalty keeps a hypothesis from\n"
      "saying only what is certain. The geometric mean is 0 as soon as no 4-gram is found.",
      "./heed exercise 13 2");
  return e.run(argc, argv, examine);
}
