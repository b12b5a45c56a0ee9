// Hints, common mistakes and checks of exercise 28.2.
#include "tutorials/28_efficient/exercises/2_linear.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Numbers, mine::State;
using Answer = std::function<Numbers(State&, const Numbers&, const Numbers&, const Numbers&)>;

double phi(double x) { return x < 0 ? std::exp(x) : x + 1; }

// The right answer, and one with a fault.
struct Fault {
  bool itself_only = false, reads_first = false, no_division = false, plain_query = false, plain_key = false,
       relu = false, no_one = false, replaces = false, counts_words = false, exponential = false, plain_z = false;
};
Answer with(const Fault& f) {
  return [f](State& state, const Numbers& q, const Numbers& k, const Numbers& v) {
    if (f.itself_only) return v;
    auto feature = [&](double x) {
      return f.relu ? std::max(x, 0.0) : f.no_one ? phi(x) - 1 : f.exponential ? std::exp(x) : phi(x);
    };
    if (state.z.empty()) state.z.assign(k.size(), 0.0), state.M.assign(k.size(), Numbers(v.size(), 0.0));
    Numbers c(v.size(), 0.0);
    double whole = 0;
    auto read = [&] {
      for (std::size_t i = 0; i < k.size(); ++i) {
        const double query = f.plain_query ? q[i] : feature(q[i]);
        whole += query * state.z[i];
        for (std::size_t j = 0; j < v.size(); ++j) c[j] += query * state.M[i][j];
      }
    };
    if (f.reads_first) read();
    for (std::size_t i = 0; i < k.size(); ++i) {
      const double key = f.plain_key ? k[i] : feature(k[i]), old = f.replaces ? 0 : 1;
      state.z[i] = old * state.z[i] + (f.counts_words ? 1 : f.plain_z ? k[i] : key);
      for (std::size_t j = 0; j < v.size(); ++j) state.M[i][j] = old * state.M[i][j] + key * v[j];
    }
    if (!f.reads_first) read();
    for (double& x : c) x /= f.no_division ? 1 : whole;
    return c;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"Every word reads only itself (the gap as it was does this): add the word to M and z, then read both",
     with({.itself_only = true})},
    {"You read the sums before the word is in them: a word attends to itself, too, so add it first",
     with({.reads_first = true})},
    {"The division is missing: the weights must sum to 1, so divide by the sum of phi(q) z",
     with({.no_division = true})},
    {"The query has no features: use phi(q), not q", with({.plain_query = true})},
    {"The keys have no features: use phi(k), not k", with({.plain_key = true})},
    {"Your features are max(x, 0): below 0 they must be exp(x), so that no key is ever lost", with({.relu = true})},
    {"The 1 is missing: phi is elu(x) + 1. Without it weights can be negative", with({.no_one = true})},
    {"Your features are exp(x) everywhere: from 0 on they are x + 1", with({.exponential = true})},
    {"The state holds only the last word: add to M and z instead of replacing them", with({.replaces = true})},
    {"z counts the words: it is the sum of phi(k), a vector", with({.counts_words = true})},
    {"z sums k without features: it is the sum of phi(k)", with({.plain_z = true})},
};

void examine(app::Exercise& e, const Answer& linear_step) {
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
    e.check(fmt::format("context of word {}", t), linear_step(state, q[t], k[t], v[t]), expected, 1e-9);
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
  return e.run(argc, argv, Answer(mine::linear_step), examine, mistakes);
}
