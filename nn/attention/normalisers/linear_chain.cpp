#include "nn/attention/normalisers/linear_chain.h"

#include <algorithm>
#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/init.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

struct Dual {  // a value and its derivative in the direction of dw
  double v = 0, d = 0;
};
Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
Dual sigmoid_of(Dual x) {
  double y = x.v > 0 ? 1 / (1 + std::exp(-x.v)) : std::exp(x.v) / (1 + std::exp(x.v));
  return {y, y * (1 - y) * x.d};
}
Dual log_sum(double a, Dual x) {  // log(e^a + e^x)
  double top = std::max(a, x.v);
  return {top + std::log(std::exp(a - top) + std::exp(x.v - top)), sigmoid_of({x.v - a, 0}).v * x.d};
}

// log((e^a + e^(x + b)) / (e^c + e^(x + d))). For x > 0 both sums are first divided by e^x: otherwise the difference of
// two large logarithms would lose digits.
Dual log_ratio(Dual x, double a, double b, double c, double d) {
  const double top = std::max(x.v, 0.0), rest = x.v - top;
  return log_sum(a - top, {rest + b, x.d}) - log_sum(c - top, {rest + d, x.d});
}

struct Chain {
  const double* U;                   // [2, 2]
  std::vector<Dual> e, left, right;  // of the keys that are allowed
  double u(int a, int b) const { return U[2 * a + b]; }

  void pass_messages() {
    size_t n = e.size();
    left.assign(n, {}), right.assign(n, {});
    for (size_t s = 0; s + 1 < n; ++s) left[s + 1] = log_ratio(left[s] + e[s], u(0, 1), u(1, 1), u(0, 0), u(1, 0));
    for (size_t s = n; s-- > 1;) right[s - 1] = log_ratio(e[s] + right[s], u(1, 0), u(1, 1), u(0, 0), u(0, 1));
  }
  Dual marginal(size_t s) const { return sigmoid_of(left[s] + e[s] + right[s]); }

  // Adds the derivatives of p(z_s = a, z_(s+1) = b) to sums [2, 2].
  void add_pair(size_t s, double* sums) const {
    Dual y = e[s + 1] + right[s + 1], certain{1, 0}, one = marginal(s), zero = certain - one;
    Dual after_zero = sigmoid_of({y.v + u(0, 1) - u(0, 0), y.d});  // p(z_(s+1) = 1 | z_s = 0)
    Dual after_one = sigmoid_of({y.v + u(1, 1) - u(1, 0), y.d});
    sums[0] += (zero * (certain - after_zero)).d, sums[1] += (zero * after_zero).d;
    sums[2] += (one * (certain - after_one)).d, sums[3] += (one * after_one).d;
  }
};

// Calls row(e, r) for each row, with its place r in e.
template <class Row>
void each_row(const Tensor& e, const Row& row) {
  int64_t S = e.size(-1);
  for (int64_t r = 0, rows = S == 0 ? 0 : e.count() / S; r < rows; ++r) row(e.data<double>() + r * S, r * S);
}

Tensor marginals_of(const Tensor& scores, const Tensor& U) {
  Tensor e = scores.to(DType::f64).contiguous(), transitions = U.to(DType::f64).contiguous();
  Tensor w = Tensor::zeros(e.shape(), DType::f64);
  Chain chain{transitions.data<double>(), {}, {}, {}};
  each_row(e, [&](const double* from, int64_t at) {
    chain.e.clear();
    for (int64_t s = 0; s < e.size(-1); ++s)
      if (from[s] != -INFINITY) chain.e.push_back({from[s], 0});
    chain.pass_messages();
    for (int64_t s = 0, i = 0; s < e.size(-1); ++s)
      if (from[s] != -INFINITY) w.data<double>()[at + s] = chain.marginal(static_cast<size_t>(i++)).v;
  });
  return w.to(scores.dtype());
}

struct ChainGradients {
  Tensor e, U;
};
ChainGradients gradients_of(const Tensor& scores, const Tensor& U, const Tensor& dw) {
  Tensor e = scores.to(DType::f64).contiguous(), transitions = U.to(DType::f64).contiguous();
  Tensor along = dw.to(DType::f64).contiguous();
  Tensor de = Tensor::zeros(e.shape(), DType::f64), dU = Tensor::zeros({2, 2}, DType::f64);
  Chain chain{transitions.data<double>(), {}, {}, {}};
  each_row(e, [&](const double* from, int64_t at) {
    chain.e.clear();
    for (int64_t s = 0; s < e.size(-1); ++s)
      if (from[s] != -INFINITY) chain.e.push_back({from[s], along.data<double>()[at + s]});
    chain.pass_messages();
    size_t i = 0;
    for (int64_t s = 0; s < e.size(-1); ++s)
      if (from[s] != -INFINITY) de.data<double>()[at + s] = chain.marginal(i++).d;
    for (size_t s = 0; s + 1 < chain.e.size(); ++s) chain.add_pair(s, dU.data<double>());
  });
  return {de.to(scores.dtype()), dU.to(scores.dtype())};
}

// log(e^a + e^b), shapes broadcast
Variable log_sum(const Variable& a, const Variable& b) {
  Variable zeros(Tensor::zeros(b.shape(), b.dtype()));
  return logsumexp(stack({a + zeros, b}, -1), {-1});
}
Variable log_ratio(const Variable& x, const Variable& a, const Variable& b, const Variable& c, const Variable& d) {
  Variable top(maximum(x.value(), Tensor::zeros({}, x.dtype()))), rest = x - top;
  return log_sum(a - top, rest + b) - log_sum(c - top, rest + d);
}

}  // namespace

Variable chain_marginals_composed(const Variable& scores, const Variable& U) {
  int64_t S = scores.size(-1);
  if (S == 0) return scores;
  Tensor outside = barred(scores);
  Variable e = masked_fill(scores, outside, 0);
  auto u = [&](int64_t a, int64_t b) { return select(select(U, 0, a), 0, b); };
  std::vector<Variable> left, right(static_cast<size_t>(S));
  Variable message(Tensor::zeros(select(e, -1, 0).shape(), e.dtype()));
  Variable nothing = message;
  for (int64_t s = 0; s < S; ++s) {  // a masked key passes the message on unchanged
    left.push_back(message);
    Variable x = message + select(e, -1, s);
    Variable next = log_ratio(x, u(0, 1), u(1, 1), u(0, 0), u(1, 0));
    message = where(outside.select(outside.rank() - 1, s), message, next);
  }
  message = nothing;
  for (int64_t s = S; s-- > 0;) {
    right[static_cast<size_t>(s)] = message;
    Variable y = select(e, -1, s) + message;
    Variable next = log_ratio(y, u(1, 0), u(1, 1), u(0, 0), u(0, 1));
    message = where(outside.select(outside.rank() - 1, s), message, next);
  }
  return masked_fill(sigmoid(stack(left, -1) + e + stack(right, -1)), outside, 0);
}

Variable chain_marginals(const Variable& e, const Variable& U) {
  auto fast = [se = save(e), su = save(U)](Grads& g, const Variable& dw) {
    ChainGradients d = gradients_of(g[se].value(), g[su].value(), dw.value());
    g.add(0, d.e);
    g.add(1, d.U);
  };
  return attach_fused("chain_marginals", {e, U}, marginals_of(e.value(), U.value()), fast,
                      [se = save(e), su = save(U)](Grads& g) { return chain_marginals_composed(g[se], g[su]); });
}

LinearChainNormaliser::LinearChainNormaliser(const Options& o, Generator&) : transitions(zeros_parameter({2, 2})) {
  Tensor U = transitions.value().clone();
  for (int64_t a : {0, 1}) U.set({a, a}, o.settings.as<Settings>().coupling);
  transitions.set_value(U);
}

}  // namespace heed::nn
