// Exercise 04.1 in the translator: the weights of attention, and the log-probabilities of the words.
//
//   w     = softmax(e)                    dx = w (dy - sum w dy)
//   log p = x - log_sum_exp(x)            dx = dy - softmax(x) sum dy
//
// The exercise takes one row of numbers, so both are called for one row after the other. Their gradients are made of
// the learner's softmax; without the part additive it also computes the weights of attention.
#include <limits>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/04_softmax_and_masks/exercises/1_softmax.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

// Calls f(row) for every row of x [.., V]; each answer has `width` numbers. -> [.., width]
template <class F>
Tensor by_rows(const Tensor& x, int64_t width, F f) {
  const std::vector<double> all = x.to_vector();
  const auto V = static_cast<size_t>(x.size(-1));
  std::vector<double> out;
  for (auto row = all.begin(); row != all.end(); row += static_cast<int64_t>(V)) {
    std::vector<double> answer = f(std::vector<double>(row, row + static_cast<int64_t>(V)));
    answer.resize(static_cast<size_t>(width), std::numeric_limits<double>::quiet_NaN());
    out.insert(out.end(), answer.begin(), answer.end());
  }
  Shape shape = x.shape();
  shape[shape.rank() - 1] = width;
  return Tensor::from(out, shape).to(x.dtype());
}

Tensor weights_of(const Tensor& x) {
  return by_rows(x, x.size(-1), [](const std::vector<double>& row) { return mine::softmax(row); });
}

Variable softmax_mine(const Variable& e) {
  Tensor w = weights_of(e.value());
  return attach("mine.softmax", {e}, w, [saved = save_output(w)](Grads& g, const Variable& dy) {
    require_first_derivative(g.recording(), "mine.softmax");
    Tensor p = g[saved].value();
    g.add(0, mul(p, sub(dy.value(), sum(mul(p, dy.value()), {-1}, true))));
  });
}

Variable log_p_mine(const Variable& x) {
  Tensor lse =
      by_rows(x.value(), 1, [](const std::vector<double>& row) { return std::vector<double>{mine::log_sum_exp(row)}; });
  return attach("mine.log_p", {x}, sub(x.value(), lse), [saved = save(x)](Grads& g, const Variable& dy) {
    require_first_derivative(g.recording(), "mine.log_p");
    g.add(0, sub(dy.value(), mul(weights_of(g[saved].value()), sum(dy.value(), {-1}, true))));
  });
}

void check(Comparison& c) {
  constexpr double kMasked = -std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, std::vector<double>>> rows{
      {"1, 2, 4", {1, 2, 4}},
      {"1000, 1001, 999", {1000, 1001, 999}},
      {"-1000, -1002, -1001", {-1000, -1002, -1001}},
      {"1, -inf, 3", {1, kMasked, 3}},
      {"-inf, -inf, -inf", {kMasked, kMasked, kMasked}}};
  for (const auto& [name, row] : rows) {
    Tensor x = Tensor::from(row, {3});
    c.value("softmax of " + name, mine::softmax(row), softmax(Variable(x)).value().to_vector());
    c.value("log_sum_exp of " + name, {mine::log_sum_exp(row)}, logsumexp(Variable(x)).value().to_vector());
  }
  Generator rng(1);
  Tensor x = Tensor::normal({2, 3, 4}, rng, 0, 1, DType::f64);
  c.functions(
      "softmax", [](const auto& in) { return softmax_mine(in[0]); }, [](const auto& in) { return softmax(in[0]); },
      {x});
  c.functions(
      "log p", [](const auto& in) { return log_p_mine(in[0]); }, [](const auto& in) { return log_softmax(in[0]); },
      {x});
}

void use(Pieces& pieces) { pieces.softmax = softmax_mine, pieces.log_p = log_p_mine; }

const Registered part({.name = "softmax", .exercise = "04.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
