// What the marginals of linear_chain and matrix_tree hold: they are sums over all paths, and over all trees.
#include <cmath>

#include "nn/attention/normalisers/linear_chain.h"
#include "tensor/reduce.h"
#include "tests/nn/attention/normalised.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

constexpr double kNone = -INFINITY;

// p(z_s = 1) by all 2^n sequences of the keys that are allowed.
std::vector<double> by_paths(const std::vector<double>& e, const Tensor& U) {
  std::vector<size_t> allowed;
  for (size_t s = 0; s < e.size(); ++s)
    if (e[s] != kNone) allowed.push_back(s);
  std::vector<double> marginals(e.size(), 0);
  double all = 0;
  for (size_t path = 0; path < (size_t{1} << allowed.size()); ++path) {
    auto z = [&](size_t i) { return static_cast<int64_t>(path >> i & 1); };
    double energy = 0;
    for (size_t i = 0; i < allowed.size(); ++i) {
      if (z(i)) energy += e[allowed[i]];
      if (i > 0) energy += U.at({z(i - 1), z(i)});
    }
    all += std::exp(energy);
    for (size_t i = 0; i < allowed.size(); ++i)
      if (z(i)) marginals[allowed[i]] += std::exp(energy);
  }
  for (double& p : marginals) p /= all;
  return marginals;
}

// The weights are the marginals that listing every choice of keys gives, under masks and for extreme scores too.
PROPERTY(marginals_are_sums_over_paths) {
  Tensor U = random({2, 2}, 3, kF64);
  for (int64_t S : {1, 2, 5, 9}) {
    Tensor e = mul(random({4, S}, 1, kF64), 2);
    if (S == 9) e.set({0, 0}, kNone), e.set({1, 4}, kNone), e.set({1, 5}, kNone), e.set({2, 8}, kNone);
    Tensor w = nn::chain_marginals(Variable(e), Variable(U)).value();
    for (int64_t r = 0; r < 4; ++r) {
      std::vector<double> wanted = by_paths(e.select(0, r).to_vector(), U);
      CHECK(max_abs_difference(w.select(0, r).contiguous(), row(wanted)) < 1e-12);
    }
  }
  Tensor sure = nn::chain_marginals(Variable(row({800, -800, 800})), Variable(U)).value();
  CHECK(max_abs_difference(sure, row({1, 0, 1})) < 1e-15);
}

// Without coupling it is a sigmoid of each score; with a very strong one all keys have the same weight, since all are
// chosen or none.
PROPERTY(no_coupling_is_a_sigmoid) {
  Tensor e = random({4, 6}, 1, kF64);
  CHECK(max_abs_difference(normalised("linear_chain:0", e), sigmoid(Variable(e)).value()) < 1e-15);
  // A strong coupling reads all or nothing: the odds of all are exp(sum e), and every key has them.
  CHECK(max_abs_difference(normalised("linear_chain:60", row({.5, -1, 2})),
                           Tensor::full({3}, 1 / (1 + std::exp(-1.5)), kF64)) < 1e-12);
}

// The fast algorithm and the composed one agree in values, gradients and gradients of gradients.
PROPERTY(fast_chain_is_composed) {
  Tensor e = random({2, 3, 5}, 1, kF64), U = random({2, 2}, 2, kF64), dw = random({2, 3, 5}, 3, kF64);
  e.set({0, 1, 2}, kNone), e.set({1, 2, 4}, kNone), e.set({1, 0, 0}, kNone);
  std::vector<std::vector<Tensor>> seen;
  for (auto f : {nn::chain_marginals, nn::chain_marginals_composed}) {
    Variable scores = leaf(e), transitions = leaf(U), w = f(scores, transitions);
    std::vector<Variable> fast = grad({w}, {scores, transitions}, {.seeds = {Variable(dw)}, .retain_graph = true});
    std::vector<Variable> first = grad({w}, {scores, transitions}, {.seeds = {Variable(dw)}, .create_graph = true});
    std::vector<Variable> second = grad({weighted_sum(first[0], 4) + weighted_sum(first[1], 5)}, {scores, transitions});
    seen.push_back({w.value(), fast[0].value(), fast[1].value(), first[0].value(), first[1].value(), second[0].value(),
                    second[1].value()});
  }
  for (size_t i = 0; i < seen[0].size(); ++i) CHECK(max_abs_difference(seen[0][i], seen[1][i]) < 1e-12);
}

// All assignments of heads to n words that are trees: one root (its own head), and every word leads to it.
std::vector<double> by_trees(const Tensor& e, int64_t n) {
  std::vector<double> w(static_cast<size_t>(n * n), 0);
  std::vector<int64_t> head(static_cast<size_t>(n));
  int64_t assignments = 1;
  for (int64_t i = 0; i < n; ++i) assignments *= n;
  double all = 0;
  for (int64_t code = 0; code < assignments; ++code) {
    int64_t rest = code, roots = 0;
    double energy = 0;
    for (int64_t t = 0; t < n; ++t, rest /= n) {
      head[static_cast<size_t>(t)] = rest % n;
      roots += rest % n == t, energy += e.at({t, rest % n});
    }
    bool tree = roots == 1;
    for (int64_t t = 0; t < n && tree; ++t) {
      int64_t at = t;
      for (int64_t step = 0; step < n; ++step) at = head[static_cast<size_t>(at)];
      tree = head[static_cast<size_t>(at)] == at;
    }
    if (!tree) continue;
    all += std::exp(energy);
    for (int64_t t = 0; t < n; ++t) w[static_cast<size_t>(t * n + head[static_cast<size_t>(t)])] += std::exp(energy);
  }
  for (double& p : w) p /= all;
  return w;
}

// The weights are the marginals that listing every tree gives, and moving a row of scores as a whole changes nothing.
PROPERTY(weights_are_sums_over_trees) {
  for (int64_t n : {1, 2, 3, 5}) {
    Tensor e = mul(random({n, n}, 1, kF64), 1.5);
    if (n == 5)
      for (int64_t t = 0; t < 5; ++t) e.set({t, 3}, kNone), e.set({t, 0}, t == 2 ? 1 : kNone);
    std::vector<double> wanted = by_trees(e, n);
    Tensor w = normalised("matrix_tree", e.reshape({1, n, n}));
    CHECK(max_abs_difference(w, row(wanted).view({1, n, n})) < 1e-12);
    // A row moved as a whole is the same, however far.
    Tensor moved = e.clone();
    for (int64_t s = 0; s < n; ++s) moved.set({n - 1, s}, e.at({n - 1, s}) - 1000);
    CHECK(max_abs_difference(normalised("matrix_tree", moved.reshape({1, n, n})), w) < 1e-12);
  }
}

// The weights of being the root sum to 1: every tree has one root.
PROPERTY(one_word_is_the_root) {
  Tensor w = normalised("matrix_tree", mul(random({3, 6, 6}, 2, kF64), 3));
  for (int64_t b = 0; b < 3; ++b) {
    double roots = 0;
    for (int64_t t = 0; t < 6; ++t) roots += w.at({b, t, t});
    CHECK(roots == doctest::Approx(1).epsilon(1e-12));
  }
}

// If there is no tree that the mask allows, there are no weights, and the gradients are finite.
PROPERTY(impossible_trees_have_no_weight) {
  Tensor rootless = row({kNone, 1, 2, kNone}).view({1, 2, 2});
  Variable e = leaf(rootless);
  Variable w = (*normaliser_of("matrix_tree"))(e);
  backward(weighted_sum(w));
  CHECK(all_zero(w.value()));
  CHECK(all_finite(e.grad()));
  // A row without heads is left out: the others are as if the word were there for them alone.
  Tensor one_empty = row({.3, .2, kNone, kNone}).view({1, 2, 2});
  CHECK(all_zero(normalised("matrix_tree", one_empty).select(1, 1)));
  CHECK(sum(normalised("matrix_tree", one_empty).select(1, 0)).item() == doctest::Approx(1));
}

}  // namespace
}  // namespace heed::nn_test
