// The products of a peer that has nothing else: one function call, given what to multiply.
#pragma once

#include <memory>

#include "tests/bench/subject.h"

namespace bench {

// C [M, N] = A B in rows; A is [M, K] in memory, or [K, M] where it is used transposed, and B likewise.
struct Product {
  int m, k, n;
  bool a_transposed, b_transposed;
  std::vector<float> a, b, c;
  int a_row() const { return a_transposed ? m : k; }
  int b_row() const { return b_transposed ? k : n; }
};

template <class F>
std::map<std::string, Maker> products_by(F multiply) {
  auto maker = [multiply](bool a_transposed, bool b_transposed) {
    return [=](const Sizes& s) -> Work {
      auto filled = [](int64_t n) {
        std::vector<float> x(static_cast<size_t>(n));
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17) / 17;
        return x;
      };
      auto size = [](int64_t n) { return static_cast<int>(n); };
      auto product = std::make_shared<Product>(Product{size(s[0]), size(s[1]), size(s[2]), a_transposed, b_transposed,
                                                       filled(s[0] * s[1]), filled(s[1] * s[2]), filled(s[0] * s[2])});
      return [multiply, product] { multiply(*product); };
    };
  };
  return with_cold(
      {{"matmul", maker(false, false)}, {"matmul_at", maker(true, false)}, {"matmul_bt", maker(false, true)}});
}

}  // namespace bench
