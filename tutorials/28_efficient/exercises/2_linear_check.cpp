// Hints and checks of exercise 28.2.
#include "tutorials/28_efficient/exercises/2_linear.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Numbers, mine::State;

double phi(double x) { return x < 0 ? std::exp(x) : x + 1; }

void examine(app::Exercise& e) {
  constexpr std::size_t K = 4, V = 3, T = 6;
  Generator rng(28);
  std::vector<Numbers> q, k, v;
  for (std::size_t t = 0; t < T; ++t) {
    for (auto* list : {&q, &k, &v}) {
      Numbers x(list == &v ? V : K);
      for (double& number : x) number = rng.normal();
      list->push_back(x);
    }
  }
  State state;
  for (std::size_t t = 0; t < T; ++t) {
    Numbers expected(V, 0.0);
    double whole = 0;
    for (std::size_t s = 0; s <= t; ++s) {
      double w = 0;
      for (std::size_t i = 0; i < K; ++i) w += phi(q[t][i]) * phi(k[s][i]);
      whole += w;
      for (std::size_t j = 0; j < V; ++j) expected[j] += w * v[s][j];
    }
    for (double& x : expected) x /= whole;
    e.check(fmt::format("context of word {}", t), mine::linear_step(state, q[t], k[t], v[t]), expected, 1e-9);
  }
  double numbers = static_cast<double>(state.z.size());
  for (const Numbers& row : state.M) numbers += static_cast<double>(row.size());
  e.check("numbers in the state, K (V + 1)", numbers, K * (V + 1), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("28", 2, "Linear attention, one word at a time");
  e.hint("Begin with phi as a small function of one number, and with the size of M and z at the first word.");
  e.hint("Two loops: over i of K for z, and inside it over j of V for M. Add first, then read.");
  e.hint("The denominator is one number per word: the sum over i of phi(q)[i] z[i], after the word was added.");
  e.insight(
      "The state has K (V + 1) numbers after 6 words and after 6 million: causal linear attention is a recurrent "
      "network.\nIts price is that all words share one matrix, and nothing is ever forgotten.",
      "./heed exercise 28 3");
  return e.run(argc, argv, examine);
}
