// Exercise 13.1 in the translator: BLEU of each translation. The exercise wants sentences of at least four words;
// shorter ones have no 4-gram, so their BLEU is 0 as for the library.
#include "tutorials/13_search_and_score/exercises/1_bleu.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

constexpr size_t kOrders = 4;

double bleu_mine(const Pieces::Words& hypothesis, const Pieces::Words& reference) {
  return hypothesis.size() < kOrders || reference.size() < kOrders ? 0 : mine::bleu_of(hypothesis, reference);
}

void check(Comparison& c) {
  const Pieces::Words reference{"le", "chat", "est", "assis", "sur", "le", "tapis", "rouge"};
  const std::vector<std::pair<std::string, Pieces::Words>> hypotheses{
      {"the reference itself", reference},
      {"a short translation", {"le", "chat", "est", "assis", "sur"}},
      {"a long translation", {"le", "chat", "est", "assis", "sur", "le", "grand", "tapis", "rouge", "et", "dort"}},
      {"a translation that repeats", {"le", "chat", "le", "chat", "est", "assis", "sur", "le", "chat", "le", "chat"}},
      {"a translation without a common run of 4 words", {"le", "chat", "est", "sur", "le", "tapis"}}};
  for (const auto& [name, hypothesis] : hypotheses)
    c.value("BLEU of " + name, {bleu_mine(hypothesis, reference)}, {sentence_bleu(hypothesis, reference)});
}

void use(Pieces& pieces) { pieces.bleu = bleu_mine; }

const Registered part({.name = "bleu", .exercise = "13.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
