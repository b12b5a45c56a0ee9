// Softmax, log-softmax, log-sum-exp and cross-entropy.
//
// x - max x is rounded, by at most half an epsilon of itself, and exp turns that into the same number of ulp of the
// result: hence a bound of half the spread for softmax, which ends at 87 (f32) or 708 (f64), where exp is 0. The
// logarithms are measured in epsilons of what they add: |x - max| and log Z. A smoothed cross-entropy is a sum over all
// classes; of equal terms it is up to 8 epsilons away.
#include "autograd/backward.h"
#include "autograd/ops_softmax.h"
#include "tensor/reduce.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/table.h"

namespace heed::accuracy {
namespace {

struct Reference {
  template <class T>
  explicit Reference(const Values<T>& row) {
    for (T v : row) top = std::max<long double>(top, v);
    for (T v : row) z += std::exp(v - top);
  }
  long double top = -std::numeric_limits<long double>::infinity(), z = 0;
};

template <class T>
void add_rows(Table& table, int64_t n) {
  Generator rng(14);
  using L = std::numeric_limits<T>;
  constexpr bool is_float = std::is_same_v<T, float>;
  for (const auto& [name, row] : hard_rows<T>(n, rng)) {
    Tensor x = tensor_of(row);
    Reference r(row);
    std::string inputs = fmt::format("{}, {}", n, name);
    const auto& values = row;
    double reach = is_float ? 87 : 708, spread = name == "spread of 1e4" ? reach : name == "normal" ? 32 : 4;
    long double flushed = std::exp(static_cast<long double>(-reach + 1));
    Tensor p = softmax_rows(x), logs = log_softmax_rows(x), total = logsumexp_rows(x);
    table.row<T>("ulp", "softmax", inputs, 4 + spread / 2, [&](Errors<T>& errors) {
      for (size_t i = 0; i < values.size(); ++i) errors.ulp(p.data<T>()[i], std::exp(values[i] - r.top) / r.z, flushed);
    });
    table.row<T>("eps", "log_softmax", inputs, 3, [&](Errors<T>& errors) {
      for (size_t i = 0; i < values.size(); ++i) {
        long double far = values[i] - r.top, exact = far - std::log(r.z);
        errors.eps(logs.data<T>()[i], exact, std::isinf(far) ? 1 : std::abs(far) + 1 + std::log(r.z));
      }
    });
    table.row<T>("eps", "logsumexp", inputs, 3, [&](Errors<T>& errors) {
      errors.eps(*total.data<T>(), r.top + std::log(r.z), std::abs(r.top) + 1 + std::log(r.z));
    });

    int64_t target = n / 3;
    Variable logits(x.view({1, n}), Variable::kRequiresGrad);
    for (double smoothing : {0.0, 0.1}) {
      if (smoothing != 0 && name == "all -inf but one") continue;  // an infinite loss
      Variable loss = cross_entropy(logits, Tensor::full({1}, static_cast<double>(target), DType::i64),
                                    {.label_smoothing = smoothing});
      logits.zero_grad();
      backward(loss);
      long double exact = 0, scale = 1 + std::log(r.z), count = static_cast<long double>(n);
      auto q = [&](int64_t i) {
        return (i == target ? 1 - static_cast<long double>(smoothing) : 0) + smoothing / count;
      };
      for (int64_t i = 0; i < n; ++i) {
        if (q(i) == 0) continue;
        long double far = values[static_cast<size_t>(i)] - r.top;
        exact -= q(i) * (far - std::log(r.z)), scale += q(i) * std::abs(far);
      }
      std::string kind = smoothing == 0 ? "" : ", smoothed";
      table.row<T>("eps", "cross_entropy" + kind, inputs, smoothing == 0 ? 4 : 10,
                   [&](Errors<T>& errors) { errors.eps(*loss.value().data<T>(), exact, scale); });
      const T* d = logits.grad().data<T>();
      table.row<T>("eps", "cross_entropy gradient" + kind, inputs, 4 + spread / 2, [&](Errors<T>& errors) {
        for (int64_t i = 0; i < n; ++i) {
          long double wanted = std::exp(values[static_cast<size_t>(i)] - r.top) / r.z;
          errors.eps(d[i], wanted - q(i), wanted + q(i) + L::min() / L::epsilon());
        }
      });
    }
  }
}

}  // namespace

void add_softmax(Table& table) {
  for (int64_t n : {1, 7, 100, 5003, 1'000'000}) {
    if (n == 1'000'000 && table.sweep.quick) continue;
    add_rows<float>(table, n);
    add_rows<double>(table, n);
  }
}

}  // namespace heed::accuracy
