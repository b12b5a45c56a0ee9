// The engine of sequence.h, for every cell's Rule (sequence_steps.h).
#pragma once

#include <utility>

#include "autograd/attach.h"
#include "autograd/shorthand.h"
#include "nn/recurrent/sequence.h"
#include "nn/recurrent/sequence_steps.h"
#include "tensor/compare.h"

namespace heed::nn {

void check_sequence(const char* name, const SequenceInputs& in, int64_t gates, size_t state_parts);

// x [T, B, I], contiguous, with 0 in the rows where keep is false: their contents, possibly NaN, must not reach a sum.
Tensor kept_rows(const Tensor& x, const Tensor& keep);

// The same composed of public operations, step by step. The tests compare the engine with it.
template <class Rule>
SequenceStates steps_of(const SequenceInputs& s) {
  int64_t T = s.x.size(0);
  Variable x = s.keep.defined() ? masked_fill(s.x, logical_not(s.keep).unsqueeze(-1), 0) : s.x;
  std::vector<Variable> in = unstack(linear(x, s.weight_ih, s.bias_ih), 0), outputs(in.size()), state = s.state;
  for (int64_t k = 0; k < T; ++k) {
    int64_t t = step_at(k, T, s.backwards);
    Variable past = linear(state[0], s.weight_hh, s.bias_hh);
    state = Rule::step(in[static_cast<size_t>(t)], past, state, s.keep.defined() ? s.keep.select(0, t) : Tensor());
    outputs[static_cast<size_t>(t)] = state[0];
  }
  return {stack(outputs, 0), state};
}

// What the forward loop saves.
struct SequenceMemory {
  Tensor gates;  // [T, B, kSaved N]
  // [T + 1, B, N] each, in the order of time; the initial state is first or, if s.backwards, last.
  std::vector<Tensor> states;
};

template <class Rule, class T>
void sequence_forward(const SequenceInputs& s, SequenceMemory& memory) {
  int64_t steps = s.x.size(0), B = s.x.size(1), I = s.x.size(2), N = s.weight_hh.size(1);
  constexpr int64_t G = Rule::kGates, S = Rule::kSaved;
  DType dtype = s.x.dtype();
  Tensor x = s.x.value().contiguous(), w = s.weight_ih.value().contiguous();
  PackedMatrix w_past(s.weight_hh.value().transpose(0, 1));  // [N, G N]
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
  Kernel kernel(Rule::kName, Kernel::Product{}, static_cast<double>(steps * B * G * N) * static_cast<double>(N));
  each_row_group(B, G * N * N * static_cast<int64_t>(sizeof(T)), [&](int64_t first, int64_t last) {
    for (int64_t k = 0; k < steps; ++k) {
      int64_t t = step_at(k, steps, s.backwards), rows = last - first;
      int64_t at = t * B + first, old = at + (s.backwards ? B : 0), next = at + (s.backwards ? 0 : B);
      T* from_past = past.data<T>() + first * G * N;
      step_product<T>(rows, columns(states[0], N, old * N), w_past, columns(from_past, G * N, 0), /*accumulate=*/false);
      ForwardStep<T> step{rows, N,  gates + at * S * N,        from_past, bias_in.data<T>(), bias_past.data<T>(),
                          {},   {}, keep ? keep + at : nullptr};
      for (size_t p = 0; p < Rule::kState; ++p) step.old[p] = states[p] + old * N, step.next[p] = states[p] + next * N;
      forward_step<Rule>(step);
    }
  });
}

// What the backward loop computes.
struct SequenceGradients {
  Tensor a;                   // [T, B, kGrads N]
  std::vector<Tensor> carry;  // gradient of the initial state, [B, N] for each part
};

// dy is the gradient of the outputs [T, B, N], with rows of any strides, or undefined. On entry, out.carry is the
// gradient of the last state.
template <class Rule, class T>
void sequence_backward(const SequenceMemory& memory, const Tensor& weight_hh, const Tensor& keep_, bool backwards,
                       const Tensor& dy, SequenceGradients& out) {
  int64_t steps = memory.gates.size(0), B = memory.gates.size(1), N = weight_hh.size(1);
  PackedMatrix w(weight_hh);  // [G N, N]
  Kernel kernel(Rule::kName, Kernel::Product{},
                static_cast<double>(steps * B * Rule::kGates * N) * static_cast<double>(N));
  each_row_group(B, weight_hh.count() * static_cast<int64_t>(sizeof(T)), [&](int64_t first, int64_t last) {
    for (int64_t k = steps - 1; k >= 0; --k) {
      int64_t t = step_at(k, steps, backwards), rows = last - first;
      int64_t at = t * B + first, old = at + (backwards ? B : 0), next = at + (backwards ? 0 : B);
      T* a = out.a.data<T>() + at * Rule::kGrads * N;
      BackwardStep<T> step{rows, N,  memory.gates.data<T>() + at * Rule::kSaved * N,     {}, {}, nullptr, 0,
                           a,    {}, keep_.defined() ? keep_.data<bool>() + at : nullptr};
      for (size_t p = 0; p < Rule::kState; ++p) {
        step.old[p] = memory.states[p].data<T>() + old * N, step.next[p] = memory.states[p].data<T>() + next * N;
        step.carry[p] = out.carry[p].data<T>() + first * N;
      }
      if (dy.defined()) {
        step.dy_row = dy.strides()[1];
        step.dy = dy.data<T>() + t * dy.strides()[0] + first * step.dy_row;
      }
      backward_step<Rule>(step);
      past_gradient<Rule>(rows, N, a, w, step.carry[0]);
    }
  });
}

// The gradients that are sums over all steps; computed after the loop.
template <class Rule, class T>
void sequence_sums(Grads& grads, const SequenceInputs& s, const SequenceMemory& memory, const Tensor& a) {
  int64_t steps = a.size(0), B = a.size(1), N = a.size(2) / Rule::kGrads, I = s.x.size(2), rows = steps * B;
  DType dtype = a.dtype();
  if (grads.needs(0)) {
    Tensor dx = Tensor::empty({steps, B, I}, dtype), w = s.weight_ih.value().contiguous();
    input_gradient<Rule>(rows, N, I, a.data<T>(), columns(w.data<T>(), I, 0), columns(dx.data<T>(), I, 0),
                         /*accumulate=*/false);
    grads.add(0, dx);
  }
  if (grads.needs(1)) {
    Tensor dw = Tensor::empty({Rule::kGates * N, I}, dtype), x = kept_rows(s.x.value(), s.keep);
    input_weight_gradient<Rule>(rows, N, I, a.data<T>(), columns(x.data<T>(), I, 0), columns(dw.data<T>(), I, 0));
    grads.add(1, dw);
  }
  T* before = memory.states[0].data<T>() + (s.backwards ? B * N : 0);  // h_{t-1} of every t
  if (grads.needs(2)) grads.add(2, past_weight_gradient<Rule>(rows, N, a.data<T>(), before, dtype));
  if (!grads.needs(3) && !grads.needs(4)) return;
  auto [db_ih, db_hh] = bias_gradients<Rule>(a);
  grads.add(3, db_ih);
  grads.add(4, db_hh);
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
  std::vector<Variable> inputs{s.x, s.weight_ih, s.weight_hh, s.bias_ih, s.bias_hh};
  inputs.insert(inputs.end(), s.state.begin(), s.state.end());
  std::vector<Saved> saved;  // x, W_ih, W_hh, and what only the replay reads: the biases and the initial state
  for (const Variable& input : inputs)
    if (input.defined()) saved.push_back(save(input));
  std::vector<SavedOutput> states;
  for (uint32_t p = 0; p < Rule::kState; ++p) states.push_back(save_output(memory.states[p], 1 + p));

  // Inputs are looked up in `saved` before they are read: it is an error if one was overwritten.
  auto gradient = [s, saved, sk = save_optional(s.keep), states, gates = memory.gates, dtype](Grads& grads) {
    sk.in(grads);
    if (grads.recording()) {
      for (const Saved& value : saved) grads[value];
      SequenceStates again = steps_of<Rule>(s);
      std::vector<Variable> outputs{again.outputs};
      outputs.insert(outputs.end(), again.last.begin(), again.last.end());
      return grads.replay(outputs);
    }
    grads[saved[2]];
    if (grads.needs(0)) grads[saved[1]];  // dx reads W_ih
    if (grads.needs(1)) grads[saved[0]];  // dW_ih reads x
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
      sequence_sums<Rule, F>(grads, s, kept, out.a);
    });
    for (size_t p = 0; p < Rule::kState; ++p) grads.add(5 + p, out.carry[p]);
  };
  std::vector<Variable> made = attach_many(Rule::kName, {inputs.begin(), inputs.end()}, results, gradient);
  return {made[0], {made.begin() + 1, made.end()}};
}

}  // namespace heed::nn
