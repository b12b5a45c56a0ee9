// Softmax and its relatives over the last axis: log-softmax, log-sum-exp, the rows of cross-entropy.
//
//   softmax(r)_i = exp(r_i - m) / Z,   m = max r,   Z = sum_i exp(r_i - m)
//
// Subtracting m does not change the quotient, and exp cannot overflow. It also keeps the digits of large logits:
// log softmax(r)_i is (r_i - m) - log Z, never r_i - (m + log Z). If every r_i is -inf, m is -inf too and r_i - m would
// be NaN. Such a row is fully masked, and its softmax is defined as zeros. If some r_i are +inf, they overflowed: they
// get all the weight, in equal shares (overflow.h).
#include <cmath>

#include "tensor/kernels/overflow.h"
#include "tensor/kernels/sums.h"
#include "tensor/kernels/vec_math.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"

namespace heed {
namespace {

// The maximum; a NaN may be lost.
template <int R, class T>
T row_top(const T* x, int64_t n) {
  constexpr int64_t L = kLanes<T>;
  Lanes<T, R> least = -std::numeric_limits<T>::infinity(), lanes[4] = {least, least, least, least};
  int64_t i = 0;
  for (; i + 4 * L <= n; i += 4 * L)
    for (int64_t k = 0; k < 4; ++k) lanes[k] = vmax(load<R>(x + i + k * L), lanes[k]);
  for (; i + L <= n; i += L) lanes[0] = vmax(load<R>(x + i), lanes[0]);
  T top = greatest_lane(vmax(vmax(lanes[0], lanes[1]), vmax(lanes[2], lanes[3])));
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

// Z = sum of exp(x_i - top); with kKeep the exponentials are stored in y. Z is NaN if any x_i is NaN.
template <int R, bool kKeep, class T>
T exp_and_sum(const T* x, T* y, int64_t n, T top) {
  return sum_over<T, 1>(n, [=](int64_t i, int64_t m) {
    Lanes<T, R> lanes = -std::numeric_limits<T>::infinity();  // after the row: exp gives 0
    if (m == kLanes<T>) {
      __builtin_prefetch(x + i + n);  // the next row, while this one is computed
      lanes = load<R>(x + i);
    } else {
      std::memcpy(&lanes, x + i, static_cast<size_t>(m) * sizeof(T));
    }
    Lanes<T, R> e = exp_of_negative(lanes - top);
    if constexpr (kKeep) put(y + i, e, m);
    return e;
  });
}

// Calls f.operator()<R>(const T* row, T* out, int64_t r) for each row r of n elements of a contiguous x.
template <class T, class F>
void each_row(const Tensor& x, Tensor& y, int64_t n, const F& f) {
  int64_t rows = n ? x.count() / n : y.count(), width = rows ? y.count() / rows : 0;
  const T* p = x.data<T>();
  T* out = y.data<T>();
  vectorised_for(0, rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)), [&]<int R>(int64_t b, int64_t e) {
    for (int64_t r = b; r < e; ++r) f.template operator()<R>(p + r * n, out + r * width, r);
  });
}

template <class F>  // f.operator()<R>(const T* row, T* out, int64_t n) for each row
Tensor by_rows(const char* name, const Tensor& x, const F& f, bool one_number = false) {
  if (x.rank() == 0) throw ShapeError(std::string(name) + ": needs at least one axis; got []");
  Kernel kernel(name, x.count());
  int64_t n = x.size(-1);
  Shape shape = x.shape();
  if (one_number) shape.erase(shape.rank() - 1);
  Tensor y = Tensor::empty(shape, x.dtype());
  dispatch_float(x.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    each_row<T>(x.contiguous(), y, n,
                [&]<int R>(const T* row, T* out, int64_t) { f.template operator()<R>(row, out, n); });
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

// A row with scores that overflowed, as overflow.h replaces it, in `room`: its maximum is 0.
template <class T>
const T* overflowed(const T* row, T* room, int64_t n) {
  std::copy(row, row + n, room);
  without_overflow(room, n);
  return room;
}

// q of one row: each class has its share (0 without smoothing and p), and the target class has `spike` in addition.
template <class T>
struct RowTarget {
  RowTarget(const RowTargets& q, int64_t r, int64_t V)
      : p(q.p.defined() ? q.p.data<T>() + r * V : nullptr),
        w(q.weight.defined() ? q.weight.data<T>() : nullptr),
        on(static_cast<T>(q.on)),
        off(static_cast<T>(q.off)),
        at(p ? -1 : q.index.data<int64_t>()[r]),
        spike(p   ? T{0}
              : w ? w[at] * on
                  : on),
        spread(p || off != 0) {}
  template <int R>
  Lanes<T, R> share(int64_t i, int64_t n) const {  // q of classes i, ..., i + n - 1 without the spike
    Lanes<T, R> q = p ? take<R>(p + i, n) * on + off : Lanes<T, R>(off);
    return w ? q * take<R>(w + i, n) : q;
  }
  const T *p, *w;
  T on, off;
  int64_t at;
  T spike;
  bool spread;
};

template <int R, class T>
T mass_of(const RowTarget<T>& q, int64_t V) {
  if (!q.spread) return q.spike;
  return q.spike + sum_over<T, 1>(V, [&](int64_t i, int64_t n) { return first_lanes(q.template share<R>(i, n), n); });
}

}  // namespace

Tensor softmax_rows(const Tensor& x) {
  return by_rows("softmax", x, []<int R>(auto* row, auto* y, int64_t n) {
    using T = std::remove_reference_t<decltype(*y)>;
    T top = row_top<R>(row, n);
    if (nothing_allowed(row, n, top)) return static_cast<void>(std::fill(y, y + n, T{0}));
    if (top == std::numeric_limits<T>::infinity()) row = overflowed(row, y, n), top = 0;
    T scale = T{1} / exp_and_sum<R, true>(row, y, n, top);
    int64_t i = 0;
    for (; i + kLanes<T> <= n; i += kLanes<T>) store(y + i, load<R>(y + i) * scale);
    for (; i < n; ++i) y[i] *= scale;
  });
}

Tensor log_softmax_rows(const Tensor& x) {
  return by_rows("log_softmax", x, []<int R>(auto* row, auto* y, int64_t n) {
    using T = std::remove_reference_t<decltype(*y)>;
    T top = row_top<R>(row, n);
    if (nothing_allowed(row, n, top)) return static_cast<void>(std::fill(y, y + n, top));
    if (top == std::numeric_limits<T>::infinity()) row = overflowed(row, y, n), top = 0;
    T log_z = std::log(exp_and_sum<R, false, T>(row, nullptr, n, top));
    for (int64_t i = 0; i < n; ++i) y[i] = (row[i] - top) - log_z;
  });
}

Tensor logsumexp_rows(const Tensor& x) {
  auto row = []<int R>(auto* r, auto* y, int64_t n) {
    using T = std::remove_reference_t<decltype(*y)>;
    T top = row_top<R>(r, n);
    *y = std::isinf(top) && none_is_nan(r, n) ? top : top + std::log(exp_and_sum<R, false, T>(r, nullptr, n, top));
  };
  return by_rows("logsumexp", x, row, /*one_number=*/true);
}

Tensor softmax_rows_backward(const Tensor& y, const Tensor& dy) {
  require_same_dtype("softmax_backward", y, dy);
  if (y.rank() == 0 || !(y.shape() == dy.shape()))
    throw ShapeError("softmax_backward: both must have one shape of at least one axis; got y " + to_string(y.shape()) +
                     " and dy " + to_string(dy.shape()));
  Kernel kernel("softmax_backward", y.count());
  Tensor upstream = dy.contiguous(), dx = Tensor::empty(y.shape(), y.dtype());
  int64_t n = y.size(-1);
  dispatch_float(y.dtype(), "softmax_backward", [&](auto zero) {
    using T = decltype(zero);
    const T* pd = upstream.data<T>();
    each_row<T>(y.contiguous(), dx, n, [&]<int R>(const T* p, T* out, int64_t r) {
      const T* d = pd + r * n;
      T dot = sum_over<T, 1>(n, [=](int64_t i, int64_t m) { return take<R>(p + i, m) * take<R>(d + i, m); });
      for (int64_t i = 0; i < n; ++i) out[i] = p[i] * (d[i] - dot);
    });
  });
  return dx;
}

Tensor cross_entropy_rows(const Tensor& x, const RowTargets& targets) {
  Kernel kernel("cross_entropy", x.count());
  int64_t V = x.size(1);
  Tensor loss = Tensor::empty({x.size(0)}, x.dtype());
  dispatch_float(x.dtype(), "cross_entropy", [&](auto zero) {
    using T = decltype(zero);
    each_row<T>(x.contiguous(), loss, V, [&]<int R>(const T* row, T* y, int64_t r) {
      RowTarget<T> q(targets, r, V);
      T top = row_top<R>(row, V), mass = mass_of<R>(q, V);
      if (nothing_allowed(row, V, top)) return static_cast<void>(*y = mass == 0 ? T{0} : -top);
      std::vector<T> room(top == std::numeric_limits<T>::infinity() ? static_cast<size_t>(V) : 0);
      if (!room.empty()) row = overflowed(row, room.data(), V), top = 0;
      T value = mass * std::log(exp_and_sum<R, false, T>(row, nullptr, V, top));
      if (q.spike != 0) value -= q.spike * (row[q.at] - top);
      if (q.spread)
        value -= sum_over<T, 1>(V, [&](int64_t i, int64_t n) {
          Lanes<T, R> share = q.template share<R>(i, n);  // 0 times -inf is 0 here
          return first_lanes(where(share != 0, share * (take<R>(row + i, n) - top), 0), n);
        });
      *y = value;
    });
  });
  return loss;
}

Tensor cross_entropy_rows_backward(const Tensor& x, const RowTargets& targets, const Tensor& d, bool in_place) {
  Kernel kernel("cross_entropy_backward", x.count());
  int64_t V = x.size(1);
  Tensor dx = in_place && x.is_contiguous() ? x : Tensor::empty(x.shape(), x.dtype());
  dispatch_float(x.dtype(), "cross_entropy", [&](auto zero) {
    using T = decltype(zero);
    const T* scale = d.data<T>();
    each_row<T>(x.contiguous(), dx, V, [&]<int R>(const T* row, T* y, int64_t r) {
      T up = scale[r], top = row_top<R>(row, V);
      if (up == 0) return static_cast<void>(std::fill(y, y + V, T{0}));
      RowTarget<T> q(targets, r, V);
      if (nothing_allowed(row, V, top)) {
        std::fill(y, y + V, T{0});
      } else {
        if (top == std::numeric_limits<T>::infinity()) row = overflowed(row, y, V), top = 0;
        T share = up * mass_of<R>(q, V) / exp_and_sum<R, true>(row, y, V, top);
        for (int64_t v = 0; v < V; ++v) y[v] *= share;
      }
      for (int64_t v = 0; q.spread && v < V; v += kLanes<T>) {
        int64_t n = std::min(kLanes<T>, V - v);
        put(y + v, take<R>(y + v, n) - q.template share<R>(v, n) * up, n);
      }
      if (!q.p) y[q.at] -= q.spike * up;
    });
  });
  return dx;
}

}  // namespace heed
