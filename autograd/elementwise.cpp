// What the table of tensor/functions.h means for Variables.
//
// Forward, and backward too unless gradients are recorded, run the kernels of the row. A recorded gradient is the row's
// formula with Variables in place of numbers, in which dy is multiplied by the rule of chain_rule.h. Its operations
// record themselves, and so there are gradients of any order.
#include "autograd/elementwise.h"

#include <algorithm>
#include <type_traits>

#include "autograd/attach.h"
#include "autograd/chain_rule.h"
#include "autograd/ops_arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/range.h"

namespace heed {

// What the formulas use and Variables do not have otherwise. A mask is a Tensor.
static Tensor operator==(const Variable& x, double s) { return equal(x.value(), s); }
static Tensor operator>(const Variable& x, double s) { return greater(x.value(), s); }
static Tensor operator<=(const Variable& x, double s) { return less_equal(x.value(), s); }
static Tensor operator>=(const Variable& x, double s) { return greater_equal(x.value(), s); }
static Variable where(const Tensor& mask, double a, const Variable& b) { return masked_fill(b, mask, a); }
static Variable normal_cdf(const Variable& x) { return 0.5 * (erf(x * elementwise_table::kSqrtHalf) + 1); }
static Gradient times_power(const Gradient& g, const Variable& x, double q) {
  Variable power = pow(x, q), z = chain_times(g.dy, power);
  Tensor lost = lost_on_the_way(power.value(), x.value());
  if (!lost.defined()) return {z};
  return {where(lost, chain_power_in_units(g.dy, x, Variable(Tensor::scalar(q, x.dtype())), {}), z)};
}

namespace {

struct Row {
  const char* name;
  elementwise_table::Keeps keeps;
  Variable (*gradient)(const Variable& dy, const Variable& kept, FunctionParameters p);
  elementwise_table::Smooth smooth;
  size_t tried_count;
  FunctionParameters tried[6] = {};

  template <class F, elementwise_table::Keeps kept, class G, size_t N = 1>
  constexpr Row(const char* given, F, elementwise_table::Gradient<kept, G>, elementwise_table::Smooth s = {},
                const FunctionParameters (&try_with)[N] = {{}})
      : name(given),
        keeps(kept),
        gradient([](const Variable& dy, const Variable& v, FunctionParameters p) -> Variable {
          if constexpr (kept == elementwise_table::Keeps::nothing)
            return G{}(Gradient{dy}).dy;
          else if constexpr (std::is_invocable_v<G, Gradient, const Variable&, FunctionParameters>)
            return G{}(Gradient{dy}, v, p).dy;
          else
            return G{}(Gradient{dy}, v).dy;
        }),
        smooth(s),
        tried_count(N) {
    std::copy(try_with, try_with + N, tried);
  }
};
constexpr const auto& kRows = elementwise_table::kElementwiseTable<Row>;

Variable gradient(size_t row, const Variable& dy, const Variable& kept, FunctionParameters p = {}) {
  if (grad_enabled()) return kRows[row].gradient(dy, kept, p);
  return gradient_of(row, dy.value(), kept.value(), p);
}

// p is stored in the node only if it is not {0, 0}, which all rows without parameters have.
template <class Kept>
Variable record(size_t row, const Variable& x, const Tensor& y, const Kept& kept, FunctionParameters p) {
  const char* name = kRows[row].name;
  if (p.a == 0 && p.b == 0)
    return attach(name, {x}, y, [row, kept](Grads& g, const Variable& dy) { g.add(0, gradient(row, dy, g[kept])); });
  return attach(name, {x}, y,
                [row, kept, p](Grads& g, const Variable& dy) { g.add(0, gradient(row, dy, g[kept], p)); });
}

}  // namespace

Variable elementwise(size_t row, const Variable& x, FunctionParameters p) {
  Tensor y = value_of(row, x.value(), p);
  if (kRows[row].keeps == elementwise_table::Keeps::x) return record(row, x, y, save(x), p);
  if (kRows[row].keeps == elementwise_table::Keeps::y) return record(row, x, y, save_output(y), p);
  return attach(kRows[row].name, {x}, y, [row](Grads& g, const Variable& dy) { g.add(0, gradient(row, dy, dy)); });
}
Variable elementwise(RowName name, const Variable& x, FunctionParameters p) { return elementwise(row_of(name), x, p); }

std::vector<ElementwiseTrial> elementwise_trials() {
  std::vector<ElementwiseTrial> trials;
  for (size_t row = 0; row < std::size(kRows); ++row)
    for (size_t i = 0; i < kRows[row].tried_count; ++i) {
      FunctionParameters p = kRows[row].tried[i];
      trials.push_back({row, kRows[row].name, p, kRows[row].tried_count > 1 || p.b != 0, kRows[row].smooth});
    }
  return trials;
}

}  // namespace heed
