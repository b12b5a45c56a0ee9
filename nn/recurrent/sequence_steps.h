// The parts of a time loop that all cells share: the rows of one step, the forward and backward pass of the gates, and
// the products that sum over all steps. sequence_engine.h and nn/models/attention_decoder.cpp contain such loops;
// one_step.h is a single step.
//
// A cell defines its arithmetic as a Rule (gru_rule.h is a good example):
//
// clang-format off
//   kName, kStep        names of a sequence and of a step, in errors and profiles
//   kState, kFirstRead  number of parts of a state; the first that gates read (an LSTM reads h
//                       through `past` alone)
//   kGates              G, the number of gates in W_ih and W_hh
//   kSaved, kGrads      columns of the saved gates and of the gradients a, in units of N
//   kPast               first column of the gradient of `past`: G columns, in the order of W_hh
//   kInput              columns of the gradient of `in`: {column, gate, gates}, in any order
//   forward, backward   compute `m` units of one row, beginning at unit u
//   step                one step composed of public operations
// clang-format on
#pragma once

#include <array>

#include "autograd/ops.h"
#include "nn/recurrent/gate_rows.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/caches.h"
#include "tensor/matmul.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed::nn {

// One row of one step. Each pointer points to N units, or to several gates of N units each. Without kBiased, `x` and
// `past` contain the biases.
template <class T, bool kBiased>
struct StepRow {
  int64_t N;
  const T* x;                           // x W_ih^T
  T* gates;                             // the activated gates; null: nobody asks for them. May be the memory of x
  const T *past, *bias_in, *bias_past;  // h_{t-1} W_hh^T, b_ih, b_hh
  std::array<const T*, 2> old;          // the old state: h, c
  std::array<T*, 2> next;               // the new state
  template <int R>
  Lanes<T, R> in(int64_t gate, int64_t u, int64_t m) const {
    if constexpr (!kBiased)
      return take<R>(x + gate * N + u, m);
    else
      return take<R>(x + gate * N + u, m) + take<R>(bias_in + gate * N + u, m);
  }
  template <int R>
  Lanes<T, R> of_past(int64_t gate, int64_t u, int64_t m) const {
    if constexpr (!kBiased)
      return take<R>(past + gate * N + u, m);
    else
      return take<R>(past + gate * N + u, m) + take<R>(bias_past + gate * N + u, m);
  }
};

template <class T>
struct StepGradient {
  int64_t N;
  const T* gates;
  std::array<const T*, 2> old, next;
  T* a;  // gradients of the gates' pre-activations
  // On entry: of the new state; on exit: of the old state, without the share that comes through `past`.
  std::array<T*, 2> carry;
};

struct GatePiece {
  int64_t column, gate, gates;
};

// A view of the columns from `first` on, in rows that are `row` elements apart.
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
  gemm<T>(precision(), M, N, K, {a.p, a.row, a.column}, {b.p, b.row, b.column}, c, accumulate);
}

// c (+)= a W, for a W that is the same in every step and is packed once per sequence.
template <class T>
void step_product(int64_t rows, MatrixView<T> a, const PackedMatrix& w, MatrixView<T> c, bool accumulate) {
  gemm<T>(rows, {a.p, a.row, a.column}, w.view<T>(), c, accumulate);
}

// The sentences of a batch do not depend on each other. So each thread takes some of them through all steps, and the
// threads synchronise once instead of at every step. In two cases the loop runs on one thread and its products use all
// threads: if there are too few sentences, or if the weights (`bytes`, read at each step) are larger than a core's L2
// by more than a quarter; then each thread reads only its part of the weights.
template <class F>  // F: void(int64_t first, int64_t last)
void each_row_group(int64_t B, int64_t bytes, const F& loop) {
  constexpr int64_t kWorthAThread = 16;  // rows: with fewer, a product does too little work for each read of W
  if (B / thread_count() >= kWorthAThread && bytes <= caches().l2 * 5 / 4)
    parallel_for(0, B, (B + thread_count() - 1) / thread_count(), loop);
  else
    loop(0, B);
}

// One step of all rows: B, N and pointers to its memory. The row strides are kSaved N in `gates`, kGates N in `past`, N
// in a state and kGrads N in `a`.
template <class T>
struct ForwardStep {
  int64_t B, N;
  T* gates;  // on entry x W_ih^T, unless `x` is given
  const T *past, *bias_in, *bias_past;
  std::array<const T*, 2> old;
  std::array<T*, 2> next;
  const bool* keep;      // [B], or null
  const T* x = nullptr;  // x W_ih^T with row stride x_row
  int64_t x_row = 0;
};
template <class T>
struct BackwardStep {
  int64_t B, N;
  const T* gates;
  std::array<const T*, 2> old, next;
  const T* dy;  // gradient of h from outside, with row stride `dy_row`, or null
  int64_t dy_row;
  T* a;
  std::array<T*, 2> carry;
  const bool* keep;
};

template <class Rule, bool kBiased = true, class T>
void forward_step(const ForwardStep<T>& s) {
  constexpr int64_t G = Rule::kGates, S = Rule::kSaved;
  int64_t N = s.N, x_row = s.x ? s.x_row : S * N;
  const T* x = s.x ? s.x : s.gates;
  vectorised_for(0, s.B, rows_grain(N), [&]<int R>(int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      T* gates = s.gates ? s.gates + b * S * N : nullptr;
      StepRow<T, kBiased> row{N, x + b * x_row, gates, s.past + b * G * N, s.bias_in, s.bias_past, {}, {}};
      for (size_t p = 0; p < Rule::kState; ++p) row.old[p] = s.old[p] + b * N, row.next[p] = s.next[p] + b * N;
      if (s.keep && !s.keep[b])
        for (size_t p = 0; p < Rule::kState; ++p) std::copy(row.old[p], row.old[p] + N, row.next[p]);
      else
        for (int64_t u = 0; u < N; u += kLanes<T>) Rule::template forward<R>(row, u, std::min(kLanes<T>, N - u));
    }
  });
}

template <class Rule, class T>
void backward_step(const BackwardStep<T>& s) {
  constexpr int64_t S = Rule::kSaved, D = Rule::kGrads;
  int64_t N = s.N;
  vectorised_for(0, s.B, rows_grain(N), [&]<int R>(int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      StepGradient<T> row{N, s.gates + b * S * N, {}, {}, s.a + b * D * N, {}};
      for (size_t p = 0; p < Rule::kState; ++p)
        row.old[p] = s.old[p] + b * N, row.next[p] = s.next[p] + b * N, row.carry[p] = s.carry[p] + b * N;
      for (int64_t u = 0; s.dy && u < N; ++u) row.carry[0][u] += s.dy[b * s.dy_row + u];
      if (s.keep && !s.keep[b])
        std::fill(row.a, row.a + D * N, T{0});
      else
        for (int64_t u = 0; u < N; u += kLanes<T>) Rule::template backward<R>(row, u, std::min(kLanes<T>, N - u));
    }
  });
}

// In the functions below, a is [rows, kGrads N], of one step or of all steps.

// dx (+)= a_in W, where W is I columns of W_ih [G N, ..] with row stride `w.row`.
template <class Rule, class T>
void input_gradient(int64_t rows, int64_t N, int64_t I, T* a, MatrixView<T> w, MatrixView<T> dx, bool accumulate) {
  for (GatePiece p : Rule::kInput) {
    product<T>(rows, I, p.gates * N, columns(a, Rule::kGrads * N, p.column * N), {w.p + p.gate * N * w.row, w.row, 1},
               dx, accumulate);
    accumulate = true;
  }
}
// dW = a_in^T x, written into such columns.
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
// dW_hh = a_past^T h, where h [rows, N] are the old states.
template <class Rule, class T>
Tensor past_weight_gradient(int64_t rows, int64_t N, T* a, T* h, DType dtype) {
  Tensor dw = Tensor::empty({Rule::kGates * N, N}, dtype);
  product<T>(Rule::kGates * N, N, rows, transposed(columns(a, Rule::kGrads * N, Rule::kPast * N)), columns(h, N, 0),
             columns(dw.data<T>(), N, 0), /*accumulate=*/false);
  return dw;
}
// The gradient of `in`, in the order of W_ih: a [rows, kGrads N] -> [rows, kGates N].
template <class Rule>
Tensor input_columns(const Tensor& a) {
  if constexpr (Rule::kGrads == Rule::kGates) return a;
  int64_t N = a.size(1) / Rule::kGrads;
  Tensor in = Tensor::empty({a.size(0), Rule::kGates * N}, a.dtype());
  for (GatePiece p : Rule::kInput) {
    Tensor part = in.slice(1, p.gate * N, (p.gate + p.gates) * N);
    copy_into(part, a.slice(1, p.column * N, (p.column + p.gates) * N));
  }
  return in;
}
// Sums a over its rows, which gives the gradients of b_ih and b_hh.
template <class Rule>
std::array<Tensor, 2> bias_gradients(const Tensor& a) {
  int64_t D = Rule::kGrads, N = a.size(-1) / D;
  Tensor all = sum(a.view({a.count() / (D * N), D * N}), {0}, /*keep=*/true);
  return {input_columns<Rule>(all).squeeze(0),
          all.slice(1, Rule::kPast * N, (Rule::kPast + Rule::kGates) * N).squeeze(0)};
}

}  // namespace heed::nn
