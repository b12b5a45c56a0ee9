#include "nn/attention/recurrences/diagonal_system.h"

#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

constexpr double kTinySquare = 1e-14;

DiagonalSystem::DiagonalSystem(const Options& o, Generator& rng)
    : options(o),
      log_step(spread_log_steps({o.systems}, rng)),
      log_rate(full_parameter({o.systems, o.modes}, std::log(0.5))),
      read(normal_parameter({o.systems, o.modes, 2}, std::sqrt(0.5), rng)),  // |C|^2 is 1 on average
      skip(normal_parameter({o.systems}, 1, rng)) {
  Tensor f = Tensor::empty({o.systems, o.modes}, parameter_dtype());
  for (int64_t s = 0; s < o.systems; ++s)
    for (int64_t m = 0; m < o.modes; ++m) f.set({s, m}, std::numbers::pi * static_cast<double>(m));
  frequency = Variable(f, Variable::kRequiresGrad);
}

Complex DiagonalSystem::decay() const {
  Variable dt = unsqueeze(exp(log_step), -1), size = exp(-dt * exp(log_rate)), angle = dt * frequency;
  return {size * cos(angle), size * sin(angle)};
}

Complex DiagonalSystem::weights() const {
  Variable dt = unsqueeze(exp(log_step), -1), x = -dt * exp(log_rate), y = dt * frequency;  // z = dt A = x + i y
  // (a - 1) / A = dt (e^z - 1) / z. For z near 0, e^z - 1 = (e^x - 1) cos y - 2 sin^2(y / 2) + i e^x sin y keeps its
  // digits; where z^2 would vanish, the quotient is 1 + z / 2.
  Variable grown = expm1(x), squares = square(x) + square(y);
  Tensor tiny = less(squares.value(), kTinySquare);
  Variable by = masked_fill(squares, tiny, 1);
  Complex quotient = Complex{grown * cos(y) - 2 * square(sin(y / 2)), (grown + 1) * sin(y)} * Complex{x / by, -y / by};
  quotient = {where(tiny, 1 + x / 2, quotient.re), where(tiny, y / 2, quotient.im)};
  return Complex{select(read, -1, 0), select(read, -1, 1)} * Complex{dt * quotient.re, dt * quotient.im};
}

Variable DiagonalSystem::kernel(int64_t T) const {
  Complex a = decay(), c = weights(), power{Variable(Tensor::ones(a.re.shape(), a.re.dtype())), {}};
  power.im = Variable(Tensor::zeros(a.re.shape(), a.re.dtype()));
  std::vector<Variable> k;
  for (int64_t l = 0; l < T; ++l, power = power * a) k.push_back(2 * sum((c * power).re, {-1}));
  return stack(k, 1);
}

DiagonalSystem::Read DiagonalSystem::operator()(const Variable& u, const Tensor& words, int64_t chunk,
                                                const Complex& state) const {
  Call call(*this);
  const int64_t B = u.size(0), T = u.size(1), F = u.size(2), X = u.size(3), M = options.modes;
  auto of_words = [&](const Variable& x) { return reshape(x, {1, 1, F, 1, M}); };
  Complex a = decay(), c = weights();
  a = {of_words(a.re), of_words(a.im)};
  if (words.defined()) {  // at padding the state neither decays nor turns
    Tensor padding = padding_of(words, 5);
    a = {masked_fill(expand(a.re, {B, T, F, 1, M}), padding, 1),
         masked_fill(expand(a.im, {B, T, F, 1, M}), padding, 0)};
  }
  const Shape states{B, T, F, X, M};
  Complex h =
      diagonal_scan(a, {expand(unsqueeze(u, -1), states), Variable(Tensor::zeros(states, u.dtype()))}, chunk, state);
  Variable y = 2 * sum(of_words(c.re) * h.re - of_words(c.im) * h.im, {-1}) + reshape(skip, {F, 1}) * u;
  return {call.result("output", y), {slice(h.re, 1, T - 1, T), slice(h.im, 1, T - 1, T)}};
}

}  // namespace heed::nn
