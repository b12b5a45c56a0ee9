// Sums and products of matrices, in epsilons of the sum of the absolute values: what cancels is not held against them.
//
// A matrix product is a chain of K fused multiply-adds, at most 4096 (tensor/matmul.h), whose error is at most K / 2
// epsilons; the bound here is 4 + sqrt(K), which rounding errors of random signs stay far below, and 8 epsilons (1e-6
// in f32) for many chains, whose errors average out. A sum is a tree of runs of 64 vectors (tensor/kernels/sums.h); of
// equal terms it is up to 5 epsilons away (tensor/reduce.h). cumsum is one chain.
#include <fmt/format.h>

#include <array>

#include "autograd/modes.h"
#include "autograd/ops_reduce.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/table.h"

namespace heed::accuracy {
namespace {

// A sum with the rounding error of each addition added up beside it (Neumaier 1974).
class Exact {
 public:
  void add(long double x) {
    long double next = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next, size_ += std::abs(x);
  }
  long double value() const { return sum_ + lost_; }
  long double size() const { return size_; }  // the sum of the absolute values

 private:
  long double sum_ = 0, lost_ = 0, size_ = 0;
};

template <class T>
void add_sums_of(Table& table) {
  Generator rng(12);
  int64_t n = table.sweep.values(10'000'000);
  std::string length = n == 10'000'000 ? "1e7 terms" : fmt::format("{} terms", n);
  Values<T> cancelling = normal<T>(n, 0, 1, rng);
  for (size_t i = 0; i + 1 < cancelling.size(); i += 2) {
    T large = static_cast<T>(std::ldexp(1.0, 24)) * (1 + cancelling[i]);
    cancelling[i] += large, cancelling[i + 1] -= large;
  }
  const std::vector<std::pair<std::string, Values<T>>> inputs = {
      {"0.1", Values<T>(static_cast<size_t>(n), static_cast<T>(0.1))},
      {"sizes 2^-40 to 2^40", all_sizes<T>(n, -40, 40, rng)},
      {"cancelling pairs", cancelling},
      {"denormals",
       all_sizes<T>(n, std::numeric_limits<T>::min_exponent - 15, std::numeric_limits<T>::min_exponent, rng)},
      {"normal around 1e4", normal<T>(n, 1e4, 1, rng)}};
  for (const auto& input : inputs) {
    const std::string& name = input.first;
    const Values<T>& x = input.second;
    Tensor t = tensor_of(x);
    Exact sum_of, squares;
    for (T v : x) sum_of.add(v), squares.add(static_cast<long double>(v) * v);
    long double m = sum_of.value() / static_cast<long double>(n), scale = sum_of.size();
    Exact deviations;
    for (T v : x) deviations.add((v - m) * (v - m));
    auto one = [&](const char* kernel, const Tensor& got, long double exact, long double of, double bound) {
      table.row<T>("eps", kernel, length + ", " + name, bound,
                   [&](Errors<T>& errors) { errors.eps(*got.template data<T>(), exact, of); });
    };
    NoGrad guard;
    one("sum", sum(t), sum_of.value(), scale, 8);
    one("mean", mean(Variable(t)).value(), m, scale / static_cast<long double>(n), 8);
    if (name == "denormals") continue;  // squares of denormals are 0
    long double degrees = static_cast<long double>(n - 1);
    // The variance of equal numbers is the square of the mean's error, 8 epsilons of |m|.
    long double variance = deviations.value() / degrees,
                of = name == "0.1" ? std::numeric_limits<T>::epsilon() * m * m : variance;
    one("var", var(Variable(t)).value(), variance, of, name == "0.1" ? 64 : 8);
    one("norm", norm(Variable(t)).value(), std::sqrt(squares.value()), std::sqrt(squares.value()), 4);
    Tensor sums = cumsum(t, 0);
    table.row<T>("eps", "cumsum", length + ", " + name,
                 name == "0.1" ? static_cast<double>(n) / 2 : 4 + std::sqrt(static_cast<double>(n)),
                 [&](Errors<T>& errors) {
                   Exact so_far;
                   for (size_t i = 0; i < x.size(); ++i) {
                     so_far.add(x[i]);
                     errors.eps(sums.template data<T>()[i], so_far.value(), so_far.size());
                   }
                 });
  }
}

// c [M, N] beside the exact product of a [M, K] and b [K, N].
template <class T>
void add_errors(Errors<T>& errors, const Values<T>& a, const Values<T>& b, const Tensor& c, int64_t K) {
  int64_t M = c.size(0), N = c.size(1);
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      Exact exact;
      for (int64_t k = 0; k < K; ++k)
        exact.add(static_cast<long double>(a[static_cast<size_t>(i * K + k)]) * b[static_cast<size_t>(k * N + j)]);
      errors.eps(c.template data<T>()[i * N + j], exact.value(), exact.size());
    }
}

template <class T>
void add_products_of(Table& table) {
  Generator rng(13);
  struct Sizes {
    int64_t M, K, N;
  };
  std::vector<Sizes> sizes = {{17, 1, 9}, {33, 64, 37}, {5, 1000, 19}, {2, table.sweep.values(1'000'000), 1}};
  if (!table.sweep.quick) sizes.push_back({130, 513, 140});
  for (auto [M, K, N] : sizes) {
    Values<T> cancelling = normal<T>(M * K, 0, 1, rng), near = normal<T>(K * N, 1, 1e-6, rng);
    for (size_t i = 1; i < cancelling.size(); i += 2) cancelling[i] = -cancelling[i - 1];
    const std::vector<std::tuple<std::string, Values<T>, Values<T>>> inputs = {
        {"normal", normal<T>(M * K, 0, 1, rng), normal<T>(K * N, 0, 1, rng)},
        {"sizes 2^-30 to 2^30", all_sizes<T>(M * K, -30, 30, rng), all_sizes<T>(K * N, -30, 30, rng)},
        {"uniform on [0, 1)", uniform<T>(M * K, 0, 1, rng), uniform<T>(K * N, 0, 1, rng)},
        {"cancelling", cancelling, near},
        {"0.1 each", Values<T>(static_cast<size_t>(M * K), static_cast<T>(0.1)),
         Values<T>(static_cast<size_t>(K * N), static_cast<T>(0.1))}};
    for (const auto& [name, left, right] : inputs) {
      const auto &a = left, &b = right;
      Tensor c = matmul(tensor_of(a).view({M, K}), tensor_of(b).view({K, N}));
      // A chain of equal terms rounds in the same direction for long, so nothing of it averages out.
      auto chain = static_cast<double>(std::min(K, kChain));
      double bound = name == "0.1 each" ? 1 + chain / 2 : K > 100 * kChain ? 8 : 4 + std::sqrt(chain);
      table.row<T>("eps", fmt::format("matmul {}x{}x{}", M, K, N), name, bound,
                   [&, K = K](Errors<T>& errors) { add_errors(errors, a, b, c, K); });
    }
  }
}

// Both matrices are rounded to 8 significant bits: an error of 2^-7 + 2^-16 at most, which is 2^16 + 2^7 epsilons, and
// that of 512 additions. Where signs are random, most of it averages out.
void add_bf16_products(Table& table) {
  Generator rng(14);
  PrecisionScope scope(Precision::bf16);
  for (auto [M, K, N] : {std::array<int64_t, 3>{17, 1, 9}, {33, 64, 37}, {5, 1000, 19}, {130, 513, 140}}) {
    Values<float> alike(static_cast<size_t>(M * K), 1 + 0x1p-8f), other(static_cast<size_t>(K * N), 1 + 0x1p-8f);
    const std::vector<std::tuple<std::string, double, Values<float>, Values<float>>> inputs = {
        {"normal", 66'200 / std::sqrt(static_cast<double>(std::min<int64_t>(K, 16))), normal<float>(M * K, 0, 1, rng),
         normal<float>(K * N, 0, 1, rng)},
        {"halfway, each", 66'200, alike, other}};
    for (const auto& [name, bound, left, right] : inputs) {
      const auto &a = left, &b = right;
      Tensor c = matmul(tensor_of(a).view({M, K}), tensor_of(b).view({K, N}));
      table.row<float>("eps", fmt::format("matmul bf16 {}x{}x{}", M, K, N), name, bound,
                       [&, K = K](Errors<float>& errors) { add_errors(errors, a, b, c, K); });
    }
  }
}

}  // namespace

void add_sums(Table& table) {
  add_sums_of<float>(table);
  add_sums_of<double>(table);
  add_products_of<float>(table);
  add_products_of<double>(table);
  add_bf16_products(table);
}

}  // namespace heed::accuracy
