// The window of local-p alone: the values of its Gaussian, and the gradient that reaches its centre.
//
//   factor_s = exp(-(s - p)^2 / (2 sigma^2)),  sigma = D / 2        in the window: |s - round(p)| <= D
//
// (Luong, Pham and Manning 2015, equations 9 and 10.)
#pragma once

#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scopes/local_p.h"
#include "tensor/reduce.h"

namespace local {

namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

struct Bell {
  double at_centre, at_half, at_edge;  // the factor at p, p + D / 2, p + D
  double row;                          // sum of the weights if all scores are equal
};
// With v = 0 the centre is p = S sigmoid(0) = S / 2, a whole number if S is even.
inline Bell bell(int64_t D, int64_t S) {
  heed::NoGrad guard;
  Generator rng(1);
  nn::LocalPScope scope(nn::chosen<nn::LocalPScope>({.window = D}, {.query = 4}), rng);
  scope.v.weight.set_value(Tensor::zeros({1, 4}));
  nn::StageContext context{.places = {.queries = 1, .keys = S}};
  nn::Restriction w = scope(Variable(Tensor::ones({1, 1, 4})), {}, context);
  auto at = [&](int64_t s) { return w.factor.value().at({0, 0, s}); };
  Tensor even = Tensor::zeros({1, 1, S});
  Tensor weights =
      nn::attend(even, Tensor::zeros({1, S, 1}), {.allowed = w.allowed, .factor = w.factor}).weights.value();
  return {at(S / 2), at(S / 2 + D / 2), at(S / 2 + D), sum(weights).item()};
}

struct Slope {
  double analytic, numeric;
};
// The derivative of a loss with respect to one element of v, which affects the loss through p only. Without the
// Gaussian only the cut at round(p) is left.
inline Slope slope_of_centre(bool with_gaussian, uint64_t seed) {
  Generator rng(seed);
  nn::LocalPScope scope(nn::chosen<nn::LocalPScope>({.window = 3}, {.query = 8}), rng);
  nn::convert(scope, heed::DType::f64);
  Variable query(Tensor::normal({1, 1, 8}, rng, 0, 1, heed::DType::f64));
  Variable scores(Tensor::normal({1, 1, 35}, rng, 0, 1, heed::DType::f64));
  Variable values(Tensor::normal({1, 35, 4}, rng, 0, 1, heed::DType::f64));
  auto loss = [&] {
    nn::StageContext context{.places = {.queries = 1, .keys = 35}};
    nn::Restriction w = scope(query, {}, context);
    return sum(square(
        nn::attend(scores, values, {.allowed = w.allowed, .factor = with_gaussian ? w.factor : Variable()}).context));
  };
  Variable& v = scope.v.weight;  // [1, 8]
  Tensor kept = v.value().clone();
  Variable g = heed::grad({loss() + 0.0 * sum(v)}, {v})[0];  // 0 * v: without the Gaussian, v is in no other term
  constexpr double kStep = 1e-5;
  auto nudged = [&](double by) {
    heed::NoGrad guard;
    Tensor moved = kept.clone();
    moved.set({0, 0}, moved.at({0, 0}) + by);
    v.set_value(moved);
    return loss().item();
  };
  double numeric = (nudged(kStep) - nudged(-kStep)) / (2 * kStep);
  v.set_value(kept);
  return {g.value().at({0, 0}), numeric};
}

}  // namespace local
