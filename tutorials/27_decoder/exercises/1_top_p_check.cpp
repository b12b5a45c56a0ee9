// Hints, common mistakes and checks of exercise 27.1.
#include "tutorials/27_decoder/exercises/1_top_p.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "nn/decode/sampling.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Numbers = std::vector<double>;
using Answer = std::function<Numbers(const Numbers&, double)>;

std::vector<size_t> sorted(const Numbers& p, bool descending = true) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return descending ? p[a] > p[b] : p[a] < p[b]; });
  return order;
}
Numbers divided(Numbers x) {
  double sum = std::accumulate(x.begin(), x.end(), 0.0);
  for (double& q : x) q /= sum;
  return x;
}
// Keeps word w if keep(sum of the kept words so far, p_w, top_p); not yet divided by the sum.
Numbers kept(const Numbers& p, double top_p, const std::vector<size_t>& order, bool (*keep)(double, double, double)) {
  Numbers out(p.size());
  double sum = 0;
  for (size_t w : order)
    if (keep(sum, p[w], top_p)) sum += out[w] = p[w];
  return out;
}
bool until_reached(double sum, double, double top_p) { return sum < top_p; }
bool not_above(double sum, double p, double top_p) { return sum + p <= top_p; }

const std::vector<app::Mistake<Answer>> mistakes{
    {"The word that reaches top_p is left out, and later, rarer ones may be kept in its place: keep a word while the "
     "sum "
     "before it is below top_p",
     [](const Numbers& p, double top_p) { return divided(kept(p, top_p, sorted(p), not_above)); }},
    {"The word that reaches top_p is left out, except when it is the first: it is kept, too",
     [](const Numbers& p, double top_p) {
       std::vector<size_t> order = sorted(p);
       Numbers out(p.size());
       double sum = out[order[0]] = p[order[0]];
       for (size_t i = 1; i < order.size() && sum + p[order[i]] <= top_p; ++i) sum += out[order[i]] = p[order[i]];
       return divided(out);
     }},
    {"You keep one word too many: stop when the sum has reached top_p",
     [](const Numbers& p, double top_p) {
       Numbers out(p.size());
       double sum = 0, before = 0;
       for (size_t w : sorted(p)) {
         if (before < top_p) out[w] = p[w];
         before = sum, sum += p[w];
       }
       return divided(out);
     }},
    {"Your words are taken in ascending order: the likeliest comes first",
     [](const Numbers& p, double top_p) { return divided(kept(p, top_p, sorted(p, false), until_reached)); }},
    {"Your words are taken in the order in which they are given: go through `order`, the likeliest first",
     [](const Numbers& p, double top_p) {
       std::vector<size_t> order(p.size());
       std::iota(order.begin(), order.end(), size_t{0});
       return divided(kept(p, top_p, order, until_reached));
     }},
    {"You keep every word whose own probability is at least top_p: what counts is the sum of the likeliest words",
     [](const Numbers& p, double top_p) {
       return divided(kept(p, top_p, sorted(p), [](double, double own, double top) { return own >= top; }));
     }},
    {"You keep all words: leave out those after the sum has reached top_p",
     [](const Numbers& p, double) { return divided(p); }},
    {"The kept probabilities do not sum to 1: add those that you keep to `sum`, which divides them",
     [](const Numbers& p, double top_p) { return kept(p, top_p, sorted(p), until_reached); }},
    {"You keep the likeliest word only: that is greedy decoding",
     [](const Numbers& p, double) {
       Numbers out(p.size());
       out[sorted(p)[0]] = 1;
       return out;
     }},
};

// Answers every step with the same probabilities, of the words 4, 5, ..
class Fixed final : public nn::SearchModel {
 public:
  explicit Fixed(const Numbers& p) {
    log_p_ = Tensor::full({1, 4 + std::ssize(p)}, -INFINITY, DType::f64);
    for (size_t i = 0; i < p.size(); ++i) log_p_.set({0, 4 + static_cast<int64_t>(i)}, std::log(p[i]));
  }
  int64_t rows() const override { return 1; }
  Tensor next(const Tensor&) override { return log_p_; }
  void keep(const Tensor&) override {}

 private:
  Tensor log_p_;
};

Numbers shares_of_the_library(const Numbers& p, double top_p) {
  Fixed model(p);
  Generator rng(1);
  Numbers drawn(p.size());
  for (int i = 0; i < 4000; ++i)
    drawn[static_cast<size_t>(nn::sample(model, {.max_lengths = {1}, .top_p = top_p}, rng)[0].tokens.at(0) - 4)] +=
        1.0 / 4000;
  return drawn;
}

void examine(app::Exercise& e, const Answer& nucleus) {
  e.check("0.5, 0.3, 0.2 with top_p = 0.6: the probability of word ", nucleus({0.5, 0.3, 0.2}, 0.6), {0.625, 0.375, 0},
          1e-12);
  e.check("0.1, 0.9 with top_p = 0.5: the probability of word ", nucleus({0.1, 0.9}, 0.5), {0, 1}, 1e-12);
  e.check("0.4, 0.35, 0.15, 0.1 with top_p = 0.5: the probability of word ", nucleus({0.4, 0.35, 0.15, 0.1}, 0.5),
          {0.4 / 0.75, 0.35 / 0.75, 0, 0}, 1e-12);
  const Numbers p{0.15, 0.5, 0.05, 0.3};
  static const Numbers drawn = shares_of_the_library(p, 0.9);
  e.check("0.15, 0.5, 0.05, 0.3 with top_p = 0.9, against 4000 words drawn by nn::sample: the probability of word ",
          nucleus(p, 0.9), drawn, 0.04);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 1, "Top-p");
  e.hint("The word that reaches top_p is kept; otherwise none would be if the first alone has more.");
  e.hint("Once the sum has reached top_p nothing more is kept, however small.");
  e.hint("Keep a word if the sum of those before it is below top_p.");
  e.insight(
      "The number of kept words follows the model's certainty: one where it is sure, hundreds where it is not. Top-k\n"
      "keeps the same number in both cases.",
      "./heed exercise 27 2");
  return e.run(argc, argv, Answer(mine::nucleus), examine, mistakes);
}
