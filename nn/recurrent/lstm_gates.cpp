// The gates of one step in one pass over memory, forward and backward, and the same composed of public operations.
// Legend: c' is the new cell, q = tanh c'.
//
//   do = dh q      d(pre o) = do o (1 - o)          total dc' = dc + dh o (1 - q^2)
//   di = dc' g     d(pre i) = di i (1 - i)          dc_prev = dc' f
//   df = dc' c     d(pre f) = df f (1 - f)
//   dg = dc' i     d(pre g) = dg (1 - g^2)
//
// `in` and `past` are only ever added, so one tensor is the gradient of both. Saved: in, past and c; the gates are
// computed again in the backward pass.
#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "nn/recurrent/gate_rows.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/lstm_units.h"
#include "tensor/elementwise.h"
#include "tensor/profile.h"

namespace heed::nn {
namespace {

// The gates and the new cell of `m` units, computed from their pre-activations; `at` is the first of them in the row.
template <int R, class T>
LSTMUnits<T, R> gates(const T* in, const T* past, const T* old_c, int64_t N, int64_t at, int64_t m) {
  auto pre = [&](int64_t gate) { return take<R>(in + gate * N + at, m) + take<R>(past + gate * N + at, m); };
  return lstm_units<T, R>(pre, take<R>(old_c + at, m));
}

void check_gates(const Variable& in, const Variable& past, const LSTMState& s, const Tensor& keep) {
  bool fits = s.h.defined() && s.c.defined() && s.c.rank() == 2 && s.h.shape() == s.c.shape() &&
              in.shape() == Shape{s.c.size(0), 4 * s.c.size(1)} && past.shape() == in.shape() &&
              (!keep.defined() || (keep.shape() == Shape{s.c.size(0)} && keep.dtype() == DType::boolean));
  auto shape_of = [](const Variable& v) { return v.defined() ? to_string(v.shape()) : std::string("none"); };
  if (!fits)
    throw ShapeError(fmt::format(
        "lstm_gates: needs in [B, 4N], past [B, 4N], h [B, N], c [B, N] and keep [B] bool; got {}, {}, {}, {} and {}",
        shape_of(in), shape_of(past), shape_of(s.h), shape_of(s.c),
        keep.defined() ? fmt::format("{} {}", name_of(keep.dtype()), to_string(keep.shape())) : "no keep"));
  for (const Variable* v : {&past, &s.h, &s.c}) require_same_dtype("lstm_gates", in.value(), v->value());
}

}  // namespace

LSTMState lstm_gates_composed(const Variable& in, const Variable& past, const LSTMState& state, const Tensor& keep) {
  check_gates(in, past, state, keep);
  int64_t N = state.c.size(1);
  auto pre = split(in + past, {N, N, N, N}, -1);  // i, f, g, o each [B, N]
  Variable i = sigmoid(pre[0]);
  Variable f = sigmoid(pre[1]);
  Variable g = tanh(pre[2]);
  Variable o = sigmoid(pre[3]);
  Variable c = f * state.c + i * g;
  Variable h = o * tanh(c);
  if (!keep.defined()) return {h, c};
  Tensor kept = keep.unsqueeze(1);  // [B, 1]
  return {where(kept, h, state.h), where(kept, c, state.c)};
}

LSTMState lstm_gates(const Variable& in, const Variable& past, const LSTMState& state, const Tensor& keep_) {
  check_gates(in, past, state, keep_);
  const Variable &h = state.h, &c = state.c;
  int64_t B = c.size(0), N = c.size(1);
  Tensor keep = keep_.defined() ? keep_.contiguous() : keep_;
  Tensor h_next = Tensor::empty({B, N}, c.dtype()), c_next = Tensor::empty({B, N}, c.dtype());
  {
    Kernel kernel("lstm_gates", 2 * B * N);
    Rows ri(in.value()), rp(past.value()), rh(h.value()), rc(c.value());
    dispatch_float(c.dtype(), "lstm_gates", [&](auto zero) {
      using T = decltype(zero);
      vectorised_for(0, B, rows_grain(N), [&]<int R>(int64_t first, int64_t last) {
        for (int64_t b = first; b < last; ++b) {
          const T *old_h = rh.at<T>(b), *old_c = rc.at<T>(b);
          T *ph = h_next.data<T>() + b * N, *pc = c_next.data<T>() + b * N;
          if (keep.defined() && !keep.data<bool>()[b]) {
            std::copy(old_h, old_h + N, ph);
            std::copy(old_c, old_c + N, pc);
            continue;
          }
          for (int64_t u = 0; u < N; u += kLanes<T>) {
            int64_t m = std::min(kLanes<T>, N - u);
            LSTMUnits<T, R> q = gates<R>(ri.at<T>(b), rp.at<T>(b), old_c, N, u, m);
            put(ph + u, q.o * tanh(q.c), m);
            put(pc + u, q.c, m);
          }
        }
      });
    });
  }
  auto fast = [si = save(in), sp = save(past), sc = save(c), sk = save_optional(keep), B, N](Grads& grads) {
    Tensor mask = sk.in(grads);
    Kernel kernel("lstm_gates_backward", 2 * B * N);
    Rows ri(grads[si].value()), rp(grads[sp].value()), rc(grads[sc].value());
    Rows rdh(grads.dy(0).value()), rdc(grads.dy(1).value());
    DType dtype = rc.tensor.dtype();
    Tensor d_pre = Tensor::empty({B, 4 * N}, dtype), dc_prev = Tensor::empty({B, N}, dtype), dh_prev;
    if (mask.defined()) dh_prev = Tensor::zeros({B, N}, dtype);
    dispatch_float(dtype, "lstm_gates", [&](auto zero) {
      using T = decltype(zero);
      vectorised_for(0, B, rows_grain(N), [&]<int R>(int64_t first, int64_t last) {
        for (int64_t b = first; b < last; ++b) {
          T *pd = d_pre.data<T>() + b * 4 * N, *pc = dc_prev.data<T>() + b * N;
          const T *dh = rdh.at<T>(b), *dc = rdc.at<T>(b), *old_c = rc.at<T>(b);
          if (mask.defined() && !mask.data<bool>()[b]) {
            std::fill(pd, pd + 4 * N, T{0});
            std::copy(dc, dc + N, pc);
            std::copy(dh, dh + N, dh_prev.data<T>() + b * N);
            continue;
          }
          for (int64_t u = 0; u < N; u += kLanes<T>) {
            int64_t m = std::min(kLanes<T>, N - u);
            LSTMUnits<T, R> q = gates<R>(ri.at<T>(b), rp.at<T>(b), old_c, N, u, m);
            auto d = lstm_unit_grads(q, take<R>(old_c + u, m), take<R>(dh + u, m), take<R>(dc + u, m));
            put(pd + u, d.i, m), put(pd + N + u, d.f, m), put(pd + 2 * N + u, d.g, m);
            put(pd + 3 * N + u, d.o, m);
            put(pc + u, d.c, m);
          }
        }
      });
    });
    grads.add(0, d_pre);
    grads.add(1, d_pre);
    grads.add(2, dc_prev);
    if (mask.defined()) grads.add(3, dh_prev);
  };
  // The operation has two outputs. As in attach_fused, gradients of gradients go through the composed form.
  Inputs inputs{in, past, c};
  if (keep.defined()) inputs.emplace_back(h);
  auto gradient = [fast, si = save(in), sp = save(past), sh = save(h), sc = save(c),
                   sk = save_optional(keep)](Grads& g) {
    if (!g.recording()) return fast(g);
    LSTMState again = lstm_gates_composed(g[si], g[sp], {g[sh], g[sc]}, sk.in(g));
    g.replay({again.h, again.c});
  };
  auto next = attach_many("lstm_gates", inputs, {h_next, c_next}, gradient);
  return {next[0], next[1]};
}

}  // namespace heed::nn
