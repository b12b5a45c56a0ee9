// Softmax, log-softmax and log-sum-exp over the last axis.
//
//   softmax(r)_i = exp(r_i - m) / Z,   m = max r,   Z = sum_i exp(r_i - m)
//
// Subtracting m does not change the quotient, and exp cannot overflow. If every r_i is -inf, m is -inf too and r_i - m
// would be NaN. Such a row is fully masked, and its softmax is defined as zeros.
#include <algorithm>
#include <cmath>

#include "tensor/kernels/vec_math.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

// The maximum; a NaN may be lost.
template <class T>
T row_top(const T* x, int64_t n) {
  constexpr int64_t L = kLanes<T>;
  Vec<T> least = splat(-std::numeric_limits<T>::infinity()), lanes[4] = {least, least, least, least};
  int64_t i = 0;
  for (; i + 4 * L <= n; i += 4 * L)
    for (int64_t k = 0; k < 4; ++k) lanes[k] = vmax(load(x + i + k * L), lanes[k]);
  for (; i + L <= n; i += L) lanes[0] = vmax(load(x + i), lanes[0]);
  T top = greatest_lane<T>(vmax(vmax(lanes[0], lanes[1]), vmax(lanes[2], lanes[3])));
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

// y_i = exp(x_i - top); returns their sum. The lanes are added as in row_sum, so zeros appended to the row change no
// bit. The sum is NaN if any x_i is NaN. If y is null, only the sum is computed.
template <bool kKeep, class T>
T exp_and_sum(const T* x, T* y, int64_t n, T top) {
  constexpr int64_t L = kLanes<T>;
  Vec<T> total = {};
  int64_t i = 0;
  for (; i + L <= n; i += L) {
    __builtin_prefetch(x + i + n);  // the next row, while this one is computed
    Vec<T> e = vexp_of_negative<T>(load(x + i) - top);
    if constexpr (kKeep) store(y + i, e);
    total += e;
  }
  if (i < n) {
    T part[L];
    store(part, vexp_of_negative<T>(load_first(x + i, n - i) - top));
    total += load_first(part, n - i);
    if constexpr (kKeep) std::copy(part, part + (n - i), y + i);
  }
  return add_lanes<T>(total);
}

template <class F>  // f(const T* row, T* out, int64_t n) for each row
Tensor by_rows(const char* name, const Tensor& x, const Shape& out_shape, const F& f) {
  if (x.rank() == 0) throw ShapeError(std::string(name) + ": needs at least one axis; got []");
  Kernel kernel(name, x.count());
  Tensor dense = x.contiguous(), y = Tensor::empty(out_shape, x.dtype());
  int64_t n = x.shape()[x.rank() - 1], rows = n ? x.count() / n : 0;
  if (n == 0 && y.count() > 0) rows = y.count();
  int64_t width = rows ? y.count() / rows : 0;
  dispatch_float(x.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    const T* p = dense.data<T>();
    T* out = y.data<T>();
    parallel_for(0, rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)), [&](int64_t b, int64_t e) {
      for (int64_t r = b; r < e; ++r) f(p + r * n, out + r * width, n);
    });
  });
  return y;
}

template <class T>
bool none_is_nan(const T* x, int64_t n) {
  return std::none_of(x, x + n, [](T v) { return v != v; });
}
template <class T>
bool nothing_allowed(const T* x, int64_t n, T top) {
  return top == -std::numeric_limits<T>::infinity() && none_is_nan(x, n);
}

Shape without_last(const Shape& shape) {
  Shape out = shape;
  if (out.rank()) out.erase(out.rank() - 1);
  return out;
}

}  // namespace

Tensor softmax_rows(const Tensor& x) {
  return by_rows("softmax", x, x.shape(), [](auto* row, auto* y, int64_t n) {
    using T = std::remove_reference_t<decltype(*y)>;
    T top = row_top<T>(row, n);
    if (nothing_allowed(row, n, top)) return static_cast<void>(std::fill(y, y + n, T{0}));
    T scale = T{1} / exp_and_sum<true>(row, y, n, top);
    constexpr int64_t L = kLanes<T>;
    int64_t i = 0;
    for (; i + L <= n; i += L) store(y + i, load(y + i) * scale);
    for (; i < n; ++i) y[i] *= scale;
  });
}

Tensor softmax_rows_minus(const Tensor& x, const Tensor& targets, const Tensor& scale, double on, double off) {
  int64_t R = x.size(0), V = x.size(1);
  Kernel kernel("softmax_minus_targets", x.count());
  Tensor rows = x.contiguous(), out = Tensor::empty(x.shape(), x.dtype());
  dispatch_float(x.dtype(), "softmax_minus_targets", [&](auto zero) {
    using T = decltype(zero);
    const T *in = rows.data<T>(), *factor = scale.data<T>();
    const int64_t* target = targets.data<int64_t>();
    T* to = out.data<T>();
    parallel_for(0, R, std::max<int64_t>(1, 4096 / std::max<int64_t>(V, 1)), [&](int64_t b, int64_t e) {
      for (int64_t r = b; r < e; ++r) {
        const T* row = in + r * V;
        T *y = to + r * V, d = factor[r];
        if (d == 0) {
          std::fill(y, y + V, T{0});
          continue;
        }
        T top = row_top<T>(row, V), shift = static_cast<T>(off) * d;
        if (nothing_allowed(row, V, top)) {
          std::fill(y, y + V, -shift);
        } else {
          T share = d / exp_and_sum<true>(row, y, V, top);
          for (int64_t v = 0; v < V; ++v) y[v] = y[v] * share - shift;
        }
        y[target[r]] -= static_cast<T>(on) * d;
      }
    });
  });
  return out;
}

Tensor log_softmax_rows(const Tensor& x) {
  return by_rows("log_softmax", x, x.shape(), [](auto* row, auto* y, int64_t n) {
    using T = std::remove_reference_t<decltype(*y)>;
    T top = row_top<T>(row, n);
    if (nothing_allowed(row, n, top)) return static_cast<void>(std::fill(y, y + n, top));
    T log_z = std::log(exp_and_sum<false>(row, y, n, top));
    for (int64_t i = 0; i < n; ++i) y[i] = (row[i] - top) - log_z;
  });
}

Tensor logsumexp_rows(const Tensor& x) {
  return by_rows("logsumexp", x, without_last(x.shape()), [](auto* row, auto* y, int64_t n) {
    using T = std::remove_reference_t<decltype(*y)>;
    T top = row_top<T>(row, n);
    if (std::isinf(top) && none_is_nan(row, n)) return static_cast<void>(*y = top);
    *y = top + std::log(exp_and_sum<false>(row, static_cast<T*>(nullptr), n, top));
  });
}

Tensor softmax_rows_backward(const Tensor& y, const Tensor& dy) {
  require_same_dtype("softmax_backward", y, dy);
  if (y.rank() == 0 || !(y.shape() == dy.shape()))
    throw ShapeError("softmax_backward: both must have one shape of at least one axis; got y " + to_string(y.shape()) +
                     " and dy " + to_string(dy.shape()));
  Tensor upstream = dy.contiguous(), dense = y.contiguous();
  Kernel kernel("softmax_backward", y.count());
  Tensor dx = Tensor::empty(y.shape(), y.dtype());
  int64_t n = y.shape()[y.rank() - 1], rows = n ? y.count() / n : 0;
  dispatch_float(y.dtype(), "softmax_backward", [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t L = kLanes<T>;
    const T *py = dense.data<T>(), *pd = upstream.data<T>();
    T* out = dx.data<T>();
    parallel_for(0, rows, std::max<int64_t>(1, 8192 / std::max<int64_t>(n, 1)), [&](int64_t b, int64_t e) {
      for (int64_t r = b; r < e; ++r) {
        const T *a = py + r * n, *d = pd + r * n;
        T* o = out + r * n;
        Vec<T> total = {};
        for (int64_t i = 0; i < n; i += L) {
          int64_t m = std::min(L, n - i);
          total += load_first(a + i, m) * load_first(d + i, m);
        }
        T dot = add_lanes<T>(total);
        for (int64_t i = 0; i < n; ++i) o[i] = a[i] * (d[i] - dot);
      }
    });
  });
  return dx;
}

}  // namespace heed
