// The engine of sequence.h, for every cell. A cell brings its arithmetic as a Rule (the last section of
// gru_sequence.cpp reads well as an example):
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
#include <utility>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/recurrent/gate_rows.h"
#include "nn/recurrent/sequence.h"
#include "tensor/elementwise.h"
#include "tensor/gemm.h"
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
  Vec<T> in(int64_t gate, int64_t u, int64_t m) const {
    return take(gates + gate * N + u, m) + take(bias_in + gate * N + u, m);
  }
  Vec<T> of_past(int64_t gate, int64_t u, int64_t m) const {
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

// Columns [first, first + n) of rows that stand `row` apart.
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

void check_sequence(const char* name, const SequenceInputs& in, int64_t gates, size_t state_parts);

// The composed twin: step by step, from recorded operations.
template <class Rule>
SequenceStates steps_of(const SequenceInputs& s) {
  int64_t T = s.x.size(0);
  std::vector<Variable> in = unstack(linear(s.x, s.weight_ih, s.bias_ih), 0), outputs(in.size()), state = s.state;
  for (int64_t k = 0; k < T; ++k) {
    int64_t t = step_at(k, T, s.backwards);
    Variable past = linear(state[0], s.weight_hh, s.bias_hh);
    state = Rule::step(in[static_cast<size_t>(t)], past, state, s.keep.defined() ? s.keep.select(0, t) : Tensor());
    outputs[static_cast<size_t>(t)] = state[0];
  }
  return {stack(outputs, 0), state};
}

// What the forward loop leaves behind.
struct SequenceMemory {
  Tensor gates;                // [T, B, kSaved N]
  std::vector<Tensor> states;  // [T + 1, B, N] each: in the order of time, the first state before all others or,
};                             // backwards, behind them

template <class Rule, class T>
void sequence_forward(const SequenceInputs& s, SequenceMemory& memory) {
  int64_t steps = s.x.size(0), B = s.x.size(1), I = s.x.size(2), N = s.weight_hh.size(1);
  constexpr int64_t G = Rule::kGates, S = Rule::kSaved;
  DType dtype = s.x.dtype();
  Tensor x = s.x.value().contiguous(), w = s.weight_ih.value().contiguous();
  Tensor w_past = s.weight_hh.value().transpose(0, 1).contiguous();  // [N, G N], once: every step reads it in vectors
  Tensor past = Tensor::empty({B, G * N}, dtype), zeros;
  if (!s.bias_ih.defined() || !s.bias_hh.defined()) zeros = Tensor::zeros({G * N}, dtype);
  Tensor bias_in = s.bias_ih.defined() ? s.bias_ih.value().contiguous() : zeros;
  Tensor bias_past = s.bias_hh.defined() ? s.bias_hh.value().contiguous() : zeros;
  T* gates = memory.gates.data<T>();
  product<T>(steps * B, G * N, I, columns(x.data<T>(), I, 0), transposed(columns(w.data<T>(), I, 0)),
             columns(gates, S * N, 0), /*accumulate=*/false);
  std::array<T*, 2> states{};
  for (size_t p = 0; p < Rule::kState; ++p) {
    states[p] = memory.states[p].data<T>();
    Tensor first = memory.states[p].select(0, s.backwards ? steps : 0);
    copy_into(first, s.state[p].value());
  }
  const bool* keep = s.keep.defined() ? s.keep.data<bool>() : nullptr;
  for (int64_t k = 0; k < steps; ++k) {
    int64_t t = step_at(k, steps, s.backwards), old = t + (s.backwards ? 1 : 0), next = t + (s.backwards ? 0 : 1);
    product<T>(B, G * N, N, columns(states[0] + old * B * N, N, 0), columns(w_past.data<T>(), G * N, 0),
               columns(past.data<T>(), G * N, 0), /*accumulate=*/false);
    Kernel kernel(Rule::kName, B * N);
    parallel_for(0, B, rows_grain(N), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        StepRow<T> row{
            N, gates + (t * B + b) * S * N, past.data<T>() + b * G * N, bias_in.data<T>(), bias_past.data<T>(), {}, {}};
        for (size_t p = 0; p < Rule::kState; ++p) {
          row.old[p] = states[p] + (old * B + b) * N;
          row.next[p] = states[p] + (next * B + b) * N;
        }
        if (keep && !keep[t * B + b]) {
          for (size_t p = 0; p < Rule::kState; ++p) std::copy(row.old[p], row.old[p] + N, row.next[p]);
          continue;
        }
        for (int64_t u = 0; u < N; u += kLanes<T>) Rule::forward(row, u, std::min(kLanes<T>, N - u));
      }
    });
  }
}

// What the backward loop makes.
struct SequenceGradients {
  Tensor a;                   // [T, B, kGrads N]
  std::vector<Tensor> carry;  // of the first state, each part [B, N]
};

// dy: gradient of the outputs [T, B, N], any strides, or undefined. carry comes in as the gradient of the last state.
template <class Rule, class T>
void sequence_backward(const SequenceMemory& memory, const Tensor& weight_hh, const Tensor& keep_, bool backwards,
                       const Tensor& dy, SequenceGradients& out) {
  int64_t steps = memory.gates.size(0), B = memory.gates.size(1), N = weight_hh.size(1);
  constexpr int64_t G = Rule::kGates, S = Rule::kSaved, D = Rule::kGrads;
  Tensor w = weight_hh.contiguous();
  const bool* keep = keep_.defined() ? keep_.data<bool>() : nullptr;
  std::array<T*, 2> carry{};
  std::array<const T*, 2> states{};
  for (size_t p = 0; p < Rule::kState; ++p) carry[p] = out.carry[p].data<T>(), states[p] = memory.states[p].data<T>();
  for (int64_t k = steps - 1; k >= 0; --k) {
    int64_t t = step_at(k, steps, backwards), old = t + (backwards ? 1 : 0), next = t + (backwards ? 0 : 1);
    T* a = out.a.data<T>() + t * B * D * N;
    {
      Kernel kernel(Rule::kName, B * N);
      parallel_for(0, B, rows_grain(N), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          StepGradient<T> row{N, memory.gates.data<T>() + (t * B + b) * S * N, {}, {}, a + b * D * N, {}};
          for (size_t p = 0; p < Rule::kState; ++p) {
            row.old[p] = states[p] + (old * B + b) * N;
            row.next[p] = states[p] + (next * B + b) * N;
            row.carry[p] = carry[p] + b * N;
          }
          if (dy.defined()) {
            const T* up = dy.data<T>() + t * dy.strides()[0] + b * dy.strides()[1];
            for (int64_t u = 0; u < N; ++u) row.carry[0][u] += up[u];
          }
          if (keep && !keep[t * B + b])
            std::fill(row.a, row.a + D * N, T{0});
          else
            for (int64_t u = 0; u < N; u += kLanes<T>) Rule::backward(row, u, std::min(kLanes<T>, N - u));
        }
      });
    }
    product<T>(B, N, G * N, columns(a, D * N, Rule::kPast * N), columns(w.data<T>(), N, 0), columns(carry[0], N, 0),
               /*accumulate=*/true);
  }
}

// The gradients that sum over all steps, after the loop. `add(i, tensor)` for input i of run_sequence.
template <class Rule, class T>
void sequence_sums(Grads& grads, const Tensor& x_, const Tensor& weight_ih, const SequenceMemory& memory,
                   bool backwards, const Tensor& a) {
  int64_t steps = a.size(0), B = a.size(1), N = a.size(2) / Rule::kGrads, I = x_.size(2), rows = steps * B;
  constexpr int64_t G = Rule::kGrads, gates = Rule::kGates;
  DType dtype = a.dtype();
  if (grads.needs(0)) {
    Tensor dx = Tensor::empty({steps, B, I}, dtype), w = weight_ih.contiguous();
    bool more = false;
    for (GatePiece p : Rule::kInput) {
      product<T>(rows, I, p.gates * N, columns(a.data<T>(), G * N, p.column * N),
                 columns(w.data<T>() + p.gate * N * I, I, 0), columns(dx.data<T>(), I, 0), more);
      more = true;
    }
    grads.add(0, dx);
  }
  if (grads.needs(1)) {
    Tensor dw = Tensor::empty({gates * N, I}, dtype), x = x_.contiguous();
    for (GatePiece p : Rule::kInput)
      product<T>(p.gates * N, I, rows, transposed(columns(a.data<T>(), G * N, p.column * N)),
                 columns(x.data<T>(), I, 0), columns(dw.data<T>() + p.gate * N * I, I, 0), /*accumulate=*/false);
    grads.add(1, dw);
  }
  if (grads.needs(2)) {
    Tensor dw = Tensor::empty({gates * N, N}, dtype);
    T* before = memory.states[0].data<T>() + (backwards ? B * N : 0);  // h_{t-1} of every t
    product<T>(gates * N, N, rows, transposed(columns(a.data<T>(), G * N, Rule::kPast * N)), columns(before, N, 0),
               columns(dw.data<T>(), N, 0), /*accumulate=*/false);
    grads.add(2, dw);
  }
  if (!grads.needs(3) && !grads.needs(4)) return;
  Tensor db = sum(a.view({rows, G * N}), {0});
  Tensor db_in = Tensor::empty({gates * N}, dtype);
  for (GatePiece p : Rule::kInput) {
    Tensor part = db_in.slice(0, p.gate * N, (p.gate + p.gates) * N);
    copy_into(part, db.slice(0, p.column * N, (p.column + p.gates) * N));
  }
  grads.add(3, db_in);
  grads.add(4, db.slice(0, Rule::kPast * N, (Rule::kPast + gates) * N));
}

template <class Rule>
SequenceStates run_sequence(const SequenceInputs& s) {
  check_sequence(Rule::kName, s, Rule::kGates, Rule::kState);
  int64_t T = s.x.size(0), B = s.x.size(1), N = s.weight_hh.size(1);
  DType dtype = s.x.dtype();
  SequenceMemory memory{Tensor::empty({T, B, Rule::kSaved * N}, dtype), {}};
  for (size_t p = 0; p < Rule::kState; ++p) memory.states.push_back(Tensor::empty({T + 1, B, N}, dtype));
  dispatch_float(dtype, Rule::kName, [&](auto zero) { sequence_forward<Rule, decltype(zero)>(s, memory); });

  std::vector<Tensor> results{memory.states[0].slice(0, s.backwards ? 0 : 1, s.backwards ? T : T + 1)};
  for (const Tensor& t : memory.states) results.push_back(t.select(0, s.backwards ? 0 : T));
  Inputs inputs{s.x, s.weight_ih, s.weight_hh, s.bias_ih, s.bias_hh};
  for (const Variable& part : s.state) inputs.emplace_back(part);
  std::vector<Saved> saved{save(s.x), save(s.weight_ih), save(s.weight_hh)};
  for (const Variable& part : s.state) saved.push_back(save(part));
  std::vector<SavedOutput> states;
  for (uint32_t p = 0; p < Rule::kState; ++p) states.push_back(save_output(memory.states[p], 1 + p));

  auto gradient = [s, saved, states, gates = memory.gates, dtype](Grads& grads) {
    for (const Saved& value : saved) grads[value];  // was any overwritten?
    if (grads.recording()) {
      SequenceStates again = steps_of<Rule>(s);
      std::vector<Variable> outputs{again.outputs};
      outputs.insert(outputs.end(), again.last.begin(), again.last.end());
      return grads.replay(outputs);
    }
    SequenceMemory kept{gates, {}};
    for (const SavedOutput& value : states) kept.states.push_back(grads[value].value());
    int64_t steps = gates.size(0), rows = gates.size(1), units = s.weight_hh.size(1);
    SequenceGradients out{Tensor::empty({steps, rows, Rule::kGrads * units}, dtype), {}};
    for (size_t p = 0; p < Rule::kState; ++p)
      out.carry.push_back(grads.has(1 + p) ? grads.dy(1 + p).value().clone() : Tensor::zeros({rows, units}, dtype));
    Tensor dy;
    if (grads.has(0)) dy = grads.dy(0).value();
    if (dy.defined() && dy.strides()[2] != 1) dy = dy.contiguous();
    dispatch_float(dtype, Rule::kName, [&](auto zero) {
      using F = decltype(zero);
      sequence_backward<Rule, F>(kept, s.weight_hh.value(), s.keep, s.backwards, dy, out);
      sequence_sums<Rule, F>(grads, s.x.value(), s.weight_ih.value(), kept, s.backwards, out.a);
    });
    for (size_t p = 0; p < Rule::kState; ++p) grads.add(5 + p, out.carry[p]);
  };
  std::vector<Variable> made = attach_many(Rule::kName, inputs, results, gradient);
  return {made[0], {made.begin() + 1, made.end()}};
}

}  // namespace heed::nn
