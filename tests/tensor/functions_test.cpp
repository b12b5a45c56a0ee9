// Every function of tensor/functions.h and its slope at the ends of the number line, against formulas in long double:
// subnormal numbers, the smallest and largest normal ones, infinities, NaN, and what lies between.
#include "tensor/functions.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;

namespace {

using L = long double;

// Where the result may be tiny and is the difference of larger numbers, errors count absolutely, beside 1.
enum Error { relative, absolute };
struct Twin {
  RowName name;
  const char* text;
  FunctionParameters p;
  enum { of_x, of_y } kept;
  Error value_error, slope_error;
  L (*value)(L);
  L (*slope)(L);
};

L cdf(L x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
L pdf(L x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0L)); }
L logistic(L x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
L soft(L x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x))); }
// x f(x) where f goes to 0 faster than x to minus infinity.
L product(L x, L f) { return f == 0 && x < 0 ? 0 : x * f; }
L inner(L x) { return std::sqrt(2 / std::acos(-1.0L)) * x * (1 + 0.044715L * x * x); }
L step(L x, L f) { return std::isnan(x) ? x : f; }

const Twin kTwins[] = {
    {"neg", "neg", {}, Twin::of_x, relative, relative, [](L x) { return -x; }, [](L) -> L { return -1; }},
    {"abs",
     "abs",
     {},
     Twin::of_x,
     relative,
     relative,
     [](L x) { return std::abs(x); },
     [](L x) { return step(x, static_cast<L>((x > 0) - (x < 0))); }},
    {"square", "square", {}, Twin::of_x, relative, relative, [](L x) { return x * x; }, [](L x) { return 2 * x; }},
    {"reciprocal",
     "reciprocal",
     {},
     Twin::of_y,
     relative,
     relative,
     [](L x) { return 1 / x; },
     [](L x) { return -1 / (x * x); }},
    {"sqrt",
     "sqrt",
     {},
     Twin::of_y,
     relative,
     relative,
     [](L x) { return std::sqrt(x); },
     [](L x) { return 1 / (2 * std::sqrt(x)); }},
    {"exp",
     "exp",
     {},
     Twin::of_y,
     relative,
     relative,
     [](L x) { return std::exp(x); },
     [](L x) { return std::exp(x); }},
    {"expm1",
     "expm1",
     {},
     Twin::of_x,
     relative,
     relative,
     [](L x) { return std::expm1(x); },
     [](L x) { return std::exp(x); }},
    {"log", "log", {}, Twin::of_x, relative, relative, [](L x) { return std::log(x); }, [](L x) { return 1 / x; }},
    {"log1p",
     "log1p",
     {},
     Twin::of_x,
     relative,
     relative,
     [](L x) { return std::log1p(x); },
     [](L x) { return 1 / (1 + x); }},
    {"sin",
     "sin",
     {},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return std::sin(x); },
     [](L x) { return std::cos(x); }},
    {"cos",
     "cos",
     {},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return std::cos(x); },
     [](L x) { return -std::sin(x); }},
    {"erf",
     "erf",
     {},
     Twin::of_x,
     relative,
     absolute,
     [](L x) { return std::erf(x); },
     [](L x) { return 2 / std::sqrt(std::acos(-1.0L)) * std::exp(-x * x); }},
    {"tanh",
     "tanh",
     {},
     Twin::of_y,
     relative,
     absolute,
     [](L x) { return std::tanh(x); },
     [](L x) { return 1 - std::tanh(x) * std::tanh(x); }},
    {"sigmoid",
     "sigmoid",
     {},
     Twin::of_y,
     relative,
     absolute,
     logistic,
     [](L x) { return logistic(x) * (1 - logistic(x)); }},
    {"relu",
     "relu",
     {},
     Twin::of_y,
     relative,
     relative,
     [](L x) { return x < 0 ? 0 : x; },
     [](L x) -> L { return x <= 0 ? 0 : 1; }},  // of NaN, as PyTorch: dy passes
    {"leaky_relu",
     "leaky_relu",
     {0.25},
     Twin::of_x,
     relative,
     relative,
     [](L x) { return x > 0 ? x : x / 4; },
     [](L x) -> L { return x > 0 ? 1 : 0.25L; }},
    {"elu",
     "elu",
     {1.5},
     Twin::of_x,
     relative,
     relative,
     [](L x) { return x > 0 ? x : 1.5L * std::expm1(x); },
     [](L x) { return x > 0 ? 1 : 1.5L * std::exp(x); }},
    {"gelu",
     "gelu",
     {},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return product(x, cdf(x)); },
     [](L x) { return cdf(x) + (pdf(x) == 0 ? 0 : x * pdf(x)); }},
    {"gelu",
     "gelu, tanh form",
     {1},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return product(x, (1 + std::tanh(inner(x))) / 2); },
     [](L x) {
       L t = std::tanh(inner(x)), rest = 1 - t * t;
       return (1 + t) / 2 + (rest == 0 ? 0 : x * rest * std::sqrt(2 / std::acos(-1.0L)) * (1 + 0.134145L * x * x) / 2);
     }},
    {"silu",
     "silu",
     {},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return product(x, logistic(x)); },
     [](L x) { return std::abs(x) > 11000 ? static_cast<L>(x > 0) : logistic(x) * (1 + x * logistic(-x)); }},
    {"mish",
     "mish",
     {},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return product(x, std::tanh(soft(x))); },
     [](L x) {
       L t = std::tanh(soft(x));
       return std::abs(x) > 5000 ? static_cast<L>(x > 0) : t + x * (1 - t * t) * logistic(x);
     }},
    {"softplus",
     "softplus",
     {2, 20},
     Twin::of_x,
     absolute,
     absolute,
     [](L x) { return 2 * x > 20 ? x : soft(2 * x) / 2; },
     [](L x) { return 2 * x > 20 ? 1 : logistic(2 * x); }},
};

template <class T>
std::vector<T> points() {
  using N = std::numeric_limits<T>;
  std::vector<T> out = {0, N::denorm_min(), 8 * N::denorm_min(), N::min(), N::max() / 4, N::max(), N::infinity()};
  for (double e = std::log10(N::min()); e < std::log10(N::max()); e += 0.37)
    out.push_back(static_cast<T>(std::pow(10, e)));
  for (double x : {0.1,  0.3,  0.5,  1.0,   1.5,   3.0,   5.0,   9.0,   15.0,  20.0,  36.0,
                   60.0, 87.0, 88.5, 103.0, 300.0, 700.0, 709.5, 744.0, 999.0, 1001.0})
    out.push_back(static_cast<T>(x));
  for (size_t i = 0, n = out.size(); i < n; ++i) out.push_back(-out[i]);
  out.push_back(N::quiet_NaN());
  return out;
}

// Within `tolerance` of the exact number as T rounds it.
template <class T>
bool near(T got, L exact, Error error, double tolerance) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(exact)) return std::isnan(got);
  if (std::isinf(rounded) || std::isinf(got))
    return got == rounded || std::abs(exact) > 0.999L * std::numeric_limits<T>::max();
  L scale = error == relative ? std::abs(exact) : std::max(L{1}, std::abs(exact));
  return std::abs(got - exact) <=
         static_cast<L>(tolerance) * scale + 4 * static_cast<L>(std::numeric_limits<T>::denorm_min());
}

template <class T>
void check_ends() {
  std::vector<T> at = points<T>();
  Tensor x = Tensor::from(at, {static_cast<int64_t>(at.size())}), one = Tensor::ones(x.shape(), x.dtype());
  const double tolerance = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (const Twin& f : kTwins) {
    Tensor y = elementwise(f.name, x, f.p);
    Tensor slope = gradient_of(row_of(f.name), one, f.kept == Twin::of_y ? y : x, f.p);
    for (size_t i = 0; i < at.size(); ++i) {
      INFO(std::string(f.text), " at ", at[i], ": ", y.data<T>()[i], " slope ", slope.data<T>()[i], ", exact ",
           static_cast<double>(f.value(at[i])), " slope ", static_cast<double>(f.slope(at[i])));
      CHECK(near(y.data<T>()[i], f.value(at[i]), f.value_error, tolerance));
      CHECK(near(slope.data<T>()[i], f.slope(at[i]), f.slope_error, tolerance));
    }
  }
}

}  // namespace

TEST_CASE("functions: a parameter that f32 rounds to infinity or to 0 is refused, unless it only chooses") {
  Tensor x = Tensor::zeros({1});
  for (double p : {1e40, 1e-50}) {
    CHECK_THROWS_AS(leaky_relu(x, p), ValueError);
    CHECK_THROWS_AS(elu(x, -p), ValueError);
    CHECK_THROWS_AS(softplus(x, {.beta = p}), ValueError);
    CHECK(leaky_relu(x.to(DType::f64), p).item() == 0);
    CHECK(clamp(x, -p, p).item() == 0);
  }
  CHECK(elu(x, 0).item() == 0);
}

TEST_CASE("functions and their slopes at the ends of the number line") {
  check_ends<float>();
  check_ends<double>();
}
