#include "tensor/kernels/layer_norm.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "tensor/kernels/sums.h"
#include "tensor/profile.h"
#include "tensor/range.h"

namespace heed {
namespace {

int64_t grain(int64_t N) { return 8192 / std::max<int64_t>(N, 1) + 1; }  // rows that a thread must have

// x s - m in the lanes that hold elements, 0 after the end of the row.
template <int R, class T>
Lanes<T, R> centred(const T* x, T s, T m, int64_t n) {
  if (n == kLanes<T>) return load<R>(x) * s - m;
  T rest[kLanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) rest[i] = x[i] * s - m;
  return load<R>(rest);
}

// m and the mean of squares of a row, each element times s.
template <int R, class T>
std::pair<T, T> moments(const T* p, T s, int64_t N, Centre centre) {
  T count = static_cast<T>(std::max<int64_t>(N, 1)), m = 0;
  if (centre == Centre::mean)
    m = sum_over<T, 2>(N, [p, s](int64_t i, int64_t n) { return take<R>(p + i, n) * s; }) / count;
  T v = sum_over<T, 2>(N, [p, s, m](int64_t i, int64_t n) {
    Lanes<T, R> d = centred<R>(p + i, s, m, n);
    return d * d;
  });
  return {m, v / count};
}

// s = 1 / u of a row whose squares leave the range of T; 1 if it has no size, or an infinite one.
template <class T>
[[gnu::cold, gnu::noinline]] T into_range(const T* p, int64_t N) {
  T most = 0;
  for (int64_t i = 0; i < N; ++i) most = std::max(most, std::abs(p[i]));
  return most > 0 && std::isfinite(most) ? T{1} / unit_of(most) : T{1};
}

template <class T>
const T* data_or_null(const Tensor& t) {
  return t.defined() ? t.data<T>() : nullptr;
}

// Of a row whose squares are too large for T: everything is divided by the largest number first.
template <int R, class T>
void scaled_moments(const T* p, int64_t N, T eps, Centre centre, T& m, T& r) {
  T most = 0;
  for (int64_t i = 0; i < N; ++i) most = std::max(most, std::abs(p[i]));
  if (!std::isfinite(most)) return;
  auto scaled = [p, most](int64_t i, int64_t n) { return take<R>(p + i, n) / most; };
  T count = static_cast<T>(N), mean = centre == Centre::zero ? T{0} : sum_over<T, 2>(N, scaled) / count;
  T square = sum_over<T, 2>(N,
                            [=](int64_t i, int64_t n) {
                              Lanes<T, R> d = first_lanes(scaled(i, n) - mean, n);
                              return d * d;
                            }) /
             count;
  m = mean * most;
  r = T{1} / most / std::sqrt(square + eps / most / most);
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

}  // namespace

NormRows norm_rows(const Tensor& x_, const Tensor& w_, const Tensor& b_, double eps, Centre centre) {
  require_rows("norm_rows", x_, {&w_, &b_});
  Kernel kernel(centre == Centre::mean ? "layer_norm" : "rms_norm", x_.count());
  Tensor x = x_.contiguous(), w = dense(w_), b = dense(b_);
  int64_t rows = x.size(0), N = x.size(1);
  auto numbers = [&] { return Tensor::empty({rows}, x.dtype()); };
  NormRows out{Tensor::empty({rows, N}, x.dtype()), numbers(), numbers(), numbers()};
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t L = kLanes<T>;
    const T *px = x.data<T>(), *pw = data_or_null<T>(w), *pb = data_or_null<T>(b);
    T *py = out.y.data<T>(), *pm = out.m.data<T>(), *pr = out.r.data<T>(), *ps = out.s.data<T>();
    vectorised_for(0, rows, grain(N), [&]<int R>(int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* p = px + row * N;
        T s = 1, e = static_cast<T>(eps);
        auto [m, v] = moments<R>(p, s, N, centre);
        if (!(v + e >= std::numeric_limits<T>::min() && std::isfinite(v)))
          if (s = into_range(p, N); s != 1) e = e * s * s, std::tie(m, v) = moments<R>(p, s, N, centre);
        T r = T{1} / std::sqrt(v + e);
        auto affine = [&, m = m](int64_t i, int64_t n) {
          Lanes<T, R> y = (take<R>(p + i, n) * s - m) * r;
          if (pw) y *= take<R>(pw + i, n);
          if (pb) y += take<R>(pb + i, n);
          put(py + row * N + i, y, n);
        };
        int64_t i = 0;
        for (; i + L <= N; i += L) affine(i, L);
        if (i < N) affine(i, N - i);
        pm[row] = m;
        pr[row] = r;
        ps[row] = s;
      }
    });
  });
  return out;
}

Tensor norm_rows_backward(const Tensor& x_, const Tensor& w_, const NormRows& forward, const Tensor& dy_,
                          Centre centre) {
  require_rows("norm_rows_backward", x_, {&w_}, dy_);
  Kernel kernel(centre == Centre::mean ? "layer_norm_backward" : "rms_norm_backward", x_.count());
  Tensor x = x_.contiguous(), w = dense(w_), dy = dy_.contiguous();
  int64_t rows = x.size(0), N = x.size(1);
  Tensor dx = Tensor::empty({rows, N}, x.dtype());
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t L = kLanes<T>;
    const T *px = x.data<T>(), *pw = data_or_null<T>(w), *pd = dy.data<T>();
    const T *pm = forward.m.data<T>(), *pr = forward.r.data<T>(), *ps = data_or_null<T>(forward.s);
    T* out = dx.data<T>();
    T count = static_cast<T>(std::max<int64_t>(N, 1));
    vectorised_for(0, rows, grain(N), [&]<int R>(int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T *p = px + row * N, *d = pd + row * N;
        T m = pm[row], r = pr[row], s = ps ? ps[row] : 1;
        auto u = [d, pw](int64_t i, int64_t n) {  // dy w
          return pw ? take<R>(d + i, n) * take<R>(pw + i, n) : take<R>(d + i, n);
        };
        T mean_u = centre == Centre::zero ? T{0} : sum_over<T, 2>(N, u) / count;
        T mean_un =
            sum_over<T, 2>(N, [=](int64_t i, int64_t n) { return u(i, n) * (take<R>(p + i, n) * s - m); }) * r / count;
        for (int64_t i = 0; i < N; i += L) {
          int64_t n = std::min(L, N - i);
          Lanes<T, R> normal = (take<R>(p + i, n) * s - m) * r;
          put(out + row * N + i, (u(i, n) - mean_u - normal * mean_un) * r * s, n);
        }
      }
    });
  });
  return dx;
}

Tensor norm_rows_weight(const Tensor& x_, const NormRows& forward, const Tensor& dy_) {
  require_rows("norm_rows_weight", x_, {}, dy_);
  Kernel kernel("layer_norm_weight", x_.count());
  Tensor x = x_.contiguous(), dy = dy_.contiguous();
  int64_t rows = x.size(0), N = x.size(1);
  Tensor dw = Tensor::empty({N}, x.dtype());
  dispatch_float(x.dtype(), "layer_norm", [&](auto zero) {
    using T = decltype(zero);
    const T *px = x.data<T>(), *pd = dy.data<T>(), *pm = forward.m.data<T>(), *pr = forward.r.data<T>();
    const T* ps = data_or_null<T>(forward.s);
    sum_columns(1, rows, N, dw.data<T>(), [=]<int R>(int64_t, int64_t r, int64_t column, int64_t n) {
      int64_t at = r * N + column;
      return take<R>(pd + at, n) * ((take<R>(px + at, n) * (ps ? ps[r] : 1) - pm[r]) * pr[r]);
    });
  });
  return dw;
}

}  // namespace heed
