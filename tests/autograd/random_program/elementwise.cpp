// Elementwise operations of random programs, with broadcasting.
#include <fmt/format.h>

#include "tensor/elementwise.h"
#include "tests/autograd/random_program/operations.h"

namespace random_program {

std::string str(double x) { return fmt::format("{:g}", x); }

namespace {

using std::tuple;

Operation function(const std::string& name, Variable (*engine)(V), Real (*slow)(Real), Range range = kAnywhere) {
  return {name, [=](Pick& p) {
            p.any(0, 4, range);
            return call([=](In in) { return Variables{engine(in[0])}; },
                        [=](Slow in) { return Arrays{slow::map(in[0], slow)}; }, tuple{});
          }};
}
Operation pairwise(const std::string& name, Variable (*engine)(V, V), Real (*slow)(Real, Real), Range first = kAnywhere,
                   Range second = kAnywhere) {
  return {name, [=](Pick& p) {
            p.against(p.any(0, 4, first), second);
            return call([=](In in) { return Variables{engine(in[0], in[1])}; },
                        [=](Slow in) { return Arrays{slow::map(in[0], in[1], slow)}; }, tuple{});
          }};
}
// One option s, and the function of x and s.
Operation with_option(const std::string& name, double low, double high, Variable (*engine)(V, double),
                      Real (*slow)(Real, Number), Range range = kAnywhere) {
  return {name, [=](Pick& p) {
            p.any(0, 4, range);
            return call([=](In in, double s) { return Variables{engine(in[0], s)}; },
                        [=](Slow in, double s) { return Arrays{slow::map(in[0], [&](Real x) { return slow(x, s); })}; },
                        tuple{p.number(low, high)});
          }};
}
// The same formula for both.
template <class F>
Operation scalar(const std::string& name, F, Range range = kAnywhere) {
  return with_option(
      name, 0.5, 2, [](V x, double s) { return F()(x, s); }, [](Real x, Number s) { return F()(x, s); }, range);
}

// A step that is `to_jump` away from its next jump: a constant.
Real step(Number value, Number to_jump) {
  slow::Tape::current()->corner = std::min(slow::Tape::current()->corner, std::fabs(to_jump));
  return {value};
}
Real sign_of(Real x) { return step(Number(x.v() > 0) - Number(x.v() < 0), x.v()); }
Real floor_of(Real x) { return step(std::floor(x.v()), x.v() - std::round(x.v())); }
Real round_of(Real x) { return step(std::nearbyint(x.v()), x.v() - std::floor(x.v()) - Number{0.5}); }

// f(x), which goes to 0 at one end and to x at the other: there inf times 0 is not asked.
template <class F>
Real between_tails(Real x, const F& f) {
  return x.v() < -12000 ? slow::unary(x, {}, {}) : x.v() > 12000 ? copy(x) : f(x);
}
Real gelu_exact(Real x) { return x * (1 + erf(x / std::sqrt(Number{2}))) * Number{0.5}; }
Real gelu_tanh(Real x) {
  Number c = std::sqrt(2 / std::acos(Number{-1}));
  return x * Number{0.5} * (1 + tanh(c * (x + Number{0.044715L} * x * x * x)));
}
Real selu(Real x) {
  Number scale = 1.0507009873554804934193349852946L, alpha = 1.6732632423543772848170429916717L;
  return less(x, 0) ? scale * alpha * expm1(x) : scale * x;
}
Real clamped(Real x, Number s) { return slow::smaller(slow::larger(x, s - 0.75L), s + 0.75L); }

}  // namespace

std::vector<Operation> elementwise_operations() {
  return {
      pairwise("add", heed::add, [](Real a, Real b) { return a + b; }),
      pairwise("sub", heed::sub, [](Real a, Real b) { return a - b; }),
      pairwise("mul", heed::mul, [](Real a, Real b) { return a * b; }),
      pairwise(
          "div", heed::div, [](Real a, Real b) { return a / b; }, kAnywhere, kPositive),
      pairwise("maximum", heed::maximum, slow::larger),
      pairwise("minimum", heed::minimum, slow::smaller),
      pairwise("pow", heed::pow, slow::pow, kPositive),
      scalar("x + s", [](auto x, auto s) { return x + s; }),
      scalar("s + x", [](auto x, auto s) { return s + x; }),
      scalar("x - s", [](auto x, auto s) { return x - s; }),
      scalar("s - x", [](auto x, auto s) { return s - x; }),
      scalar("x * s", [](auto x, auto s) { return x * s; }),
      scalar("s * x", [](auto x, auto s) { return s * x; }),
      scalar("x / s", [](auto x, auto s) { return x / s; }),
      scalar(
          "s / x", [](auto x, auto s) { return s / x; }, kPositive),
      function("neg", heed::neg, [](Real x) { return -x; }),
      function("abs", heed::abs, slow::abs),
      function("square", heed::square, [](Real x) { return x * x; }),
      function("exp", heed::exp, slow::exp),
      function("log", heed::log, slow::log, kPositive),
      function("sqrt", heed::sqrt, slow::sqrt, kPositive),
      function("tanh", heed::tanh, slow::tanh),
      function("sigmoid", heed::sigmoid, slow::sigmoid),
      function("relu", heed::relu, [](Real x) { return less(x, 0) ? Real(0) : copy(x); }),
      function("sin", heed::sin, slow::sin),
      function("cos", heed::cos, slow::cos),
      function("erf", heed::erf, slow::erf),
      function("expm1", heed::expm1, slow::expm1),
      function("log1p", heed::log1p, slow::log1p, kPositive),
      function(
          "rsqrt", heed::rsqrt, [](Real x) { return 1 / sqrt(x); }, kPositive),
      function(
          "reciprocal", heed::reciprocal, [](Real x) { return 1 / x; }, kPositive),
      function("sign", heed::sign, sign_of),
      function("floor", heed::floor, floor_of),
      function("round", heed::round, round_of),
      function("selu", heed::selu, selu),
      function("silu", heed::silu, [](Real x) { return between_tails(x, [](Real e) { return e * sigmoid(e); }); }),
      function("mish", heed::mish,
               [](Real x) { return between_tails(x, [](Real e) { return e * tanh(softplus(e)); }); }),
      function(
          "gelu", [](V x) { return heed::gelu(x, heed::Gelu::exact); },
          [](Real x) { return between_tails(x, gelu_exact); }),
      function(
          "gelu", [](V x) { return heed::gelu(x, heed::Gelu::tanh_form); },
          [](Real x) { return between_tails(x, gelu_tanh); }),
      with_option("leaky_relu", 0.01, 0.5, heed::leaky_relu,
                  [](Real x, Number s) { return less(x, 0) ? s * x : copy(x); }),
      with_option("elu", 0.3, 1.5, heed::elu, [](Real x, Number s) { return less(x, 0) ? s * expm1(x) : copy(x); }),
      with_option(
          "clamp", -1, 1, [](V x, double s) { return heed::clamp(x, s - 0.75, s + 0.75); }, clamped),
      with_option(
          "hardtanh", -1, 1, [](V x, double s) { return heed::hardtanh(x, s - 0.75, s + 0.75); }, clamped),
      with_option(
          "softplus", 0.5, 3, [](V x, double s) { return heed::softplus(x, {.beta = s}); },
          [](Real x, Number s) { return less(20, s * x) ? copy(x) : softplus(s * x) / s; }),
      with_option(
          "pow", -2, 3, heed::pow, [](Real x, Number s) { return pow(x, s); }, kPositive),
      with_option(
          "pow, a whole number", -1.4, 3.4, [](V x, double s) { return heed::pow(x, std::round(s)); },
          [](Real x, Number s) { return pow(x, std::round(s)); }),
      op(
          "where", +[](V a, V b, const Tensor& mask) { return where(mask, a, b); },
          +[](A a, A b, const Tensor& mask) {
            return slow::build(slow::broadcast(a.shape, b.shape),
                               [&](const slow::Index& i) { return at(mask, i) != 0 ? a.spread(i) : b.spread(i); });
          },
          [](Pick& p) {
            Shape a = p.any(), b = p.against(a);
            return tuple{p.bools(p.smaller(slow::broadcast(a, b)), 0.5)};
          }),
      op(
          "masked_fill", heed::masked_fill,
          +[](A x, const Tensor& mask, double value) {
            return slow::build(slow::broadcast(x.shape, mask.shape()),
                               [&](const slow::Index& i) { return at(mask, i) != 0 ? Real(value) : x.spread(i); });
          },
          [](Pick& p) {
            Shape x = p.any();
            return tuple{p.bools(p.coin(0.8) ? p.smaller(x) : slow::broadcast(x, {2, 1, 1}), 0.4), p.number(-2, 2)};
          }),
      op(
          "dropout",
          +[](V x, double rate, int64_t seed) {
            heed::Generator rng(static_cast<uint64_t>(seed));
            return dropout(x, rate, rng);
          },
          +[](A x, double rate, int64_t seed) {
            Tensor mask = heed::dropout_mask(x.shape, heed::DType::f64, rate, static_cast<uint64_t>(seed), 0);
            return slow::build(x.shape, [&](const slow::Index& i) { return x(i) * at(mask, i); });
          },
          [](Pick& p) {
            p.any();
            return tuple{p.number(0.01, 0.7), p.below(1000)};
          }),
  };
}

}  // namespace random_program
