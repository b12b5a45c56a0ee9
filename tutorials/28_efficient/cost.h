// What one pass costs, counted: multiply-adds, and the most bytes alive. And timed: seconds, which are shown and never
// asserted.
//
//   slope of y on T = the exponent p of y ~ T^p, fitted by least squares of log y on log T
//
// The multiply-adds of the four projections are the same for all ways and grow with T anyway. They are subtracted, so
// that only attention is counted.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tensor/allocator.h"
#include "tensor/profile.h"
#include "tutorials/28_efficient/ways.h"

namespace efficient {

struct Cost {
  double products = 0;  // multiply-adds of attention
  double bytes = 0;     // most bytes alive during the pass, in addition to those before
  double seconds = 0;
};

inline Cost cost_of(const Way& way, const Layer& layer, const Tensor& x, int64_t repeats) {
  using Clock = std::chrono::steady_clock;
  Cost cost{.seconds = HUGE_VAL};
  {
    heed::Profile profile;
    auto before = static_cast<double>(heed::allocator_stats().live_bytes);
    heed::reset_peak();
    layer(x);
    cost.bytes = static_cast<double>(heed::allocator_stats().peak_bytes) - before;
    for (const heed::ProfileRow& row : profile.rows())
      if (row.is_product) cost.products += row.work;
  }
  auto T = static_cast<double>(x.size(1)), D = static_cast<double>(x.size(2));
  cost.products -= static_cast<double>(way.projections) * T * D * D;
  for (int64_t i = 0; i < repeats; ++i) {  // the fastest run counts
    Clock::time_point start = Clock::now();
    layer(x);
    cost.seconds = std::min(cost.seconds, std::chrono::duration<double>(Clock::now() - start).count());
    if (cost.seconds > 0.5) break;
  }
  return cost;
}

struct Costs {  // of one way, by length
  std::string name;
  bool same_function;
  std::vector<double> words, products, bytes, seconds;
};

inline double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double n = static_cast<double>(x.size()), sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// The length from which on y of `a` is below y of `b`, between two measured lengths by interpolation of the logarithms;
// 0: from the first length on; infinite: not up to the last one.
inline double overtakes(const std::vector<double>& words, const std::vector<double>& a, const std::vector<double>& b) {
  double from = HUGE_VAL;
  for (size_t i = words.size(); i-- > 0;) {
    double here = std::log(a[i] / b[i]);
    if (here >= 0) {
      if (i + 1 == words.size()) return HUGE_VAL;
      double next = std::log(a[i + 1] / b[i + 1]), share = here / (here - next);
      return std::exp(std::log(words[i]) + share * (std::log(words[i + 1]) - std::log(words[i])));
    }
    from = i == 0 ? 0 : words[i];
  }
  return from;
}

}  // namespace efficient
