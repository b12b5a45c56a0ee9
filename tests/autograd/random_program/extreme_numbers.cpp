// What the leaves of extreme programs hold: zeros of both signs, infinities, numbers near the largest, numbers whose
// squares leave the range of the type, denormal ones, and numbers about 1 beside them.
#include <limits>

#include "tests/autograd/random_program/operations.h"

namespace random_program {

Number rounded(Number x, heed::DType type) {
  return type == heed::DType::f32 ? static_cast<float>(x) : static_cast<double>(x);
}

double Pick::extreme() {
  // 90 and 720: e^x is too large; -104 and -746: it is 0.
  static const std::vector<double> f32 = {
      0,       1e-45, 1e-40, 2e-38, 1e-30, 1e-19, 1e-10, 1e-4,
      20,      90,    104,   1e4,   1e10,  1e19,  1e30,  std::numeric_limits<float>::max(),
      INFINITY};
  static const std::vector<double> f64 = {0,       5e-324, 1e-310, 3e-308, 1e-300, 1e-160,
                                          1e-154,  1e-30,  1e-9,   40,     720,    746,
                                          1e9,     1e30,   1e154,  1e160,  1e300,  std::numeric_limits<double>::max(),
                                          INFINITY};
  const std::vector<double>& all = p.type == heed::DType::f32 ? f32 : f64;
  double x = all[static_cast<size_t>(below(static_cast<int64_t>(all.size())))];
  return static_cast<double>(rounded(coin(0.4) ? -x : x, p.type));
}

double Pick::seed() {
  double usual = number(0.5, 1.5) * (coin() ? 1 : -1);
  return p.extreme && coin(0.25) ? 0 : usual;
}

// Numbers about 1, numbers of one scale, or anything; of both signs, but seldom where only positive ones are of use.
std::vector<double> Pick::extremes(size_t count, Range range) {
  int64_t kind = below(4);
  double scale = kind == 1 ? std::fabs(extreme()) : 1;
  bool positive = range.low > 0 && coin(0.8);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    double x = number(-2, 2) * scale;
    if (kind == 2 || (kind == 3 && coin(0.3))) x = extreme();
    if (positive) x = std::fabs(x);
    if (range.high <= 1) x = std::fmin(std::fabs(x), 1);
    if (std::isnan(x)) x = 0;
    values.push_back(static_cast<double>(rounded(x, p.type)));
  }
  return values;
}

}  // namespace random_program
