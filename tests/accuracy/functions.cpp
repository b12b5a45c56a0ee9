// Functions of one element, in units of the last place.
//
// The bounds are those that tensor/kernels/vec_math.h promises (2 ulp for exp, expm1, log, log1p, tanh, sigmoid and
// erf) and that IEEE 754 promises for the square root. The others are about twice the largest error that the whole
// sweep found with GCC 12 and AVX-512.
#include "tensor/functions.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/table.h"

namespace heed::accuracy {
namespace {

using Real = long double;

struct Function {
  const char* name;
  Tensor (*ours)(const Tensor&);
  Real (*exact)(Real);
  std::vector<double> places;     // where something changes: the neighbours of each place are tried
  double low, high;               // the domain
  double f32, f64;                // bounds
  Real (*scale)(Real) = nullptr;  // if given, the unit is an epsilon of it
};

Real sigmoid_of(Real x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
Real softplus_of(Real x) { return x > 20 ? x : std::max<Real>(x, 0) + std::log1p(std::exp(-std::abs(x))); }
Real mish_of(Real x) {  // tanh(softplus(x)) = n / (n + 2), n = u (u + 2), u = e^x
  Real u = std::exp(std::min<Real>(x, 60)), n = u * (u + 2);
  return x * (n / (n + 2));
}

const std::vector<Function>& functions() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static const std::vector<Function> all = {
      {"exp",
       [](const Tensor& x) { return exp(x); },
       [](Real x) { return std::exp(x); },
       {0, 88.72283905, -87.33654475, -103.97208, 709.782712893, -708.3964185, -745.1332191},
       -inf,
       inf,
       2,
       2},
      {"expm1",
       [](const Tensor& x) { return expm1(x); },
       [](Real x) { return std::expm1(x); },
       {0, 88.72283905, -17.3, 709.782712893, -37, 0.34657359},
       -inf,
       inf,
       2,
       2},
      {"log",
       [](const Tensor& x) { return log(x); },
       [](Real x) { return std::log(x); },
       {1, 0.7071067811865476, 1.4142135623730951, 1.17549435e-38, 2.2250738585072014e-308},
       0,
       inf,
       2,
       2},
      {"log1p",
       [](const Tensor& x) { return log1p(x); },
       [](Real x) { return std::log1p(x); },
       {0, -1, 1, -0.29289321881345254, 0.41421356237309515},
       -1,
       inf,
       2,
       2},
      {"tanh",
       [](const Tensor& x) { return tanh(x); },
       [](Real x) { return std::tanh(x); },
       {0, 0.625, -0.625, 10, 20},
       -inf,
       inf,
       2,
       2},
      {"sigmoid",
       [](const Tensor& x) { return sigmoid(x); },
       sigmoid_of,
       {0, -87.3, -103.9, 17, -708.4, -745},
       -inf,
       inf,
       2,
       2},
      {"erf",
       [](const Tensor& x) { return erf(x); },
       [](Real x) { return std::erf(x); },
       {0, 1, -1, 3.95, 6},
       -inf,
       inf,
       2,
       2},
      {"sqrt",
       [](const Tensor& x) { return sqrt(x); },
       [](Real x) { return std::sqrt(x); },
       {1, 4, 1.17549435e-38},
       0,
       inf,
       0.5,
       0.5001},
      {"rsqrt",
       [](const Tensor& x) { return rsqrt(x); },
       [](Real x) { return 1 / std::sqrt(x); },
       {1, 4},
       0,
       inf,
       1.5,
       1.5},
      {"sin",
       [](const Tensor& x) { return sin(x); },
       [](Real x) { return std::sin(x); },
       {0, 3.141592653589793, 1e4},
       -1e15,
       1e15,
       1,
       1},
      {"cos",
       [](const Tensor& x) { return cos(x); },
       [](Real x) { return std::cos(x); },
       {0, 1.5707963267948966, 1e4},
       -1e15,
       1e15,
       1,
       1},
      {"pow 2.5",
       [](const Tensor& x) { return pow(x, 2.5); },
       [](Real x) { return std::pow(x, Real{2.5}); },
       {1, 1e-3},
       0,
       inf,
       1,
       1},
      {"gelu",
       [](const Tensor& x) { return gelu(x); },
       [](Real x) { return x * Real{0.5} * std::erfc(-x * std::sqrt(Real{0.5})); },
       {0, 1, -1, 5},
       -inf,
       inf,
       1,
       1,
       [](Real x) { return std::abs(x); }},
      {"silu",
       [](const Tensor& x) { return silu(x); },
       [](Real x) { return x * sigmoid_of(x); },
       {0, -87.3, 17},
       -1000,
       inf,
       4,
       4,
       [](Real x) { return std::abs(x * sigmoid_of(x)); }},
      {"mish",
       [](const Tensor& x) { return mish(x); },
       mish_of,
       {0, 30, -40},
       -1000,
       inf,
       6,
       6,
       [](Real x) { return std::abs(mish_of(x)); }},
      {"softplus", [](const Tensor& x) { return softplus(x); }, softplus_of, {0, 20, -80}, -inf, inf, 4, 4},
      {"elu",
       [](const Tensor& x) { return elu(x); },
       [](Real x) { return x > 0 ? x : std::expm1(x); },
       {0, -17},
       -inf,
       inf,
       2,
       2},
  };
  return all;
}

template <class T>
void add(Table& table, const Function& f, double bound) {
  using L = std::numeric_limits<T>;
  Generator rng(11);
  int64_t n = table.sweep.values(200'000);
  auto try_on = [&](const char* inputs, Values<T> x) {
    std::erase_if(x, [&](T v) { return !(v >= f.low && v <= f.high); });
    Tensor in = tensor_of(x), got = f.ours(in);
    table.row<T>(f.scale ? "eps" : "ulp", f.name, inputs, bound, [&](Errors<T>& errors) {
      const T* y = got.template data<T>();
      for (size_t i = 0; i < x.size(); ++i) {
        if (f.scale)
          errors.eps(y[i], f.exact(x[i]), f.scale(x[i]) + std::abs(x[i]) * static_cast<Real>(L::min()));
        else
          errors.ulp(y[i], f.exact(x[i]));
      }
    });
  };
  try_on("every size", all_sizes<T>(n, L::min_exponent - L::digits, L::max_exponent - 0.001, rng));
  try_on("from 2^-10 to 2^10", all_sizes<T>(n, -10, 10, rng));
  try_on("next to its corners", neighbours<T>(f.places, table.sweep.values(4096)));
}

}  // namespace

void add_functions(Table& table) {
  for (const Function& f : functions()) {
    add<float>(table, f, f.f32);
    add<double>(table, f, f.f64);
  }
}

}  // namespace heed::accuracy
