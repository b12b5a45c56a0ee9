// Hints, common mistakes and checks of exercise 30.3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/text/chrf.h"
#include "tutorials/30_real_translation/exercises/3_chrf.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Counts;
using mine::Lines;

struct Answer {
  std::function<Counts(const std::string&, std::size_t)> ngrams;
  std::function<double(const Lines&, const Lines&, double)> chrf;
};

// The right answer with one part exchanged.
struct Wrong {
  bool spaces = false, last_missing = false, words = false;                           // of ngrams
  bool unclipped = false, different = false, four = false, per_sentence = false;      // of the counts
  bool beta_once = false, precision_first = false, average = false, percent = false;  // of the last line
  bool geometric = false, pooled = false, no_guard = false, same_beta = false;
};

Counts counted(const std::string& line, std::size_t n, const Wrong& wrong) {
  std::string text;
  for (char c : line)
    if (c != ' ' || wrong.spaces) text += c;
  Counts counts;
  for (std::size_t i = 0; i + n + (wrong.last_missing ? 1 : 0) <= text.size(); i += wrong.words ? n : 1)
    counts[text.substr(i, n)] += 1;
  return counts;
}

struct Sums {
  double matched = 0, hypotheses = 0, references = 0;
  void add(const std::string& hypothesis, const std::string& reference, std::size_t n, const Wrong& wrong) {
    Counts wanted = counted(reference, n, wrong);
    for (const auto& [ngram, count] : wanted) references += wrong.different ? 1 : count;
    for (const auto& [ngram, count] : counted(hypothesis, n, wrong)) {
      hypotheses += wrong.different ? 1 : count;
      if (!wanted.contains(ngram)) continue;
      matched += wrong.different ? 1 : wrong.unclipped ? count : std::min(count, wanted[ngram]);
    }
  }
};

double score(const Lines& hypotheses, const Lines& references, double beta, const Wrong& wrong) {
  if (wrong.per_sentence) {
    Wrong rest = wrong;
    rest.per_sentence = false;
    double sum = 0;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) sum += score({hypotheses[i]}, {references[i]}, beta, rest);
    return sum / static_cast<double>(hypotheses.size());
  }
  double P = wrong.geometric ? 1 : 0, R = P, orders = 0;
  Sums all;
  for (std::size_t n = 1; n <= (wrong.four ? 4 : 6); ++n) {
    Sums sums;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) sums.add(hypotheses[i], references[i], n, wrong);
    all.matched += sums.matched, all.hypotheses += sums.hypotheses, all.references += sums.references;
    const double p = sums.matched / sums.hypotheses, r = sums.matched / sums.references;
    P = wrong.geometric ? P * p : P + p, R = wrong.geometric ? R * r : R + r, orders += 1;
  }
  P = wrong.geometric ? std::pow(P, 1 / orders) : P / orders,
  R = wrong.geometric ? std::pow(R, 1 / orders) : R / orders;
  if (wrong.pooled) P = all.matched / all.hypotheses, R = all.matched / all.references;
  if (P + R == 0 && !wrong.no_guard) return 0;
  if (wrong.average) return 100 * (P + R) / 2;
  if (wrong.precision_first) std::swap(P, R);
  const double b = wrong.same_beta ? 4 : wrong.beta_once ? beta : beta * beta;
  return (wrong.percent ? 1 : 100) * (1 + b) * P * R / (b * P + R);
}

Answer with(Wrong wrong) {
  return {[wrong](const std::string& line, std::size_t n) { return counted(line, n, wrong); },
          [wrong](const Lines& h, const Lines& r, double beta) { return score(h, r, beta, wrong); }};
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"Both gaps are still open: a line is one n-gram, and chrf gives 0",
     {[](const std::string& line, std::size_t) {
        return Counts{{line, 1}};
      },
      [](const Lines&, const Lines&, double) { return 0.0; }}},
    {"The n-grams are right, and the second half is still open",
     {with({}).ngrams, [](const Lines&, const Lines&, double) { return 0.0; }}},
    {"Spaces are counted: remove them before you cut the line into n-grams", with({.spaces = true})},
    {"The last n-gram of each line is missing: the loop runs while i + n <= the number of characters",
     with({.last_missing = true})},
    {"The line is cut into pieces of n characters: an n-gram begins at every character", with({.words = true})},
    {"A repeated n-gram of the hypothesis counts every time: take the minimum with its count in the reference",
     with({.unclipped = true})},
    {"Each different n-gram counts once: add its count", with({.different = true})},
    {"You stop at n = 4, as BLEU does: chrF goes up to 6", with({.four = true})},
    {"The scores of the sentences are averaged: add the counts up over all sentences, then divide once",
     with({.per_sentence = true})},
    {"beta is not squared in the last formula", with({.beta_once = true})},
    {"Precision weighs more than recall: in the denominator beta^2 multiplies P", with({.precision_first = true})},
    {"You take the plain mean of P and R: the F-score is (1 + beta^2) P R / (beta^2 P + R)", with({.average = true})},
    {"The score is a share: multiply by 100", with({.percent = true})},
    {"You take the geometric mean over n, as BLEU does: P and R are plain means", with({.geometric = true})},
    {"All n-grams are counted together, so the short ones dominate: divide for each n, then take the mean over n",
     with({.pooled = true})},
    {"Nothing in common gives 0 / 0: return 0 then", with({.no_guard = true})},
    {"beta is always 2: use the argument", with({.same_beta = true})},
};

std::string text(const Counts& counts) {
  std::string all;
  for (const auto& [ngram, count] : counts) all += fmt::format("{}{}:{}", all.empty() ? "" : " ", ngram, count);
  return all;
}

void examine(app::Exercise& e, const Answer& answer) {
  e.check("the 2-grams of \"la lala\"", text(answer.ngrams("la lala", 2)), "al:2 la:3");
  e.check("the 5-grams of \"la lala\"", text(answer.ngrams("la lala", 5)), "alala:1 lalal:1");
  const Lines references{"the cat sat on the mat", "two young girls are playing in the snow", "a man rides a horse",
                         "several people wait for the train"},
      close{"the cats sat on a mat", "two girls play in snow", "a man is riding a brown horse",
            "people people people wait for the train"},
      other{"qqqqqq", "qqqqqqqq", "qqqqqq", "qqqqqqq"};
  e.check("chrF2 of four translations", answer.chrf(close, references, 2), text::chrf(close, references), 1e-9);
  for (std::size_t i = 0; i < references.size(); ++i)
    e.check(fmt::format("chrF2 of \"{}\"", close[i]), answer.chrf({close[i]}, {references[i]}, 2),
            text::chrf({close[i]}, {references[i]}), 1e-9);
  e.check("chrF3 of four translations", answer.chrf(close, references, 3), score(close, references, 3, {}), 1e-9);
  e.check("chrF2 of the references themselves", answer.chrf(references, references, 2), 100, 1e-9);
  e.check("chrF2 of translations that have no letter in common with the references", answer.chrf(other, references, 2),
          0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("30", 3, "chrF, a score that counts characters");
  e.hint("text.substr(i, n) is the n-gram that begins at i; counts[..] += 1 counts it.");
  e.hint("wanted.find(ngram) finds an n-gram of the reference without adding it to the map.");
  e.hint("h_n and r_n are sums of counts, not the number of different n-grams.");
  e.hint("P and R are means over n of a share for each n. Return 0 if P + R is 0, before you divide by it.");
  e.insight(
      "\"a man is riding a brown horse\" has no run of three words of \"a man rides a horse\": without smoothing its "
      "BLEU\n"
      "is 0, and its chrF2 is 35.5. chrF suits languages with many word endings, and scores of single sentences.",
      "./heed run 31");
  return e.run(argc, argv, Answer{mine::ngrams, mine::chrf}, examine, mistakes);
}
