// Layer norm and RMS norm, with y = (x - m) r. If the mean is much larger than the deviation, x - m cancels; so an
// error is measured in epsilons of (|x| + mean |x|) r, which is what rounding x itself costs. The bound, 8, is
// that of a sum.
#include "autograd/modes.h"
#include "autograd/ops_norm.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/table.h"

namespace heed::accuracy {
namespace {

template <class T>
void add_rows(Table& table, int64_t n) {
  using L = std::numeric_limits<T>;
  Generator rng(15);
  double huge = std::sqrt(L::max()) * 100, top = L::max_exponent - 1.5;
  Values<T> one_huge = normal<T>(n, 0, 1, rng);
  one_huge[static_cast<size_t>(n / 2)] = L::max() / 4;
  const std::vector<std::pair<std::string, Values<T>>> inputs = {
      {"normal", normal<T>(n, 0, 1, rng)},
      {"mean 1e4, deviation 1", normal<T>(n, 1e4, 1, rng)},
      {"mean 1e4, deviation 0.01", normal<T>(n, 1e4, 0.01, rng)},
      {"all equal", Values<T>(static_cast<size_t>(n), static_cast<T>(0.1))},
      {"one huge", one_huge},
      {"squares overflow", normal<T>(n, huge, huge, rng)},
      {"next to the largest number", all_sizes<T>(n, top - 2, top, rng)},
      {"tiny", all_sizes<T>(n, -60, -50, rng)},
      {"denormals", all_sizes<T>(n, L::min_exponent - 15, L::min_exponent, rng)}};
  constexpr double eps = 1e-5;
  NoGrad guard;
  for (const auto& [name, x] : inputs) {
    long double sum = 0, size = L::min(), count = static_cast<long double>(n);
    for (T v : x) sum += v, size += std::abs(v) / count;
    for (bool centred : {true, false}) {
      long double m = centred ? sum / count : 0, square = 0;
      for (T v : x) square += (v - m) * (v - m) / count;
      long double r = 1 / std::sqrt(square + static_cast<T>(eps));
      Variable in(tensor_of(x));
      Tensor y = (centred ? layer_norm(in, {}, {}, {.eps = eps}) : rms_norm(in, {}, {.eps = eps})).value();
      const auto& values = x;
      table.row<T>("eps", centred ? "layer_norm" : "rms_norm", fmt::format("{}, {}", n, name), 8,
                   [&](Errors<T>& errors) {
                     for (size_t i = 0; i < values.size(); ++i)
                       errors.eps(y.data<T>()[i], (values[i] - m) * r, (std::abs(values[i]) + size) * r);
                   });
    }
  }
}

}  // namespace

void add_norms(Table& table) {
  for (int64_t n : {3, 64, 1000, 100'000}) {
    if (n == 100'000 && table.sweep.quick) continue;
    add_rows<float>(table, n);
    add_rows<double>(table, n);
  }
}

}  // namespace heed::accuracy
