// Hints, common mistakes and checks of exercise 18.2.
#include "tutorials/18_copy_and_point/exercises/2_pointing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Row = std::vector<double>;
using Table = std::vector<Row>;
using Ids = std::vector<std::size_t>;

// The right answer with one part exchanged.
struct Parts {
  enum Used { right, nobody, too_early, too_late, first_t, only_last } used = right;
  enum Masked { minus_infinity, zero_score } masked = minus_infinity;
  enum Result { log_p, probability, minus, sum, log2 } result = log_p;
  bool subtract = true, column = false;
};
template <Parts p>
Row with(const Table& e, const Ids& z) {
  Row result;
  for (std::size_t t = 0; t < z.size(); ++t) {
    std::vector<bool> used(z.size(), false);
    const std::size_t known = p.used == Parts::too_late ? (t == 0 ? 0 : t - 1) : t;
    if (p.used != Parts::nobody)
      for (std::size_t before = 0; before < known; ++before) {
        if (p.used == Parts::only_last && before + 1 < t) continue;
        used[p.used == Parts::first_t ? before : z[before]] = true;
      }
    if (p.used == Parts::too_early) used[z[t]] = true;
    auto score = [&](std::size_t s) { return p.column ? e[s][t] : e[t][s]; };
    double most = p.subtract ? -INFINITY : 0, total = 0;
    for (std::size_t s = 0; s < z.size() && p.subtract; ++s)
      if (!used[s]) most = std::max(most, score(s));
    if (std::isinf(most)) most = 0;
    for (std::size_t s = 0; s < z.size(); ++s)
      if (!used[s])
        total += std::exp(score(s) - most);
      else if (p.masked == Parts::zero_score)
        total += std::exp(0 - most);
    const double value = score(z[t]) - most - std::log(total);
    result.push_back(p.result == Parts::probability ? std::exp(value)
                     : p.result == Parts::minus     ? -value
                     : p.result == Parts::log2      ? value / std::log(2)
                                                    : value);
  }
  if (p.result == Parts::sum) std::partial_sum(result.begin(), result.end(), result.begin());
  return result;
}

const std::vector<app::Mistake<decltype(&mine::log_probabilities)>> mistakes{
    {"The gap is still open: these are the scores",
     [](const Table& e, const Ids& z) {
       Row result;
       for (std::size_t t = 0; t < z.size(); ++t) result.push_back(e[t][z[t]]);
       return result;
     }},
    {"Used positions still take part in the sum: mask them before the softmax, not after it",
     with<Parts{.used = Parts::nobody}>},
    {"The position of this step is masked, too: mark it as used after its probability was taken",
     with<Parts{.used = Parts::too_early}>},
    {"The mask is one step late: the position of the last step is used already", with<Parts{.used = Parts::too_late}>},
    {"Only the last position is masked: all earlier ones stay used", with<Parts{.used = Parts::only_last}>},
    {"The positions 0 .. t - 1 are masked: mask z_1 .. z_{t-1}, in whatever order they came",
     with<Parts{.used = Parts::first_t}>},
    {"A masked score is set to 0, which still counts with exp(0) = 1: leave it out, or set it to -inf",
     with<Parts{.masked = Parts::zero_score}>},
    {"The exponentials overflow: subtract the maximum of the unused scores", with<Parts{.subtract = false}>},
    {"Rows and columns are exchanged: the scores of step t are e[t]", with<Parts{.column = true}>},
    {"These are probabilities: take the logarithm", with<Parts{.result = Parts::probability}>},
    {"The sign is wrong: a log-probability is not above 0", with<Parts{.result = Parts::minus}>},
    {"Each number contains the sum of those before it: return one logarithm for each step",
     with<Parts{.result = Parts::sum}>},
    {"The logarithm is to the base 2: use the natural one", with<Parts{.result = Parts::log2}>},
};

void examine(app::Exercise& e, const decltype(&mine::log_probabilities)& log_probabilities) {
  for (double size : {1.0, 300.0}) {
    for (int64_t S : {4, 6}) {
      Generator rng(static_cast<uint64_t>(S));
      Tensor scores = Tensor::normal({S, S}, rng, 0.7, size, DType::f64);
      Ids z(static_cast<std::size_t>(S));
      std::iota(z.begin(), z.end(), std::size_t{0});
      rng.shuffle(z);
      Table table;
      Row expected;
      Tensor open = scores.clone();
      for (int64_t t = 0; t < S; ++t) {
        table.push_back(scores.select(0, t).contiguous().to_vector());
        const auto chosen = static_cast<int64_t>(z[static_cast<std::size_t>(t)]);
        expected.push_back(log_softmax(Variable(open.select(0, t).contiguous()), 0).value().at({chosen}));
        for (int64_t later = t; later < S; ++later) open.set({later, chosen}, -INFINITY);
      }
      e.check(fmt::format("{} positions, scores of size {:g}, log p of step ", S, size), log_probabilities(table, z),
              expected, 1e-12);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("18", 2, "The probability of an order");
  e.hint("Keep a std::vector<bool> used(S, false), and set used[z[t]] at the end of step t.");
  e.hint("Two loops for each step: the maximum of the unused scores, then the sum of exp(score - maximum).");
  e.hint("log p = e[t][z[t]] - maximum - log(sum).");
  e.insight(
      "The last step has one position left, so its log-probability is 0. The sum of all of them is the "
      "log-probability\n"
      "of the whole order, and over all S! orders these probabilities sum to 1: without the mask, they would not.",
      "./heed exercise 18 3");
  return e.run(argc, argv, mine::log_probabilities, examine, mistakes);
}
