// Hints and checks of exercise 30.3.
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

// chrF of any beta: the means over n of precision and recall, from n-grams that are counted here.
double expected(const Lines& hypotheses, const Lines& references, double beta) {
  auto ngrams = [](std::string line, std::size_t n) {
    std::erase(line, ' ');
    Counts counts;
    for (std::size_t i = 0; i + n <= line.size(); ++i) counts[line.substr(i, n)] += 1;
    return counts;
  };
  double P = 0, R = 0;
  for (std::size_t n = 1; n <= 6; ++n) {
    double matched = 0, in_hypotheses = 0, in_references = 0;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      Counts wanted = ngrams(references[i], n);
      for (const auto& [ngram, count] : wanted) in_references += count;
      for (const auto& [ngram, count] : ngrams(hypotheses[i], n))
        in_hypotheses += count, matched += std::min(count, wanted[ngram]);
    }
    P += matched / in_hypotheses / 6, R += matched / in_references / 6;
  }
  return 100 * (1 + beta * beta) * P * R / (beta * beta * P + R);
}

std::string text(const Counts& counts) {
  std::string all;
  for (const auto& [ngram, count] : counts) all += fmt::format("{}{}:{}", all.empty() ? "" : " ", ngram, count);
  return all;
}

void examine(app::Exercise& e) {
  e.check("the 2-grams of \"la lala\"", text(mine::ngrams("la lala", 2)), "al:2 la:3");
  e.check("the 5-grams of \"la lala\"", text(mine::ngrams("la lala", 5)), "alala:1 lalal:1");
  const Lines references{"the cat sat on the mat", "two young girls are playing in the snow", "a man rides a horse",
                         "several people wait for the train"},
      close{"the cats sat on a mat", "two girls play in snow", "a man is riding a brown horse",
            "people people people wait for the train"},
      other{"qqqqqq", "qqqqqqqq", "qqqqqq", "qqqqqqq"};
  e.check("chrF2 of four translations", mine::chrf(close, references, 2), text::chrf(close, references), 1e-9);
  for (std::size_t i = 0; i < references.size(); ++i)
    e.check(fmt::format("chrF2 of \"{}\"", close[i]), mine::chrf({close[i]}, {references[i]}, 2),
            text::chrf({close[i]}, {references[i]}), 1e-9);
  e.check("chrF3 of four translations", mine::chrf(close, references, 3), expected(close, references, 3), 1e-9);
  e.check("chrF2 of the references themselves", mine::chrf(references, references, 2), 100, 1e-9);
  e.check("chrF2 of translations that have no letter in common with the references", mine::chrf(other, references, 2),
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
  return e.run(argc, argv, examine);
}
