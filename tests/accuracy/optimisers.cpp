// Steps of the optimisers, and the 16-bit formats.
//
// After ten steps a weight is compared with the same formulas in long double, in epsilons of |w| and the steps' sizes
// added up. Gradients have sizes from 1e-15 to 1e15, whose squares are numbers of f32 too. The bound, 8, is a rounding
// or two for each step. The 16-bit formats are widened to f32 exactly, so that their bound is 0.
#include <memory>

#include "nn/io/half.h"
#include "nn/optim/adadelta.h"
#include "nn/optim/adagrad.h"
#include "nn/optim/adam.h"
#include "nn/optim/rmsprop.h"
#include "nn/optim/sgd.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/table.h"

namespace heed::accuracy {
namespace {

using Real = long double;
// The options, as the doubles that the optimisers are given.
constexpr Real k01 = 0.1, k001 = 0.01, k09 = 0.9, k099 = 0.99, k0999 = 0.999;
struct State {
  Real w, a = 0, b = 0;  // the weight and two slots
};
struct Rule {
  const char* name;
  std::unique_ptr<nn::Optimizer> (*make)(const std::vector<NamedVariable>&);
  void (*step)(State& s, Real g, int t);
};

template <class Kind>
std::unique_ptr<nn::Optimizer> make(const std::vector<NamedVariable>& parameters, typename Kind::Options options) {
  return std::make_unique<Kind>(parameters, options);
}

const std::vector<Rule> rules = {
    {"SGD, momentum",
     [](auto& p) { return make<nn::SGD>(p, {.learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.1}); },
     [](State& s, Real g, int) {
       s.a = k09 * s.a + (g + k01 * s.w);
       s.w -= k001 * s.a;
     }},
    {"Adam", [](auto& p) { return make<nn::Adam>(p, {.learning_rate = 0.01}); },
     [](State& s, Real g, int t) {
       s.a = k09 * s.a + (1 - k09) * g;
       s.b = k0999 * s.b + (1 - k0999) * g * g;
       s.w -= k001 * (s.a / (1 - std::pow(k09, t))) / (std::sqrt(s.b / (1 - std::pow(k0999, t))) + Real{1e-8});
     }},
    {"AdamW", [](auto& p) { return make<nn::AdamW>(p, {.learning_rate = 0.01, .weight_decay = 0.1}); },
     [](State& s, Real g, int t) {
       s.a = k09 * s.a + (1 - k09) * g;
       s.b = k0999 * s.b + (1 - k0999) * g * g;
       s.w = s.w * (1 - k001 * k01) -
             k001 * (s.a / (1 - std::pow(k09, t))) / (std::sqrt(s.b / (1 - std::pow(k0999, t))) + Real{1e-8});
     }},
    {"RMSprop", [](auto& p) { return make<nn::RMSprop>(p, {.learning_rate = 0.01, .alpha = 0.99, .epsilon = 1e-8}); },
     [](State& s, Real g, int) {
       s.a = k099 * s.a + (1 - k099) * g * g;
       s.w -= k001 * g / (std::sqrt(s.a) + Real{1e-8});
     }},
    {"Adagrad", [](auto& p) { return make<nn::Adagrad>(p, {.learning_rate = 0.01}); },
     [](State& s, Real g, int) {
       s.a += g * g;
       s.w -= k001 * g / (std::sqrt(s.a) + Real{1e-10});
     }},
    {"Adadelta", [](auto& p) { return make<nn::Adadelta>(p, {}); },
     [](State& s, Real g, int) {
       s.a = k09 * s.a + (1 - k09) * g * g;
       Real u = g * std::sqrt(s.b + Real{1e-6}) / std::sqrt(s.a + Real{1e-6});
       s.b = k09 * s.b + (1 - k09) * u * u;
       s.w -= u;
     }},
};

template <class T>
void add_steps(Table& table, const Rule& rule) {
  Generator rng(16);
  int64_t n = table.sweep.values(20'000);
  Values<T> start = all_sizes<T>(n, -20, 10, rng);
  NamedVariable w{"w", Variable(tensor_of(start).clone(), Variable::kRequiresGrad)};
  std::unique_ptr<nn::Optimizer> optimizer = rule.make({w});
  std::vector<State> exact;
  for (T v : start) exact.push_back({v});
  std::vector<Real> scale(start.begin(), start.end());
  for (Real& s : scale) s = std::abs(s);
  Values<T> size = all_sizes<T>(n, -50, 50, rng);
  for (int t = 1; t <= 10; ++t) {
    Values<T> g = values<T>(n, [&](int64_t i) { return size[static_cast<size_t>(i)] * (0.2 + rng.uniform()); });
    w.variable.set_grad(tensor_of(g));
    optimizer->step();
    for (size_t i = 0; i < g.size(); ++i) {
      Real before = exact[i].w;
      rule.step(exact[i], g[i], t);
      scale[i] += std::abs(exact[i].w - before);
    }
  }
  // Adam's bias correction, 1 - 0.999^t in double, cancels: 250 epsilons of f64 at t = 2, of which the root leaves
  // half.
  double bound = std::is_same_v<T, double> && std::string(rule.name).starts_with("Adam") ? 32 : 8;
  table.row<T>("eps", rule.name, "10 steps, gradients 1e-15 to 1e15", bound, [&](Errors<T>& errors) {
    for (size_t i = 0; i < exact.size(); ++i)
      errors.eps(w.variable.value().template data<T>()[i], exact[i].w, scale[i]);
  });
}

// The value of a 16-bit float with the given number of exponent bits, by its definition.
Real value_of(unsigned bits, int exponent_bits) {
  int mantissa_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  Real mantissa = static_cast<Real>(bits & ((1u << mantissa_bits) - 1)), sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa != 0 ? std::numeric_limits<Real>::quiet_NaN() : sign * std::numeric_limits<Real>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(std::ldexp(Real{1}, mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

}  // namespace

void add_optimisers(Table& table) {
  for (const Rule& rule : rules) {
    add_steps<float>(table, rule);
    add_steps<double>(table, rule);
  }
}

void add_conversions(Table& table) {
  table.row<float>("ulp", "bf16 to f32", "all 65,536", 0, [](Errors<float>& errors) {
    for (unsigned b = 0; b < 65536; ++b) errors.ulp(io::widen_bf16(static_cast<uint16_t>(b)), value_of(b, 8));
  });
  table.row<float>("ulp", "f16 to f32", "all 65,536", 0, [](Errors<float>& errors) {
    for (unsigned b = 0; b < 65536; ++b) errors.ulp(io::widen_f16(static_cast<uint16_t>(b)), value_of(b, 5));
  });
}

}  // namespace heed::accuracy
