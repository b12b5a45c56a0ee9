// Every function of one element, y_i = f(x_i), with its gradient. To add one, write it here and nowhere else.
//
// First the functions, as they are called. Each takes a Tensor or a Variable of any strides and gives a contiguous one
// of the same kind. DTypeError unless f32 or f64 (neg, abs and square: or i64). On Variables
// (autograd/elementwise.cpp) they can be differentiated any number of times.
//
// Below them the table. A row says what f is:
//
//   {name, value, gradient, where it is smooth, parameters to try it with}
//
//   value      y from x
//   gradient   dx from dy (the gradient of the loss with respect to y) and x, y or neither, which is then saved.
//              dx = dy f'(x), linear in dy. A dy of exactly 0 gives 0, whatever the slope: the two sources named below
//              ensure that, not the row. Where f is constant, `where` selects 0, since an infinite dy times 0 is NaN.
//
// A formula is written once and compiled for everything that has its operators and functions: in tensor/elementwise.cpp
// for Lanes of f32 and f64, as kernels that pass over memory once, forward and back; in autograd/elementwise.cpp for
// Variables, which record the gradient itself. From the last two columns autograd/cases takes the points at which every
// gradient is checked against measured differences.
//
// Papers: Maas et al., ICML workshop 2013 (leaky_relu); Clevert et al., ICLR 2016 (elu); Klambauer et al., NIPS 2017
// (selu); Hendrycks and Gimpel, arXiv 1606.08415 (gelu); Elfwing et al., Neural Networks 107, 2018 (silu, also called
// swish); Misra, BMVC 2020 (mish); Dugas et al., NIPS 2000 (softplus); Collobert, thesis 2004 (hardtanh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"

namespace heed {

template <class X>
concept Array = requires(const X& x) {  // a Tensor or a Variable
  x.shape();
  x.dtype();
};

// The name of a row, hashed by the compiler, so that the row is found in one step.
constexpr uint32_t hash_of(const char* name) {
  uint32_t hash = 2166136261;
  while (*name) hash = (hash ^ static_cast<unsigned char>(*name++)) * 16777619;
  return hash;
}
struct RowName {
  consteval RowName(const char* name) : hash(hash_of(name)) {}  // NOLINT: implicit, elementwise("tanh", x)
  uint32_t hash;
};
struct FunctionParameters {
  double a = 0, b = 0;
};
Tensor elementwise(RowName name, const Tensor& x, FunctionParameters p = {});  // ValueError: no row of this name

enum class Gelu { exact, tanh_form };  // tanh_form: the approximation of the first GPT models, off by at most 5e-4
struct SoftplusOptions {
  double beta = 1;
  double threshold = 20;  // where beta x exceeds it, y = x: at 20 the error is 2.1e-9 / beta
};
// The options as parameters, checked (ValueError).
FunctionParameters clamp_parameters(double low, double high);            // low <= high
FunctionParameters hardtanh_parameters(double low, double high);         // low < high
FunctionParameters softplus_parameters(const SoftplusOptions& options);  // beta > 0

// --- the functions ---
auto neg(const Array auto& x) { return elementwise("neg", x); }
auto abs(const Array auto& x) { return elementwise("abs", x); }                // gradient 0 at 0, where it has a corner
auto square(const Array auto& x) { return elementwise("square", x); }          // x^2
auto reciprocal(const Array auto& x) { return elementwise("reciprocal", x); }  // 1 / x
auto sqrt(const Array auto& x) { return elementwise("sqrt", x); }              // gradient infinite at 0
auto rsqrt(const Array auto& x) { return elementwise("rsqrt", x); }            // 1 / sqrt(x)
auto exp(const Array auto& x) { return elementwise("exp", x); }
auto expm1(const Array auto& x) { return elementwise("expm1", x); }  // e^x - 1, accurate near 0
auto log(const Array auto& x) { return elementwise("log", x); }      // natural; -inf at 0, NaN below
auto log1p(const Array auto& x) { return elementwise("log1p", x); }  // log(1 + x), accurate near 0
auto sin(const Array auto& x) { return elementwise("sin", x); }
auto cos(const Array auto& x) { return elementwise("cos", x); }
auto erf(const Array auto& x) { return elementwise("erf", x); }  // 2 / sqrt(pi) int_0^x exp(-t^2) dt
auto pow(const Array auto& x, double exponent) { return elementwise("pow", x, {exponent}); }  // x^exponent
auto sign(const Array auto& x) { return elementwise("sign", x); }                             // -1, 0 or 1
auto floor(const Array auto& x) { return elementwise("floor", x); }  // the largest integer that is not above x
auto round(const Array auto& x) { return elementwise("round", x); }  // the nearest integer; a half goes to the even one
auto clamp(const Array auto& x, double low, double high) {           // min(max(x, low), high); ValueError if low > high
  return elementwise("clamp", x, clamp_parameters(low, high));
}

auto relu(const Array auto& x) { return elementwise("relu", x); }  // max(x, 0)
auto leaky_relu(const Array auto& x, double slope = 0.01) {        // x > 0 ? x : slope x
  return slope == 0 ? relu(x) : elementwise("leaky_relu", x, {slope});
}
auto hardtanh(const Array auto& x, double low = -1, double high = 1) {  // clamp; gradient 0 at low and high too
  return elementwise("hardtanh", x, hardtanh_parameters(low, high));
}
auto tanh(const Array auto& x) { return elementwise("tanh", x); }
auto sigmoid(const Array auto& x) { return elementwise("sigmoid", x); }  // 1 / (1 + e^-x)
auto elu(const Array auto& x, double alpha = 1) {
  return elementwise("elu", x, {alpha});
}  // x > 0 ? x : alpha (e^x - 1)
auto selu(const Array auto& x) { return elementwise("selu", x); }  // 1.0507 elu(x, 1.6733)
auto gelu(const Array auto& x, Gelu form = Gelu::exact) {          // x Phi(x), Phi the normal distribution function
  return elementwise("gelu", x, {form == Gelu::exact ? 0.0 : 1.0});
}
auto silu(const Array auto& x) { return elementwise("silu", x); }          // x sigmoid(x)
auto mish(const Array auto& x) { return elementwise("mish", x); }          // x tanh(softplus(x))
auto softplus(const Array auto& x, const SoftplusOptions& options = {}) {  // log(1 + e^(beta x)) / beta
  return elementwise("softplus", x, softplus_parameters(options));
}

// --- the table ---
namespace elementwise_table {
using Parameters = FunctionParameters;

enum class Keeps { nothing, x, y };  // what backward needs
template <Keeps keeps, class F>
struct Gradient {};
template <class F>
constexpr Gradient<Keeps::nothing, F> of_dy(F) {  // dx = F(dy)
  return {};
}
template <class F>
constexpr Gradient<Keeps::x, F> of_x(F) {  // dx = F(dy, x)
  return {};
}
template <class F>
constexpr Gradient<Keeps::y, F> of_y(F) {  // dx = F(dy, y)
  return {};
}
template <class F>
struct Numbers : F {
  static constexpr bool integers = true;
};
template <class F>
constexpr Numbers<F> for_integers_too(F) {  // a value for i64 too
  return {};
}

template <class F>
struct Choice : F {
  static constexpr bool chooses = true;
};
template <class F>
constexpr Choice<F> choosing(F) {  // a gradient that is dy or 0: it needs no rule for dy = 0
  return {};
}

// Where gradients are checked. positive: x >= 0.5. off_integers: corners at integers, so x is at least 0.1 from each.
// between_integers, between_halves: x is at least 0.1 from the jumps; f(x) x^2 is checked too, as f'(x) is 0.
enum class Smooth { everywhere, positive, off_integers, between_integers, between_halves };

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrt2OverPi = 0.79788456080286535588, kTwoOverSqrtPi = 1.12837916709551257390;
constexpr double kInvSqrt2Pi = 0.39894228040143267794, kCubic = 0.044715;
// With these two a normal x of mean 0 and variance 1 gives a selu(x) of mean 0 and variance 1.
constexpr double kSeluScale = 1.0507009873554804934, kSeluAlpha = 1.6732632423543772848;

// Beyond it the slopes of gelu, silu and mish are 0 or 1 to the last bit; within, no product is 0 times infinity.
constexpr double kReach = 1000;

// tanh(softplus(x)) = n / (n + 2), n = u (u + 2), u = e^x: accurate for x far below 0. From x = 30 on it rounds to 1.
constexpr auto mish_n = [](auto x) {
  auto u = exp(where(x > 30, 30, x));
  return u * (u + 2);
};

// clang-format off
template <class Row>
inline constexpr Row kElementwiseTable[] = {
    {"neg", for_integers_too([](auto x) { return -x; }), of_dy([](auto dy) { return -dy; })},
    {"abs", for_integers_too([](auto x) { return abs(x); }),
     of_x([](auto dy, auto x) { return where(x == 0, 0, dy * sign(x)); }), Smooth::off_integers},
    {"square", for_integers_too([](auto x) { return x * x; }), of_x([](auto dy, auto x) { return dy * x * 2; })},
    {"reciprocal", [](auto x) { return 1 / x; }, of_y([](auto dy, auto y) { return -dy * y * y; }), Smooth::positive},
    {"sqrt", [](auto x) { return sqrt(x); }, of_y([](auto dy, auto y) { return dy * 0.5 / y; }), Smooth::positive},
    {"rsqrt", [](auto x) { return 1 / sqrt(x); }, of_y([](auto dy, auto y) { return dy * -0.5 * y * y * y; }),
     Smooth::positive},
    {"exp", [](auto x) { return exp(x); }, of_y([](auto dy, auto y) { return dy * y; })},
    {"expm1", [](auto x) { return expm1(x); }, of_x([](auto dy, auto x) { return dy * exp(x); })},
    {"log", [](auto x) { return log(x); }, of_x([](auto dy, auto x) { return dy / x; }), Smooth::positive},
    {"log1p", [](auto x) { return log1p(x); }, of_x([](auto dy, auto x) { return dy / (1 + x); }), Smooth::positive},
    {"sin", [](auto x) { return sin(x); }, of_x([](auto dy, auto x) { return dy * cos(x); })},
    {"cos", [](auto x) { return cos(x); }, of_x([](auto dy, auto x) { return -dy * sin(x); })},
    {"erf", [](auto x) { return erf(x); },
     of_x([](auto dy, auto x) { return dy * exp(-x * x) * kTwoOverSqrtPi; })},
    {"pow", [](auto x, Parameters p) { return pow(x, p.a); },
     of_x([](auto dy, auto x, Parameters p) {
       if (p.a == 0) return nothing_of(dy);
       if (p.a < 0) return times_power(dy, x, p.a) / x * p.a;  // 1 / x fits where 1 / x^2 may not
       return p.a < 1 ? times_power(dy * p.a, x, p.a - 1) : times_power(dy, x, p.a - 1) * p.a;
     }),
     Smooth::positive, {{-1}, {0}, {0.5}, {1}, {2}, {2.7}}},

    // Constant between jumps, so the gradient is 0. A straight-through estimator is a custom
    // operation (attach.h).
    {"sign", [](auto x) { return sign(x); }, of_dy([](auto dy) { return nothing_of(dy); }), Smooth::between_integers},
    {"floor", [](auto x) { return floor(x); }, of_dy([](auto dy) { return nothing_of(dy); }), Smooth::between_integers},
    {"round", [](auto x) { return round(x); }, of_dy([](auto dy) { return nothing_of(dy); }), Smooth::between_halves},

    // Straight lines with corners.
    {"clamp", [](auto x, Parameters p) { return clamp(x, p.a, p.b); },
     of_x(choosing([](auto dy, auto x, Parameters p) { return where(x >= p.a, where(x <= p.b, dy, 0), 0); })),
     Smooth::off_integers, {{-1, 1}}},
    {"hardtanh", [](auto x, Parameters p) { return clamp(x, p.a, p.b); },
     of_x(choosing([](auto dy, auto x, Parameters p) { return where(x <= p.a, 0, where(x >= p.b, 0, dy)); })),
     Smooth::off_integers, {{-1, 1}, {0, 1}}},
    {"relu", [](auto x) { return where(x < 0, 0, x); },
     of_y(choosing([](auto dy, auto y) { return where(y <= 0, 0, dy); })), Smooth::off_integers},
    {"leaky_relu", [](auto x, Parameters p) { return where(x > 0, x, p.a * x); },
     of_x([](auto dy, auto x, Parameters p) { return where(x > 0, dy, p.a * dy); }),
     Smooth::off_integers, {{0.01}, {0.3}}},

    // Bounded.
    {"tanh", [](auto x) { return tanh(x); }, of_y([](auto dy, auto y) { return dy * (1 - y * y); })},
    {"sigmoid", [](auto x) { return sigmoid(x); }, of_y([](auto dy, auto y) { return dy * (y * (1 - y)); })},

    // Linear for large x, curved near 0.
    {"elu", [](auto x, Parameters p) { return where(x > 0, x, p.a * expm1(x)); },
     of_x([](auto dy, auto x, Parameters p) { return where(x > 0, dy, dy * exp(x) * p.a); }),
     Smooth::off_integers, {{1}, {0.7}}},
    {"selu", [](auto x) { return kSeluScale * where(x > 0, x, kSeluAlpha * expm1(x)); },
     of_x([](auto dy, auto x) { return where(x > 0, dy, dy * exp(x) * kSeluAlpha) * kSeluScale; }),
     Smooth::off_integers},
    {"gelu", [](auto x, Parameters form) {
       auto y = form.a == 0 ? x * normal_cdf(x) : x * (0.5 + 0.5 * tanh(kSqrt2OverPi * x * (1 + kCubic * x * x)));
       return where(x < -kReach, 0, y);
     },
     of_x([](auto dy, auto far, Parameters form) {
       auto x = clamp(far, -kReach, kReach);
       if (form.a == 0) return dy * (normal_cdf(x) + x * kInvSqrt2Pi * exp(-0.5 * x * x));
       auto t = tanh(kSqrt2OverPi * x * (1 + kCubic * x * x));
       return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kSqrt2OverPi * (1 + 3 * kCubic * x * x));
     }),
     Smooth::everywhere, {{0}, {1}}},
    {"silu", [](auto x) { return where(x < -kReach, 0, x * sigmoid(x)); },
     of_x([](auto dy, auto far) {
       auto x = clamp(far, -kReach, kReach), s = sigmoid(x);
       return dy * (s * (1 + x * (1 - s)));
     })},
    {"mish", [](auto x) {
       auto n = mish_n(x);
       return where(x < -kReach, 0, x * (n / (n + 2)));
     },
     of_x([](auto dy, auto far) {
       auto x = clamp(far, -kReach, kReach), n = mish_n(x), rest = 2 / (n + 2);  // 1 - tanh
       return dy * (n / (n + 2) + x * sigmoid(x) * rest * (2 - rest));
     })},
    {"softplus", [](auto x, Parameters p) {  // beta, threshold
       auto z = p.a * x;
       return where(z > p.b, x, (where(z > 0, z, 0) + log1p(exp(-abs(z)))) / p.a);
     },
     of_x([](auto dy, auto x, Parameters p) { return dy * where(p.a * x > p.b, 1, sigmoid(p.a * x)); }),
     Smooth::off_integers, {{1, 20}, {2, 20}, {20, 20}}},
};
// clang-format on

}  // namespace elementwise_table

// The kernels of a row, for autograd/elementwise.cpp. `kept` is x or y.
size_t row_of(RowName name);
Tensor value_of(size_t row, const Tensor& x, FunctionParameters p);
Tensor gradient_of(size_t row, const Tensor& dy, const Tensor& kept, FunctionParameters p);

}  // namespace heed
