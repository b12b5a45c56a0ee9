// Hints, common mistakes and checks of exercise 18.3.
#include "tutorials/18_copy_and_point/exercises/3_copynet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::CopyNet;
using mine::kPadding;
using Row = std::vector<double>;
using Ids = std::vector<std::size_t>;

// The right answer with one part exchanged.
struct Parts {
  enum Sum { one, two, vocabulary } sum = one;
  enum Copy { added, overwritten, largest, known_only } copy = added;
  enum Padding { left_out, in_sum } padding = left_out;
  enum Share { posterior, whole, equal_parts, none } share = posterior;
  enum Loss { minus_log, plus_log, probability } loss = minus_log;
  bool subtract = true, wrong_sign = false, dc_missing = false, dg_missing = false, first_place = false;
};
template <Parts p>
CopyNet with(const Row& g, const Row& c, const Ids& x, std::size_t size, std::size_t y) {
  CopyNet out{Row(size, 0), 0, Row(g.size(), 0), Row(c.size(), 0)};
  double most = 0;
  if (p.subtract) {
    most = *std::max_element(g.begin(), g.end());
    for (std::size_t s = 0; s < c.size(); ++s)
      if (x[s] != kPadding) most = std::max(most, c[s]);
  }
  double generate = 0, copy = 0;
  for (double score : g) generate += std::exp(score - most);
  for (std::size_t s = 0; s < c.size(); ++s)
    if (x[s] != kPadding || p.padding == Parts::in_sum) copy += std::exp(c[s] - most);
  double Zg = generate + copy, Zc = Zg;
  if (p.sum == Parts::two) Zg = 2 * generate, Zc = 2 * copy;
  if (p.sum == Parts::vocabulary) Zg = Zc = generate;
  for (std::size_t w = 0; w < g.size(); ++w) out.P[w] = out.dg[w] = std::exp(g[w] - most) / Zg;
  std::size_t best = 0;
  for (std::size_t s = 0; s < c.size(); ++s)
    if (x[s] != kPadding && (x[best] == kPadding || c[s] > c[best])) best = s;
  for (std::size_t s = 0; s < c.size(); ++s) {
    if (x[s] == kPadding) continue;
    out.dc[s] = std::exp(c[s] - most) / Zc;
    if (p.copy == Parts::largest && s != best) continue;
    if (p.copy == Parts::known_only && x[s] >= g.size()) continue;
    if (p.copy == Parts::overwritten)
      out.P[x[s]] = (x[s] < g.size() ? out.dg[x[s]] : 0) + out.dc[s];
    else
      out.P[x[s]] += out.dc[s];
  }
  const double right = out.P[y];
  out.loss = p.loss == Parts::plus_log ? std::log(right) : p.loss == Parts::probability ? 1 - right : -std::log(right);
  double ways = y < g.size() ? 1 : 0;
  for (std::size_t place : x) ways += place == y;
  auto less = [&](double value) {
    if (p.share == Parts::whole) return 1.0;
    if (p.share == Parts::equal_parts) return 1 / ways;
    if (p.share == Parts::none) return 0.0;
    return value / right;
  };
  if (y < g.size()) out.dg[y] -= less(out.dg[y]);
  bool first = true;
  for (std::size_t s = 0; s < c.size(); ++s) {
    if (x[s] != y || (p.first_place && !first)) continue;
    out.dc[s] -= less(out.dc[s]);
    first = false;
  }
  if (p.wrong_sign)
    for (Row* row : {&out.dg, &out.dc})
      for (double& value : *row) value = -value;
  if (p.dg_missing) std::fill(out.dg.begin(), out.dg.end(), 0);
  if (p.dc_missing) std::fill(out.dc.begin(), out.dc.end(), 0);
  return out;
}

const std::vector<app::Mistake<decltype(&mine::copynet)>> mistakes{
    {"The gap is still open: everything is 0",
     [](const Row& g, const Row& c, const Ids&, std::size_t size, std::size_t) {
       return CopyNet{Row(size, 0), 0, Row(g.size(), 0), Row(c.size(), 0)};
     }},
    {"These are two softmaxes, each with half of the probability: in CopyNet all scores share one Z",
     with<Parts{.sum = Parts::two}>},
    {"Z has only the words of the vocabulary: add the exponentials of the places, too",
     with<Parts{.sum = Parts::vocabulary}>},
    {"A word that is in the source twice gets only its last place: add both", with<Parts{.copy = Parts::overwritten}>},
    {"Only the place with the largest score is copied: every place adds to its word",
     with<Parts{.copy = Parts::largest}>},
    {"Words that the vocabulary lacks get no probability: their ids are V and more",
     with<Parts{.copy = Parts::known_only}>},
    {"Padding counts in Z: leave places with x_s = kPadding out of both the maximum and the sum",
     with<Parts{.padding = Parts::in_sum}>},
    {"The exponentials overflow or vanish: subtract the maximum of all scores that count",
     with<Parts{.subtract = false}>},
    {"You subtract 1 at every way to y, as for a softmax: each way gets its share, its part of Z P(y)",
     with<Parts{.share = Parts::whole}>},
    {"You divide the 1 equally among the ways to y: the share of each is its exponential divided by Z P(y)",
     with<Parts{.share = Parts::equal_parts}>},
    {"The second term of the gradients is missing: the scores that lead to y grow", with<Parts{.share = Parts::none}>},
    {"Only the first place that has y gets the second term: every place with this word does",
     with<Parts{.first_place = true}>},
    {"Both gradients have the wrong sign: they are those of the loss, which falls when the score of y grows",
     with<Parts{.wrong_sign = true}>},
    {"The gradient by the scores of the places is missing", with<Parts{.dc_missing = true}>},
    {"The gradient by the scores of the vocabulary is missing", with<Parts{.dg_missing = true}>},
    {"The loss has the wrong sign: it is minus the logarithm", with<Parts{.loss = Parts::plus_log}>},
    {"The loss is 1 - P(y): it is -log P(y)", with<Parts{.loss = Parts::probability}>},
};

// P from its definition, in one sum for each word; scores relative to `most`.
Row probabilities(const Row& g, const Row& c, const Ids& x, std::size_t size) {
  double most = *std::max_element(g.begin(), g.end()), Z = 0;
  for (std::size_t s = 0; s < c.size(); ++s) most = x[s] == kPadding ? most : std::max(most, c[s]);
  Row P(size, 0);
  for (std::size_t w = 0; w < size; ++w) {
    if (w < g.size()) P[w] += std::exp(g[w] - most);
    for (std::size_t s = 0; s < c.size(); ++s) P[w] += x[s] == w ? std::exp(c[s] - most) : 0;
    Z += P[w];
  }
  for (double& value : P) value /= Z;
  return P;
}

void examine(app::Exercise& e, const decltype(&mine::copynet)& copynet) {
  Generator rng(20);
  struct Case {
    Ids x;
    std::size_t size, y;
    double shift;
  };
  const std::vector<Case> cases{{{4, 7, 5, 7, 3, kPadding}, 8, 7, 0},     // unknown, and twice in the source
                                {{2, 7, 2, 8, 3}, 9, 2, 0},               // known, and twice in the source
                                {{4, 7, kPadding, kPadding}, 8, 1, 900},  // only in the vocabulary
                                {{5, 7, 8, 7, 3}, 9, 8, -900}};
  for (const Case& given : cases) {
    Row g = Tensor::normal({7}, rng, given.shift, 1, DType::f64).to_vector();
    Row c = Tensor::normal({static_cast<int64_t>(given.x.size())}, rng, given.shift + 0.5, 1, DType::f64).to_vector();
    const CopyNet ours = copynet(g, c, given.x, given.size, given.y);
    const std::string name = fmt::format("y = {}, {} places, scores near {:g}", given.y, given.x.size(), given.shift);
    auto loss = [&] { return -std::log(probabilities(g, c, given.x, given.size)[given.y]); };
    e.check(name + ", P of word ", ours.P, probabilities(g, c, given.x, given.size), 1e-12);
    e.check(name + ", the loss", ours.loss, loss(), 1e-12);
    auto numeric = [&](Row& row) {
      Row slopes;
      for (double& score : row) {
        const double before = score;
        score = before + 1e-4;
        const double high = loss();
        score = before - 1e-4;
        slopes.push_back((high - loss()) / 2e-4);
        score = before;
      }
      return slopes;
    };
    e.check(name + ", gradient by g, word ", ours.dg, numeric(g), 1e-6);
    e.check(name + ", gradient by c, place ", ours.dc, numeric(c), 1e-6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("18", 3, "CopyNet, its distribution and its gradient");
  e.hint(
      "Store exp(g_w - maximum) / Z in dg first, and exp(c_s - maximum) / Z in dc: both P and the gradients need "
      "them.");
  e.hint("P[w] starts as dg[w]; then P[x[s]] += dc[s] for every place that is not padding.");
  e.hint("The second term is the same number divided by P[y]: dg[y] -= dg[y] / P[y], if y is in the vocabulary.");
  e.hint("dc[s] -= dc[s] / P[y] for every s with x[s] == y.");
  e.insight(
      "Each way to the right word gets credit for its share of P(y): the model itself decides whether to copy or to\n"
      "write. No label says which; this is why neither CopyNet nor the pointer-generator needs one.",
      "./heed run 19");
  return e.run(argc, argv, mine::copynet, examine, mistakes);
}
