// Hints and checks of exercise 32.2.
#include "tutorials/32_without_softmax/exercises/2_delta.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Numbers, mine::State, mine::Word;

// The same as one matrix for the old state: S = a (1 - b k^T k) S + b k^T v.
State written(const State& S, const Word& w) {
  State next = S;
  for (std::size_t i = 0; i < S.size(); ++i)
    for (std::size_t j = 0; j < S[i].size(); ++j) {
      next[i][j] = w.b * w.k[i] * w.v[j];
      for (std::size_t l = 0; l < S.size(); ++l) next[i][j] += w.a * ((i == l) - w.b * w.k[i] * w.k[l]) * S[l][j];
    }
  return next;
}
Numbers flat(const State& S) {
  Numbers out;
  for (const Numbers& row : S) out.insert(out.end(), row.begin(), row.end());
  return out;
}

void examine(app::Exercise& e) {
  constexpr std::size_t K = 3, V = 2;
  Generator rng(322);
  auto drawn = [&](std::size_t n) {
    Numbers x(n);
    for (double& number : x) number = rng.normal();
    return x;
  };
  auto key = [&] {
    Numbers k = drawn(K);
    const double length = std::sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    for (double& number : k) number /= length;
    return k;
  };
  State mine(K, drawn(V)), expected = mine;
  for (auto [a, b] : {std::pair{1.0, 1.0}, {1.0, 0.5}, {0.5, 1.0}, {0.8, 0.3}, {1.0, 2.0}, {0.9, 0.0}}) {
    const Word word{drawn(K), key(), drawn(V), a, b};
    expected = written(expected, word);
    const Numbers o = mine::delta_step(mine, word);
    const std::string where = fmt::format("a = {}, b = {}: ", a, b);
    e.check(where + "state", flat(mine), flat(expected), 1e-9);
    Numbers read(V, 0.0);
    for (std::size_t i = 0; i < K; ++i)
      for (std::size_t j = 0; j < V; ++j) read[j] += word.q[i] * expected[i][j];
    e.check(where + "output", o, read, 1e-9);
    mine = expected;
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("32", 2, "The gated delta rule");
  e.hint("Three steps in this order: multiply all of S by a; read it with the key; add.");
  e.hint("What is added under the key is b (v - found). Row i of S gets k_i of it.");
  e.insight(
      "Written as one product, S = a (1 - b k^T k) S + b k^T v. Along the key, the factor of the old state is a (1 - "
      "b):\n"
      "0 for b = 1, which replaces. At right angles to the key it is a: other keys lose nothing but the decay.",
      "./heed exercise 32 3");
  return e.run(argc, argv, examine);
}
