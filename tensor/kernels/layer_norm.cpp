#include "tensor/kernels/layer_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/kernels/sums.h"
#include "tensor/profile.h"
#include "tensor/range.h"

namespace heed {
namespace {

int64_t grain(int64_t N) { return 8192 / std::max<int64_t>(N, 1) + 1; }  // rows that a thread must have

// x - m in the lanes that hold elements, 0 after the end of the row.
template <int R, class T>
Lanes<T, R> centred(const T* x, T m, int64_t n) {
  if (n == kLanes<T>) return load<R>(x) - m;
  T rest[kLanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) rest[i] = x[i] - m;
  return load<R>(rest);
}

template <class T>
const T* data_or_null(const Tensor& t) {
  return t.defined() ? t.data<T>() : nullptr;
}

Tensor dense(const Tensor& t) { return t.defined() ? t.contiguous() : t; }

// x [R, N]; `row` (weight, bias) [N] or undefined; `like` (dy) of x's shape or undefined.
void require_rows(const char* operation, const Tensor& x, std::initializer_list<const Tensor*> row,
                  const Tensor& like = {}) {
  bool fits = x.rank() == 2 && (!like.defined() || like.shape() == x.shape());
  std::string got = "x " + to_string(x.shape());
  if (like.defined()) got += " and dy " + to_string(like.shape());
  for (const Tensor* t : row) {
    if (!t->defined()) continue;
    fits = fits && t->shape() == Shape{x.shape()[1]};
    got += " and a row of " + to_string(t->shape());
  }
  if (!fits) throw ShapeError(fmt::format("{}: needs x [R, N], rows [N] and dy of x's shape; got {}", operation, got));
}

// 1 / u for a row of N numbers; 1 if its largest is 0 or not finite.
template <class T>
T into_range(const T* p, int64_t N) {
  T most = 0;
  for (int64_t i = 0; i < N; ++i) most = std::max(most, std::abs(p[i]));
  return most > 0 && std::isfinite(most) ? 1 / unit_of(most) : T{1};
}

// x [R, N], computed as the formula says.
NormRows plain(const Tensor& x, const Tensor& w, const Tensor& b, double eps, Centre centre);

// Computes the rows in which the formula lost digits again, from (x - shift) s. All other rows keep their bits.
//
//   lost   the squares left the range of T: r is 0 or NaN, or larger than 1 / sqrt(the smallest normal number). The row
//          is divided by a unit u of its own size, s = 1 / u, and eps by u^2 (see tensor/range.h).
//   far    the mean is so much larger than the deviations that its rounding error counts. A row shifted by its mean has
//          a mean of about 0.
//
// A row near the largest number of T needs both, and then a new s for the shifted row, hence the loop.
template <class T>
void rescue(const Tensor& x, const Tensor& w, const Tensor& b, double eps, Centre centre, NormRows& out) {
  constexpr int kTurns = 6;
  const T most = 1 / std::sqrt(std::numeric_limits<T>::min());
  auto lost = [most](T r) { return !(r > 0 && r <= most); };
  auto far = [](T m, T r) { return !(std::abs(m) * r <= 16); };
  T *pm = out.m.data<T>(), *pr = out.r.data<T>();
  const int64_t R = x.size(0), N = x.size(1);
  int any = 0;
  for (int64_t i = 0; i < R; ++i) any |= int{lost(pr[i])} | int{far(pm[i], pr[i])};
  for (int64_t i = 0; any && i < R; ++i) {
    Tensor from = x.slice(0, i, i + 1), to = out.y.slice(0, i, i + 1), rest = from;  // [1, N]
    T s = 1, shift = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      T unit = lost(pr[i]) ? into_range(rest.data<T>(), N) : s, moved = far(pm[i], pr[i]) ? shift + pm[i] / s : shift;
      if (!std::isfinite(moved)) moved = shift;  // the sum alone was too large
      if (unit == s && moved == shift) break;
      s = unit, shift = moved, rest = sub(from, shift);
      NormRows one = plain(mul(rest, s), w, b, eps * s * s, centre);
      copy_into(to, one.y);
      pm[i] = *one.m.data<T>(), pr[i] = *one.r.data<T>();
    }
    if (s == 1 && shift == 0) continue;
    if (!out.s.defined()) out.s = Tensor::ones({R, 1}, x.dtype()), out.shift = Tensor::zeros({R, 1}, x.dtype());
    out.s.data<T>()[i] = s, out.shift.data<T>()[i] = shift;
  }
}

// (x - shift) s: the rows that m and r belong to.
Tensor in_units(const Tensor& x, const NormRows& forward) {
  return forward.s.defined() ? mul(sub(x, forward.shift), forward.s) : x;
}

NormRows plain(const Tensor& x, const Tensor& w, const Tensor& b, double eps, Centre centre) {
  int64_t rows = x.size(0), N = x.size(1);
  NormRows out{Tensor::empty({rows, N}, x.dtype()), Tensor::empty({rows}, x.dtype()), Tensor::empty({rows}, x.dtype())};
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t L = kLanes<T>;
    const T *px = x.data<T>(), *pw = data_or_null<T>(w), *pb = data_or_null<T>(b);
    T *py = out.y.data<T>(), *pm = out.m.data<T>(), *pr = out.r.data<T>();
    T count = static_cast<T>(std::max<int64_t>(N, 1));
    vectorised_for(0, rows, grain(N), [&]<int R>(int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* p = px + row * N;
        T m = centre == Centre::zero
                  ? T{0}
                  : sum_over<T, 2>(N, [p](int64_t i, int64_t n) { return take<R>(p + i, n); }) / count;
        T v = sum_over<T, 2>(N,
                             [p, m](int64_t i, int64_t n) {
                               Lanes<T, R> d = centred<R>(p + i, m, n);
                               return d * d;
                             }) /
              count;
        T r = T{1} / std::sqrt(v + static_cast<T>(eps));
        auto affine = [&](int64_t i, int64_t n) {
          Lanes<T, R> y = (take<R>(p + i, n) - m) * r;
          if (pw) y *= take<R>(pw + i, n);
          if (pb) y += take<R>(pb + i, n);
          put(py + row * N + i, y, n);
        };
        int64_t i = 0;
        for (; i + L <= N; i += L) affine(i, L);
        if (i < N) affine(i, N - i);
        pm[row] = m;
        pr[row] = r;
      }
    });
  });
  return out;
}

}  // namespace

NormRows norm_rows(const Tensor& x_, const Tensor& w_, const Tensor& b_, double eps, Centre centre) {
  require_rows("norm_rows", x_, {&w_, &b_});
  Kernel kernel(centre == Centre::mean ? "layer_norm" : "rms_norm", x_.count());
  Tensor x = x_.contiguous(), w = dense(w_), b = dense(b_);
  NormRows out = plain(x, w, b, eps, centre);
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) { rescue<decltype(zero)>(x, w, b, eps, centre, out); });
  return out;
}

Tensor norm_rows_backward(const Tensor& x_, const Tensor& w_, const NormRows& forward, const Tensor& dy_,
                          Centre centre) {
  require_rows("norm_rows_backward", x_, {&w_}, dy_);
  Kernel kernel(centre == Centre::mean ? "layer_norm_backward" : "rms_norm_backward", x_.count());
  Tensor x = in_units(x_, forward).contiguous(), w = dense(w_), dy = dy_.contiguous();
  int64_t rows = x.size(0), N = x.size(1);
  Tensor dx = Tensor::empty({rows, N}, x.dtype());
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t L = kLanes<T>;
    const T *px = x.data<T>(), *pw = data_or_null<T>(w), *pd = dy.data<T>();
    const T *pm = forward.m.data<T>(), *pr = forward.r.data<T>();
    T* out = dx.data<T>();
    T count = static_cast<T>(std::max<int64_t>(N, 1));
    vectorised_for(0, rows, grain(N), [&]<int R>(int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T *p = px + row * N, *d = pd + row * N;
        T m = pm[row], r = pr[row];
        auto u = [d, pw](int64_t i, int64_t n) {  // dy w
          return pw ? take<R>(d + i, n) * take<R>(pw + i, n) : take<R>(d + i, n);
        };
        T mean_u = centre == Centre::zero ? T{0} : sum_over<T, 2>(N, u) / count;
        T mean_un =
            sum_over<T, 2>(N, [=](int64_t i, int64_t n) { return u(i, n) * (centred<R>(p + i, m, n) * r); }) / count;
        for (int64_t i = 0; i < N; i += L) {
          int64_t n = std::min(L, N - i);
          Lanes<T, R> normal = (take<R>(p + i, n) - m) * r;
          put(out + row * N + i, (u(i, n) - mean_u - normal * mean_un) * r, n);
        }
      }
    });
  });
  return forward.s.defined() ? mul(dx, forward.s) : dx;  // the chain rule for (x - shift) s
}

Tensor norm_rows_weight(const Tensor& x_, const NormRows& forward, const Tensor& dy_) {
  require_rows("norm_rows_weight", x_, {}, dy_);
  Kernel kernel("layer_norm_weight", x_.count());
  Tensor x = in_units(x_, forward).contiguous(), dy = dy_.contiguous();
  int64_t rows = x.size(0), N = x.size(1);
  Tensor dw = Tensor::empty({N}, x.dtype());
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) {
    using T = decltype(zero);
    const T *px = x.data<T>(), *pd = dy.data<T>(), *pm = forward.m.data<T>(), *pr = forward.r.data<T>();
    sum_columns(1, rows, N, dw.data<T>(), [=]<int R>(int64_t, int64_t r, int64_t column, int64_t n) {
      int64_t at = r * N + column;
      return take<R>(pd + at, n) * ((take<R>(px + at, n) - pm[r]) * pr[r]);
    });
  });
  return dw;
}

}  // namespace heed
