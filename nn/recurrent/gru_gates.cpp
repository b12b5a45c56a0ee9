// The gates of one step in one pass over memory, forward and backward, and the same composed of public operations.
//
// clang-format off
//   dn = dh (1 - z)        d(pre n) = dn (1 - n^2)        dr = d(pre n) g_n
//   dz = dh (h - n)        d(pre z) = dz z (1 - z)        d(pre r) = dr r (1 - r)
//   dg_n = d(pre n) r      dh_prev = dh z
// clang-format on
//
// The gradients of i and g are equal in r and z and differ in n:
//
//   di = (pre r, pre z, pre n)      dg = (pre r, pre z, pre n * r)
#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "nn/recurrent/gate_rows.h"
#include "nn/recurrent/gru.h"
#include "tensor/elementwise.h"
#include "tensor/profile.h"

namespace heed::nn {
namespace {

// r, z and n of `m` units, computed from their pre-activations; `at` is the first of these units in the row.
template <class T, int R>
struct Gates {
  Lanes<T, R> r, z, n, gn;
  Gates(const T* i, const T* g, int64_t N, int64_t at, int64_t m) {
    auto part = [&](const T* p, int64_t gate) { return take<R>(p + gate * N + at, m); };
    Lanes<T, R> in = part(i, 2);
    gn = part(g, 2);
    r = sigmoid(part(i, 0) + part(g, 0));
    z = sigmoid(part(i, 1) + part(g, 1));
    n = tanh(in + r * gn);
  }
};

void check_gates(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep) {
  bool fits = h.rank() == 2 && i.rank() == 2 && i.shape() == g.shape() &&
              i.shape() == Shape{h.size(0), 3 * h.size(1)} &&
              (!keep.defined() || (keep.shape() == Shape{h.size(0)} && keep.dtype() == DType::boolean));
  if (!fits)
    throw ShapeError(
        fmt::format("gru_gates: needs i [B, 3N], g [B, 3N], h [B, N] and keep [B] bool; got {}, {}, {} and {}",
                    to_string(i.shape()), to_string(g.shape()), to_string(h.shape()),
                    keep.defined() ? fmt::format("{} {}", name_of(keep.dtype()), to_string(keep.shape())) : "no keep"));
  require_same_dtype("gru_gates", i.value(), h.value());
  require_same_dtype("gru_gates", g.value(), h.value());
}

}  // namespace

Variable gru_gates_composed(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep) {
  check_gates(i, g, h, keep);
  int64_t N = h.size(1);
  auto gi = split(i, {N, N, N}, -1), gg = split(g, {N, N, N}, -1);  // r, z, n each [B, N]
  Variable r = sigmoid(gi[0] + gg[0]);
  Variable z = sigmoid(gi[1] + gg[1]);
  Variable n = tanh(gi[2] + r * gg[2]);
  Variable next = (1 - z) * n + z * h;
  return keep.defined() ? where(keep.unsqueeze(1), next, h) : next;
}

Variable gru_gates(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep_) {
  check_gates(i, g, h, keep_);
  int64_t B = h.size(0), N = h.size(1);
  Tensor y = Tensor::empty({B, N}, h.dtype()), keep = keep_.defined() ? keep_.contiguous() : keep_;
  {
    Kernel kernel("gru_gates", y.count());
    Rows ri(i.value()), rg(g.value()), rh(h.value());
    dispatch_float(h.dtype(), "gru_gates", [&](auto zero) {
      using T = decltype(zero);
      vectorised_for(0, B, rows_grain(N), [&]<int R>(int64_t first, int64_t last) {
        for (int64_t b = first; b < last; ++b) {
          const T* old = rh.at<T>(b);
          T* out = y.data<T>() + b * N;
          if (keep.defined() && !keep.data<bool>()[b]) {
            std::copy(old, old + N, out);
            continue;
          }
          for (int64_t u = 0; u < N; u += kLanes<T>) {
            int64_t m = std::min(kLanes<T>, N - u);
            Gates<T, R> q(ri.at<T>(b), rg.at<T>(b), N, u, m);
            put(out + u, q.n + q.z * (take<R>(old + u, m) - q.n), m);
          }
        }
      });
    });
  }
  auto fast = [si = save(i), sg = save(g), sh = save(h), sk = save_optional(keep), B, N](Grads& grads,
                                                                                         const Variable& dy) {
    Tensor mask = sk.in(grads);
    Kernel kernel("gru_gates_backward", dy.count());
    Rows ri(grads[si].value()), rg(grads[sg].value()), rh(grads[sh].value()), rd(dy.value());
    Tensor di = Tensor::empty({B, 3 * N}, dy.dtype()), dg = Tensor::empty({B, 3 * N}, dy.dtype()),
           dh = Tensor::empty({B, N}, dy.dtype());
    dispatch_float(dy.dtype(), "gru_gates", [&](auto zero) {
      using T = decltype(zero);
      vectorised_for(0, B, rows_grain(N), [&]<int R>(int64_t first, int64_t last) {
        for (int64_t b = first; b < last; ++b) {
          T *pi = di.data<T>() + b * 3 * N, *pg = dg.data<T>() + b * 3 * N, *ph = dh.data<T>() + b * N;
          const T *d = rd.at<T>(b), *old = rh.at<T>(b);
          if (mask.defined() && !mask.data<bool>()[b]) {
            std::fill(pi, pi + 3 * N, T{0});
            std::fill(pg, pg + 3 * N, T{0});
            std::copy(d, d + N, ph);
            continue;
          }
          for (int64_t u = 0; u < N; u += kLanes<T>) {
            int64_t m = std::min(kLanes<T>, N - u);
            Gates<T, R> q(ri.at<T>(b), rg.at<T>(b), N, u, m);
            Lanes<T, R> up = take<R>(d + u, m), one = 1;
            Lanes<T, R> pre_n = zero_stays(up, up * (one - q.z) * (one - q.n * q.n));
            Lanes<T, R> pre_z = zero_stays(up, up * (take<R>(old + u, m) - q.n) * q.z * (one - q.z));
            Lanes<T, R> pre_r = zero_stays(pre_n, pre_n * q.gn * q.r * (one - q.r));
            put(pi + u, pre_r, m), put(pi + N + u, pre_z, m), put(pi + 2 * N + u, pre_n, m);
            put(pg + u, pre_r, m), put(pg + N + u, pre_z, m), put(pg + 2 * N + u, zero_stays(pre_n, pre_n * q.r), m);
            put(ph + u, zero_stays(up, up * q.z), m);
          }
        }
      });
    });
    grads.add(0, di);
    grads.add(1, dg);
    grads.add(2, dh);
  };
  auto composed = [si = save(i), sg = save(g), sh = save(h), sk = save_optional(keep)](Grads& grads) {
    return gru_gates_composed(grads[si], grads[sg], grads[sh], sk.in(grads));
  };
  return attach_fused("gru_gates", {i, g, h}, y, fast, composed);
}

}  // namespace heed::nn
