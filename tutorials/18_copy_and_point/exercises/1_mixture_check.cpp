// Hints, common mistakes and checks of exercise 18.1.
#include "tutorials/18_copy_and_point/exercises/1_mixture.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Row = std::vector<double>;
using Ids = std::vector<std::size_t>;

// The right answer with one part exchanged.
struct Parts {
  enum Copy { added, overwritten, none, largest, unknown_only, known_only, to_unk, by_position } copy = added;
  bool gate = true, swapped = false, divided = false, counted = false;
};
template <Parts parts>
Row with(double g, const Row& p, const Row& a, const Ids& x, std::size_t size) {
  const double generate = parts.gate ? (parts.swapped ? 1 - g : g) : 1;
  const double copy = parts.gate ? (parts.swapped ? g : 1 - g) : 1;
  Row P(size, 0);
  for (std::size_t w = 0; w < p.size(); ++w) P[w] = generate * p[w];
  std::size_t best = 0;
  for (std::size_t s = 0; s < x.size(); ++s)
    if (a[s] > a[best]) best = s;
  for (std::size_t s = 0; s < x.size(); ++s) {
    std::size_t w = x[s];
    double weight = a[s];
    if (parts.copy == Parts::none) continue;
    if (parts.copy == Parts::largest && s != best) continue;
    if (parts.copy == Parts::unknown_only && w < p.size()) continue;
    if (parts.copy == Parts::known_only && w >= p.size()) continue;
    if (parts.copy == Parts::to_unk && w >= p.size()) w = 1;
    if (parts.copy == Parts::by_position) w = s;
    if (parts.counted) {
      double times = 0;
      for (std::size_t other : x) times += other == w;
      weight /= times;
    }
    if (parts.copy == Parts::overwritten)
      P[w] = (w < p.size() ? generate * p[w] : 0) + copy * weight;
    else
      P[w] += copy * weight;
  }
  double total = 0;
  for (double value : P) total += value;
  if (parts.divided)
    for (double& value : P) value /= total;
  return P;
}

const std::vector<app::Mistake<decltype(&mine::mixture)>> mistakes{
    {"The gap is still open: nothing is copied, and the sum is g instead of 1", with<Parts{.copy = Parts::none}>},
    {"A word that is in the source twice gets only the weight of its last place: add the weights of both",
     with<Parts{.copy = Parts::overwritten}>},
    {"Only the place with the largest weight is copied: every place gives its weight to its word",
     with<Parts{.copy = Parts::largest}>},
    {"Words of the vocabulary are not copied: a word can be generated and copied, and gets both",
     with<Parts{.copy = Parts::unknown_only}>},
    {"Words that the vocabulary lacks get nothing: their ids are V and more, and they can be copied",
     with<Parts{.copy = Parts::known_only}>},
    {"What the vocabulary lacks is copied to <unk>, id 1: each such word has an id of its own",
     with<Parts{.copy = Parts::to_unk}>},
    {"The weight of place s goes to word s: it goes to the word x_s", with<Parts{.copy = Parts::by_position}>},
    {"The gate is the wrong way round: g is the probability of generating", with<Parts{.swapped = true}>},
    {"The gate is missing: without it the sum is 2", with<Parts{.gate = false}>},
    {"The gate is missing, and the sum 2 is divided away: this is the gate 1/2 whatever g is",
     with<Parts{.gate = false, .divided = true}>},
    {"The weights of a word that is in the source twice are averaged: add them", with<Parts{.counted = true}>},
};

void examine(app::Exercise& e, const decltype(&mine::mixture)& mixture) {
  Generator rng(18);
  auto shares = [&](int64_t n) {
    return softmax(Variable(Tensor::normal({n}, rng, 0, 1, DType::f64)), 0).value().to_vector();
  };
  const std::vector<std::pair<Ids, std::size_t>> sources{
      {{4, 9, 5, 9, 10, 3}, 11}, {{6, 6, 2, 4, 3}, 9}, {{9, 10, 11, 9, 9, 7, 3}, 12}};
  for (double g : {0.8, 0.25}) {
    for (const auto& [x, size] : sources) {
      const Row p = shares(9), a = shares(static_cast<int64_t>(x.size()));
      Row expected(size, 0);  // a sum over the places, for each word
      for (std::size_t w = 0; w < size; ++w) {
        double copied = 0;
        for (std::size_t s = 0; s < x.size(); ++s) copied += x[s] == w ? a[s] : 0;
        expected[w] = (w < 9 ? g * p[w] : 0) + (1 - g) * copied;
      }
      const Row P = mixture(g, p, a, x, size);
      double total = 0;
      for (double value : P) total += value;
      const std::string given = fmt::format("g = {:g}, {} source words", g, x.size());
      e.check(given + ", P of word ", P, expected, 1e-12);
      e.check(given + ", the sum of P", total, 1, 1e-12);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("18", 1, "The distribution of a pointer-generator");
  e.hint("One loop over the source places is enough.");
  e.hint("Place s gives its share to P[x[s]].");
  e.hint("P[x[s]] += (1 - g) * a[s];");
  e.insight(
      "One line makes an output of any size: the vocabulary says nothing about the words that this sentence has.\n"
      "The += is what keeps the sum at 1 when a word is in the source twice.",
      "./heed exercise 18 2");
  return e.run(argc, argv, mine::mixture, examine, mistakes);
}
