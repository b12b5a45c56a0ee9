// Hints, common mistakes and checks of exercise 13.1.
#include "tutorials/13_search_and_score/exercises/1_bleu.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "nn/text/bleu.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::runs;
using mine::Words;
using Precision = std::function<double(const Words&, const Words&, size_t)>;

struct Answer {
  Precision precision;
  std::function<double(const Words&, const Words&)> bleu;
};

double size(const Words& words) { return static_cast<double>(words.size()); }

// p_n, where `counted` says how much an n-gram adds that the hypothesis has h times and the reference r times.
Precision counting(std::function<int64_t(int64_t, int64_t)> counted) {
  return [counted](const Words& hypothesis, const Words& reference, size_t n) {
    double found = 0, all = 0;
    std::map<Words, int64_t> wanted = runs(reference, n);
    for (const auto& [run, count] : runs(hypothesis, n)) {
      found += static_cast<double>(counted(count, wanted[run]));
      all += static_cast<double>(count);
    }
    return found / all;
  };
}
const Precision clipped = counting([](int64_t h, int64_t r) { return std::min(h, r); });
const Precision not_clipped = counting([](int64_t h, int64_t r) { return r > 0 ? h : 0; });
const Precision once = counting([](int64_t h, int64_t r) { return h > 0 && r > 0 ? 1 : 0; });
double recall(const Words& hypothesis, const Words& reference, size_t n) { return clipped(reference, hypothesis, n); }

double product(const Precision& p, const Words& h, const Words& r) {
  return p(h, r, 1) * p(h, r, 2) * p(h, r, 3) * p(h, r, 4);
}
double brevity(double c, double r) { return c < r ? std::exp(1 - r / c) : 1; }
double bleu_with(const Precision& p, const Words& h, const Words& r) {
  return 100 * brevity(size(h), size(r)) * std::pow(product(p, h, r), 0.25);
}
Answer with(const Precision& p) {
  return {p, [p](const Words& h, const Words& r) { return bleu_with(p, h, r); }};
}
Answer with_penalty(double (*penalty)(double c, double r)) {
  return {clipped, [penalty](const Words& h, const Words& r) {
            return 100 * penalty(size(h), size(r)) * std::pow(product(clipped, h, r), 0.25);
          }};
}
double zero(const Words&, const Words&) { return 0; }

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: begin with the precision. An n-gram counts at most as often as the reference has it",
     {not_clipped, zero}},
    {"The precision is right. The second half is still open: BLEU is always 0", {clipped, zero}},
    {"Your counts are not clipped: an n-gram counts at most as often as the reference has it, min(count, count in "
     "reference)",
     with(not_clipped)},
    {"You count each n-gram once: one that both sentences have twice counts twice", with(once)},
    {"You divide by the n-grams of the reference: that is recall. Precision divides by those of the hypothesis",
     with(recall)},
    {"A short hypothesis is not penalised: the brevity penalty exp(1 - r / c) is missing",
     with_penalty([](double, double) { return 1.0; })},
    {"Your brevity penalty rewards a short hypothesis: c and r are exchanged in exp(1 - r / c)",
     with_penalty([](double c, double r) { return c < r ? std::exp(1 - c / r) : 1; })},
    {"A long hypothesis is rewarded: the brevity penalty is at most 1",
     with_penalty([](double c, double r) { return std::exp(1 - r / c); })},
    {"Your brevity penalty applies to hypotheses that are longer than the reference: it is 1 for those, and exp(1 - r "
     "/ c) "
     "for the shorter ones",
     with_penalty([](double c, double r) { return c > r ? std::exp(1 - r / c) : 1; })},
    {"You took the arithmetic mean of p_1 .. p_4: BLEU takes the geometric mean, the fourth root of the product",
     {clipped,
      [](const Words& h, const Words& r) {
        double sum = 0;
        for (size_t n = 1; n <= 4; ++n) sum += clipped(h, r, n);
        return 100 * brevity(size(h), size(r)) * sum / 4;
      }}},
    {"The fourth root is missing: BLEU takes the geometric mean of p_1 .. p_4, not their product",
     {clipped,
      [](const Words& h, const Words& r) { return 100 * brevity(size(h), size(r)) * product(clipped, h, r); }}},
    {"The fourth root is 1: 1 / 4 is an integer division. Write 0.25",
     {clipped, [](const Words& h, const Words& r) { return 100 * brevity(size(h), size(r)); }}},
    {"BLEU is between 0 and 100: multiply by 100",
     {clipped, [](const Words& h, const Words& r) { return bleu_with(clipped, h, r) / 100; }}},
};

void examine(app::Exercise& e, const Answer& a) {
  Words reference{"the", "cat", "sat", "on", "the", "mat", "and", "slept"};
  e.check("p_1 of \"the the the the\"", a.precision({"the", "the", "the", "the"}, reference, 1), 0.5, 1e-12);
  e.check("p_2 of \"on the mat the cat\"", a.precision({"on", "the", "mat", "the", "cat"}, reference, 2), 0.75, 1e-12);
  auto line = [](const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  };
  for (const Words& hypothesis : {reference, Words{"the", "cat", "sat", "on", "the", "mat"},
                                  Words{"a", "cat", "sat", "on", "the", "mat", "and", "ate"},
                                  Words{"the", "cat", "the", "cat", "sat", "on", "the", "mat", "and", "slept", "well"}})
    e.check("BLEU of \"" + line(hypothesis) + "\"", a.bleu(hypothesis, reference),
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
  return e.run(argc, argv, Answer{mine::precision, mine::bleu_of}, examine, mistakes);
}
