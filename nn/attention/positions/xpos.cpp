#include "nn/attention/positions/xpos.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

constexpr double kLeast = 0.4 / 1.4;  // z_0: the pair whose factors change fastest

// z_i, i < K/2.
double factor_of(int64_t i, int64_t half) { return (static_cast<double>(i) / static_cast<double>(half) + 0.4) / 1.4; }

// The number of words after which the fastest factor, z_0^(-words/C), is M^share, where M is the largest number of the
// type: share C ln M / ln(1/z_0), and at least 1.
int64_t words_within(double share, double C, DType dtype) {
  const double range = dtype == DType::f64 ? std::log(std::numeric_limits<double>::max())
                                           : std::log(static_cast<double>(std::numeric_limits<float>::max()));
  return std::max<int64_t>(1, static_cast<int64_t>(share * range * C / -std::log(kLeast)));
}

// z_i^e for each exponent e and both entries of each pair, [n, K]; 0 for e = inf.
void decay_rows(double* to, const std::vector<double>& exponents, int64_t K) {
  const int64_t half = K / 2;
  for (size_t n = 0; n < exponents.size(); ++n, to += K) {
    if (n > 0 && exponents[n] == exponents[n - 1]) {
      std::copy_n(to - K, K, to);
      continue;
    }
    for (int64_t i = 0; i < half; ++i) to[i] = to[half + i] = std::pow(factor_of(i, half), exponents[n]);
  }
}

}  // namespace

XPos::XPos(const Options& o, Generator&) : RotaryPosition(o, "xpos"), settings(options.settings.as<Settings>()) {
  require_pairs();
}

// Within a block, a factor is at most M^0.7, and the factor of a product with a later key at most M^0.9, M the largest
// number of the type. The rest is left for the entries of queries and keys.
int64_t XPos::block_words(DType dtype) const { return words_within(0.7, settings.decay, dtype); }
int64_t XPos::words_ahead(DType dtype) const { return words_within(0.9, settings.decay, dtype); }

Variable XPos::turned(const Variable& x, int64_t first, const Tensor& at, bool key) const {
  Variable y = rotate_pairs(x, {.base = settings.base, .first = first, .at = at});
  const double rate = (key ? -1 : 1) / settings.decay;
  const int64_t T = x.size(1), K = x.size(3), N = block_words(x.dtype());
  Tensor places = at.defined() ? at.contiguous() : Tensor();
  std::vector<double> exponents;
  for (int64_t n = 0; n < (at.defined() ? places.count() : T); ++n)
    exponents.push_back(static_cast<double>((at.defined() ? places.data<int64_t>()[n] : first + n) % N) * rate);
  Tensor factor = Tensor::empty(at.defined() ? Shape{at.size(0), T, 1, K} : Shape{T, 1, K}, DType::f64);
  decay_rows(factor.data<double>(), exponents, K);
  return y * Variable(factor.to(x.dtype()));
}

Variable XPos::recounted(const Variable& x, const PlaceRows& places, const Recount& count) const {
  // The new factor of a key may leave the range of the type where its product with the factor of `turned` does not. So
  // its square root is applied twice.
  const double rate = (count.key ? -0.5 : 1) / settings.decay;
  const int64_t rows = static_cast<int64_t>(count.from.size()), n = places.n, K = x.size(-1),
                N = block_words(x.dtype());
  std::vector<double> exponents;
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t p = places.of(b, i), from = count.from[static_cast<size_t>(b)];
      const bool unseen = count.key && p > count.last[static_cast<size_t>(b)];
      exponents.push_back(unseen ? HUGE_VAL : static_cast<double>(p / N * N - from) * rate);
    }
  Tensor factor = Tensor::empty(x.rank() == 4 ? Shape{rows, 1, n, K} : Shape{rows, n, K}, DType::f64);
  decay_rows(factor.data<double>(), exponents, K);
  Variable moved(factor.to(x.dtype()));
  return count.key ? x * moved * moved : x * moved;
}

}  // namespace heed::nn
