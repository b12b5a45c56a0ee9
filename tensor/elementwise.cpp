// Each operation is one line of mathematics handed to a loop of elementwise_detail.h.
#include "tensor/elementwise.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "tensor/kernels/elementwise_detail.h"

namespace heed {

void require_fits(const char* operation, double parameter, DType dtype) {
  if (dtype != DType::f32 || parameter == 0 || !std::isfinite(parameter)) return;
  if (auto size = std::abs(static_cast<float>(parameter)); size > 0 && std::isfinite(size)) return;
  throw ValueError(fmt::format("{}: the parameter must fit f32; got {}", operation, parameter));
}

using detail::binary;
using detail::binary_number;
using detail::lanes_of;
using detail::map_scalars;
using detail::require_bool;
using detail::row_loop;
using detail::run_rows;
using detail::unary;
using detail::unary_number;

// --- what the table of functions.h means for tensors ---
namespace {

// Calls a formula F, with the parameters if it takes them.
template <class F>
struct WithParameters {
  FunctionParameters p;
  template <class... X>
  auto operator()(X... x) const {
    if constexpr (std::is_invocable_v<F, X..., FunctionParameters>)
      return F{}(x..., p);
    else
      return F{}(x...);
  }
};

// The gradient of a row: a dy of exactly 0 stays 0, whatever the slope.
template <class G>
struct ZeroStays {
  WithParameters<G> gradient;
  template <class D, class X>
  auto operator()(D dy, X kept) const {
    if constexpr (requires { G::chooses; })
      return gradient(dy, kept);
    else
      return where(dy == 0, 0, gradient(dy, kept));
  }
};

// A row of the table as kernels.
struct Kernels {
  const char* name;
  uint32_t hash;
  Tensor (*value)(const char* name, const Tensor& x, FunctionParameters p);
  Tensor (*gradient)(const char* name, const Tensor& dy, const Tensor& kept, FunctionParameters p);
  bool multiplies;  // is the parameter a a factor? It must fit the type; an exponent or a bound need not
  char backward_name[32] = {};

  template <class F, elementwise_table::Keeps keeps, class G, size_t N = 1>
  constexpr Kernels(const char* given, F, elementwise_table::Gradient<keeps, G>, elementwise_table::Smooth = {},
                    const FunctionParameters (&)[N] = {{}})
      : name(given),
        hash(hash_of(given)),
        value([](const char* op, const Tensor& x, FunctionParameters p) {
          if constexpr (requires { F::integers; })
            return unary_number(op, x, WithParameters<F>{p});
          else
            return unary(op, x, WithParameters<F>{p});
        }),
        gradient([](const char* op, const Tensor& dy, const Tensor& kept, FunctionParameters p) {
          if constexpr (keeps == elementwise_table::Keeps::nothing)
            return unary(op, dy, WithParameters<G>{p});
          else
            return binary(op, dy, kept, ZeroStays<G>{{p}});
        }),
        multiplies(!requires { G::chooses; } && hash != hash_of("pow")) {
    char* to = backward_name;
    for (const char* part : {given, "_backward"})
      while (*part) *to++ = *part++;
  }
};

constexpr const auto& kRows = elementwise_table::kElementwiseTable<Kernels>;

// A hash table with linear probing: the number of a row plus 1; 0: empty.
constexpr size_t kSlots = 256;
constexpr auto kRowAt = [] {
  std::array<uint8_t, kSlots> rows{};
  for (size_t row = 0; row < std::size(kRows); ++row) {
    size_t slot = kRows[row].hash % kSlots;
    while (rows[slot]) slot = (slot + 1) % kSlots;
    rows[slot] = static_cast<uint8_t>(row + 1);
  }
  return rows;
}();

}  // namespace

size_t row_of(RowName name) {
  for (size_t slot = name.hash % kSlots; kRowAt[slot]; slot = (slot + 1) % kSlots)
    if (kRows[kRowAt[slot] - 1u].hash == name.hash) return kRowAt[slot] - 1u;
  throw ValueError("elementwise: the table of tensor/functions.h has no row of this name");
}
Tensor value_of(size_t row, const Tensor& x, FunctionParameters p) {
  if (kRows[row].multiplies) require_fits(kRows[row].name, p.a, x.dtype());
  return kRows[row].value(kRows[row].name, x, p);
}
Tensor gradient_of(size_t row, const Tensor& dy, const Tensor& kept, FunctionParameters p) {
  return kRows[row].gradient(kRows[row].backward_name, dy, kept, p);
}
Tensor elementwise(RowName name, const Tensor& x, FunctionParameters p) { return value_of(row_of(name), x, p); }

FunctionParameters clamp_parameters(double low, double high) {
  if (!(low <= high)) throw ValueError(fmt::format("clamp: low must not exceed high; got {} and {}", low, high));
  return {low, high};
}
FunctionParameters hardtanh_parameters(double low, double high) {
  if (!(low < high)) throw ValueError(fmt::format("hardtanh: low must be less than high; got {} and {}", low, high));
  return {low, high};
}
FunctionParameters softplus_parameters(const SoftplusOptions& o) {
  if (!(o.beta > 0)) throw ValueError(fmt::format("softplus: beta must be positive; got {}", o.beta));
  return {o.beta, o.threshold};
}

// --- two arguments ---
Tensor add(const Tensor& a, const Tensor& b) {
  return binary_number("add", a, b, [](auto p, auto q) { return p + q; });
}
Tensor sub(const Tensor& a, const Tensor& b) {
  return binary_number("sub", a, b, [](auto p, auto q) { return p - q; });
}
Tensor mul(const Tensor& a, const Tensor& b) {
  return binary_number("mul", a, b, [](auto p, auto q) { return p * q; });
}
Tensor div(const Tensor& a, const Tensor& b) {
  return binary("div", a, b, [](auto p, auto q) { return p / q; });
}
Tensor pow(const Tensor& a, const Tensor& b) {
  return binary("pow", a, b, [](auto p, auto q) { return pow(p, q); });
}
Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary_number("maximum", a, b, [](auto p, auto q) { return where((p > q) | (p != p), p, q); });
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary_number("minimum", a, b, [](auto p, auto q) { return where((p < q) | (p != p), p, q); });
}

// --- gradients ---
Tensor chain_times(const Tensor& dy, const Tensor& slope) {
  return binary("mul", dy, slope, [](auto d, auto s) { return where(d == 0, 0, d * s); });
}
Tensor chain_over(const Tensor& dy, const Tensor& x) {
  return binary("div", dy, x, [](auto d, auto v) { return where(d == 0, 0, d / v); });
}
Tensor chain_both(const Tensor& a, const Tensor& b) {
  return binary("mul", a, b, [](auto p, auto q) { return where((p == 0) | (q == 0), 0, p * q); });
}

// --- a scalar, which takes the tensor's dtype ---
namespace {
template <class F>
Tensor with_scalar(const char* name, const Tensor& x, double s, const F& f) {
  if (x.dtype() == DType::i64) scalar_as<int64_t>(name, s);
  return unary_number(name, x, f);
}
}  // namespace

Tensor add(const Tensor& a, double s) {
  return with_scalar("add", a, s, [s](auto v) { return v + s; });
}
Tensor sub(const Tensor& a, double s) {
  return with_scalar("sub", a, s, [s](auto v) { return v - s; });
}
Tensor sub(double s, const Tensor& a) {
  return with_scalar("sub", a, s, [s](auto v) { return s - v; });
}
Tensor mul(const Tensor& a, double s) {
  return with_scalar("mul", a, s, [s](auto v) { return v * s; });
}
Tensor div(const Tensor& a, double s) {
  return unary("div", a, [s](auto v) { return v / s; });
}
Tensor div(double s, const Tensor& a) {
  return unary("div", a, [s](auto v) { return s / v; });
}

void refuse_scalar(const char* operation, double s, DType dtype) {
  throw ValueError(
      fmt::format("{}: the scalar must be a value of the tensor's dtype; got {} for {}; convert with "
                  "to(DType::f32)",
                  operation, s, name_of(dtype)));
}
void refuse_not_float(const char* operation, DType dtype) {
  throw DTypeError(fmt::format("{}: takes f32 or f64; got {}; convert with to(DType::f32)", operation, name_of(dtype)));
}
void refuse_not_number(const char* operation, DType dtype) {
  throw DTypeError(
      fmt::format("{}: takes f32, f64 or i64; got {}; convert with to(DType::f32)", operation, name_of(dtype)));
}

// --- choosing and converting ---
namespace {

// y = mask ? p : q without a branch: masks are as random as data.
template <class T>
struct Choose {
  template <int R>
  static void run(const void*, void* const* at, int64_t n) {
    auto y = static_cast<T*>(at[0]);
    auto mask = static_cast<const bool*>(at[1]);
    auto p = static_cast<const T*>(at[2]), q = static_cast<const T*>(at[3]);
    if constexpr (std::is_same_v<T, bool>) {
      for (int64_t i = 0; i < n; ++i) y[i] = (mask[i] & p[i]) | (!mask[i] & q[i]);
    } else {
      for (int64_t i = 0; i < n; i += kLanes<T>)
        store(y + i, where(mask_of<T, R>(mask + i, kLanes<T>), load<R>(p + i), load<R>(q + i)));
    }
  }
};

Tensor choose(const char* name, const Tensor& mask, const Tensor& a, const Tensor& b) {
  require_bool(name, mask);
  require_same_dtype(name, a, b);
  Tensor y = Tensor::empty(broadcast_shape(name, broadcast_shape(name, mask.shape(), a.shape()), b.shape()), a.dtype());
  dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    run_rows(row_loop<Choose<T>>(), nullptr, std::is_same_v<T, bool> ? 1 : lanes_of(a.dtype()), y, {&mask, &a, &b});
  });
  return y;
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return choose("where", condition, a, b); }
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  dispatch(x.dtype(), [&](auto zero) { scalar_as<decltype(zero)>("masked_fill", value); });
  return choose("masked_fill", mask, Tensor::scalar(value, x.dtype()), x);
}

Tensor cast(const Tensor& x, DType dtype) {
  Tensor y = Tensor::empty(x.shape(), dtype);
  dispatch(x.dtype(), [&](auto from) {
    dispatch(dtype, [&](auto to) {
      map_scalars<decltype(to), decltype(from)>(y, x, [](auto v) { return convert<decltype(to)>(v); });
    });
  });
  return y;
}

}  // namespace heed
