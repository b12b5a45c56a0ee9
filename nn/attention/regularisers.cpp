#include "nn/attention/regularisers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/padding.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// The weights with 0 in the rows that do not count: [B, T, S].
Variable counted(const char* operation, const Variable& weights, const Tensor& steps) {
  if (weights.rank() != 3 || !(steps.shape() == Shape{weights.size(0), weights.size(1)}))
    throw ShapeError(fmt::format("{}: needs weights [B, T, S] and steps [B, T]; got {} and {}", operation,
                                 to_string(weights.shape()), to_string(steps.shape())));
  return masked_fill(weights, equal(steps.to(weights.dtype()), 0).unsqueeze(-1), 0);
}

double number_of(const Tensor& steps) { return std::max(sum(steps.to(DType::f64)).item(), 1.0); }

}  // namespace

Variable doubly_stochastic_penalty(const Variable& weights, const Tensor& steps, const Tensor& lengths) {
  Variable read = sum(counted("doubly_stochastic_penalty", weights, steps), {1});  // [B, S]
  Tensor padding = logical_not(length_mask(lengths, weights.size(2)));
  double sentences = static_cast<double>(std::max<int64_t>(weights.size(0), 1));
  return sum(masked_fill(square(1 - read), padding, 0)) / sentences;
}

Variable mean_entropy(const Variable& weights, const Tensor& steps) {
  Variable a = counted("mean_entropy", weights, steps);
  return -sum(a * log(masked_fill(a, equal(a.value(), 0), 1))) / number_of(steps);
}

Variable mean_overlap(const Variable& weights, const Tensor& steps) {
  Variable a = counted("mean_overlap", weights, steps);
  Tensor count = sum(steps.to(DType::f64), {1});  // [B]
  double pairs = std::max(sum(mul(count, sub(count, 1))).item(), 1.0);
  int64_t later = std::max<int64_t>(a.size(1) - 1, 0);  // each step beside the sum of those before it
  return sum(slice(a, 1, a.size(1) - later, a.size(1)) * cumsum(slice(a, 1, 0, later), 1)) * 2 / pairs;
}

Variable guided_penalty(const Variable& weights, const Tensor& steps, const Tensor& lengths, double g) {
  Variable a = counted("guided_penalty", weights, steps);
  int64_t B = a.size(0), T = a.size(1), S = a.size(2);
  Tensor far = Tensor::zeros({B, T, S}, a.dtype());
  for (int64_t b = 0; b < B; ++b) {
    double words = lengths.at({b}), count = sum(steps.select(0, b).to(DType::f64)).item();
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < S; ++s) {
        double away = static_cast<double>(s) / std::max(words, 1.0) - static_cast<double>(t) / std::max(count, 1.0);
        far.set({b, t, s}, 1 - std::exp(-away * away / (2 * g * g)));
      }
  }
  return sum(a * Variable(far)) / number_of(steps);
}

Variable index_divergence(const Variable& index, const Tensor& weights, const Tensor& allowed, const Tensor& steps) {
  Tensor read = sum(weights, {1}), total = sum(read, {-1}, true);  // [B, T, S], [B, T, 1]
  Tensor none = equal(total, 0), p = div(read, masked_fill(total, none, 1));
  constexpr double kNever = -1e30;  // finite: p is 0 there, and rows without any word stay numbers
  Variable log_q = log_softmax(masked_fill(index, logical_not(allowed), kNever));
  Variable rows = sum(kl_div(log_q, Variable(p), {.reduction = Reduction::none}), {-1});  // [B, T]
  Tensor counts = logical_not(none.squeeze(-1));
  if (steps.defined()) counts = logical_and(counts, steps);
  Tensor number = sum(counts.to(index.dtype()), {1});  // [B]
  Variable of_sentence = sum(masked_fill(rows, logical_not(counts), 0), {1});
  return mean(of_sentence / Variable(maximum(number, Tensor::ones({1}, index.dtype()))));
}

}  // namespace heed::nn
