// What a time loop over cells is made of, for every cell: rows of one step, the pass of its gates forward and backward,
// and the products that sum over all steps. sequence_engine.h and nn/models/attention_decoder.cpp are such loops.
//
// A cell brings its arithmetic as a Rule (gru_rule.h reads well as an example):
//
//   kName, kState       its name in errors and profiles; parts of a state
//   kGates              G, gates of W_ih and W_hh
//   kSaved, kGrads      columns of the saved gates and of the gradients a, in units of N
//   kPast               where among the gradients' columns those of `past` begin: G of them, in the order of W_hh
//   kInput              the same for `in`: pieces {column, gate, gates}, since they may stand in another order
//   forward, backward   `m` units of one row, beginning at unit u
//   step                one step from recorded operations, for the twin
#pragma once

#include <array>

#include "autograd/ops.h"
#include "nn/recurrent/gate_rows.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed::nn {

// One row of one step; each pointer leads to N units, or to as many gates of N units.
template <class T>
struct StepRow {
  int64_t N;
  T* gates;                             // before: x W_ih^T; after: the activated gates
  const T *past, *bias_in, *bias_past;  // h_{t-1} W_hh^T, b_ih, b_hh
  std::array<const T*, 2> old;          // the state before: h, c
  std::array<T*, 2> next;               // and after
  Lanes<T> in(int64_t gate, int64_t u, int64_t m) const {
    return take(gates + gate * N + u, m) + take(bias_in + gate * N + u, m);
  }
  Lanes<T> of_past(int64_t gate, int64_t u, int64_t m) const {
    return take(past + gate * N + u, m) + take(bias_past + gate * N + u, m);
  }
};

template <class T>
struct StepGradient {
  int64_t N;
  const T* gates;
  std::array<const T*, 2> old, next;
  T* a;                     // the gradients before the gates' curves
  std::array<T*, 2> carry;  // of the state after; becomes that of the state before, without what comes through `past`
};

struct GatePiece {
  int64_t column, gate, gates;
};

// Columns from `first` on, of rows that stand `row` apart.
template <class T>
MatrixView<T> columns(T* p, int64_t row, int64_t first) {
  return {p + first, row, 1};
}
template <class T>
MatrixView<T> transposed(MatrixView<T> m) {
  return {m.p, m.column, m.row};
}
template <class T>
void product(int64_t M, int64_t N, int64_t K, MatrixView<T> a, MatrixView<T> b, MatrixView<T> c, bool accumulate) {
  Kernel kernel("matmul", Kernel::Product{}, static_cast<double>(M * N) * static_cast<double>(K));
  gemm<T>(M, N, K, {a.p, a.row, a.column}, {b.p, b.row, b.column}, c, accumulate);
}

// c (+)= a W, with a W that every step reads and that is packed once a sequence.
template <class T>
void step_product(int64_t rows, MatrixView<T> a, const PackedMatrix& w, MatrixView<T> c, bool accumulate) {
  gemm<T>(rows, {a.p, a.row, a.column}, w.view<T>(), c, accumulate);
}

// Sentences do not meet in a time loop: each thread takes its own through all steps, and the threads meet once, not at
// every step. Two cases are left to the products to share: too few sentences, and weights (`bytes` of them a step) that
// a thread's own cache does not hold, of which each thread then reads its part only.
template <class F>  // F: void(int64_t first, int64_t last)
void each_row_group(int64_t B, int64_t bytes, const F& loop) {
  constexpr int64_t kWorthAThread = 16;            // rows: a product of fewer reads W for too little work
  constexpr int64_t kOwnCache = int64_t{5} << 18;  // L2, with room for the rest
  if (B / thread_count() >= kWorthAThread && bytes <= kOwnCache)
    parallel_for(0, B, kWorthAThread, loop);
  else
    loop(0, B);
}

// One step of all rows: B, N and where its memory begins. Rows of `gates` stand kSaved N apart, of `past` kGates N, of
// a state N, of `a` kGrads N.
template <class T>
struct ForwardStep {
  int64_t B, N;
  T* gates;
  const T *past, *bias_in, *bias_past;
  std::array<const T*, 2> old;
  std::array<T*, 2> next;
  const bool* keep;  // [B], or null
};
template <class T>
struct BackwardStep {
  int64_t B, N;
  const T* gates;
  std::array<const T*, 2> old, next;
  const T* dy;  // gradient of h from outside, rows `dy_row` apart, or null
  int64_t dy_row;
  T* a;
  std::array<T*, 2> carry;
  const bool* keep;
};

template <class Rule, class T>
void forward_step(const ForwardStep<T>& s) {
  constexpr int64_t G = Rule::kGates, S = Rule::kSaved;
  int64_t N = s.N;
  parallel_for(0, s.B, rows_grain(N), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      StepRow<T> row{N, s.gates + b * S * N, s.past + b * G * N, s.bias_in, s.bias_past, {}, {}};
      for (size_t p = 0; p < Rule::kState; ++p) row.old[p] = s.old[p] + b * N, row.next[p] = s.next[p] + b * N;
      if (s.keep && !s.keep[b])
        for (size_t p = 0; p < Rule::kState; ++p) std::copy(row.old[p], row.old[p] + N, row.next[p]);
      else
        for (int64_t u = 0; u < N; u += kLanes<T>) Rule::forward(row, u, std::min(kLanes<T>, N - u));
    }
  });
}

template <class Rule, class T>
void backward_step(const BackwardStep<T>& s) {
  constexpr int64_t S = Rule::kSaved, D = Rule::kGrads;
  int64_t N = s.N;
  parallel_for(0, s.B, rows_grain(N), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      StepGradient<T> row{N, s.gates + b * S * N, {}, {}, s.a + b * D * N, {}};
      for (size_t p = 0; p < Rule::kState; ++p)
        row.old[p] = s.old[p] + b * N, row.next[p] = s.next[p] + b * N, row.carry[p] = s.carry[p] + b * N;
      for (int64_t u = 0; s.dy && u < N; ++u) row.carry[0][u] += s.dy[b * s.dy_row + u];
      if (s.keep && !s.keep[b])
        std::fill(row.a, row.a + D * N, T{0});
      else
        for (int64_t u = 0; u < N; u += kLanes<T>) Rule::backward(row, u, std::min(kLanes<T>, N - u));
    }
  });
}

// --- with a [rows, kGrads N], of one step or of all

// dx (+)= a_in W: columns of W_ih [G N, ..] that stand `w.row` apart, I of them.
template <class Rule, class T>
void input_gradient(int64_t rows, int64_t N, int64_t I, T* a, MatrixView<T> w, MatrixView<T> dx, bool accumulate) {
  for (GatePiece p : Rule::kInput) {
    product<T>(rows, I, p.gates * N, columns(a, Rule::kGrads * N, p.column * N), {w.p + p.gate * N * w.row, w.row, 1},
               dx, accumulate);
    accumulate = true;
  }
}
// dW = a_in^T x, into such columns.
template <class Rule, class T>
void input_weight_gradient(int64_t rows, int64_t N, int64_t I, T* a, MatrixView<T> x, MatrixView<T> dw) {
  for (GatePiece p : Rule::kInput)
    product<T>(p.gates * N, I, rows, transposed(columns(a, Rule::kGrads * N, p.column * N)), x,
               {dw.p + p.gate * N * dw.row, dw.row, 1}, /*accumulate=*/false);
}
// dh += a_past W_hh
template <class Rule, class T>
void past_gradient(int64_t rows, int64_t N, T* a, const PackedMatrix& w, T* dh) {
  step_product<T>(rows, columns(a, Rule::kGrads * N, Rule::kPast * N), w, columns(dh, N, 0), /*accumulate=*/true);
}
// dW_hh = a_past^T h, h [rows, N] the states before.
template <class Rule, class T>
Tensor past_weight_gradient(int64_t rows, int64_t N, T* a, T* h, DType dtype) {
  Tensor dw = Tensor::empty({Rule::kGates * N, N}, dtype);
  product<T>(Rule::kGates * N, N, rows, transposed(columns(a, Rule::kGrads * N, Rule::kPast * N)), columns(h, N, 0),
             columns(dw.data<T>(), N, 0), /*accumulate=*/false);
  return dw;
}
// The sums of a over its rows, as the gradients of b_ih and b_hh.
template <class Rule>
std::array<Tensor, 2> bias_gradients(const Tensor& a) {
  int64_t D = Rule::kGrads, N = a.size(-1) / D;
  Tensor all = sum(a.view({a.count() / (D * N), D * N}), {0}), in = Tensor::empty({Rule::kGates * N}, a.dtype());
  for (GatePiece p : Rule::kInput) {
    Tensor part = in.slice(0, p.gate * N, (p.gate + p.gates) * N);
    copy_into(part, all.slice(0, p.column * N, (p.column + p.gates) * N));
  }
  return {in, all.slice(0, Rule::kPast * N, (Rule::kPast + Rule::kGates) * N)};
}

}  // namespace heed::nn
