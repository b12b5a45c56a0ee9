// One step of a cell as one node: the arithmetic of its Rule (sequence_steps.h) for one row per sentence. The products
// with the weights are made before, as nodes of their own.
#pragma once

#include "autograd/attach.h"
#include "autograd/shorthand.h"
#include "nn/recurrent/sequence_steps.h"

namespace heed::nn {

// in = x W_ih^T + b_ih and past = h W_hh^T + b_hh, [B, G N] each, and the parts of the old state [B, N] give the parts
// of the new state. keep [B] (bool): a row where it is false keeps its old state; undefined: true everywhere. The
// gradient reads the activated gates, which are saved. Gradients of gradients compute the step again by `composed` from
// in and past, which are saved for them.
template <class Rule, class Composed>
std::vector<Variable> one_step(const Variable& in, const Variable& past,
                               const std::array<Variable, Rule::kState>& state, const Tensor& keep_,
                               Composed composed) {
  constexpr size_t P = Rule::kState;
  const int64_t B = state[0].size(0), N = state[0].size(1);
  const DType dtype = in.dtype();
  const Tensor keep = keep_.defined() ? keep_.contiguous() : keep_;
  const size_t first = keep.defined() ? 0 : Rule::kFirstRead;  // the first part of the old state that has a gradient
  Inputs inputs;
  inputs.reserve(2 + P);
  inputs.emplace_back(in), inputs.emplace_back(past);
  inputs.insert(inputs.end(), state.begin() + static_cast<std::ptrdiff_t>(first), state.end());
  Tensor gates;
  bool recorded = tracked(inputs);
  if (recorded) gates = Tensor::empty({B, Rule::kSaved * N}, dtype);
  std::vector<Tensor> next(P);
  for (Tensor& part : next) part = Tensor::empty({B, N}, dtype);
  {
    Kernel kernel(Rule::kStep, static_cast<int64_t>(P) * B * N);
    Rows rows(in.value());
    Tensor from_past = past.value().contiguous();
    std::array<Tensor, P> old;
    for (size_t p = 0; p < P; ++p) old[p] = state[p].value().contiguous();
    dispatch_float(dtype, Rule::kStep, [&](auto zero) {
      using T = decltype(zero);
      ForwardStep<T> step{};
      step.B = B, step.N = N, step.x = rows.at<T>(0), step.x_row = rows.step, step.past = from_past.data<T>();
      if (gates.defined()) step.gates = gates.data<T>();
      for (size_t p = 0; p < P; ++p) step.old[p] = old[p].template data<T>(), step.next[p] = next[p].data<T>();
      if (keep.defined()) step.keep = keep.data<bool>();
      forward_step<Rule, /*kBiased=*/false>(step);
    });
  }
  if (!recorded && !anomaly_slot()) return {next.begin(), next.end()};
  std::array<Saved, P> olds;
  std::array<SavedOutput, P> news;
  for (uint32_t p = 0; p < P; ++p) olds[p] = save(state[p]), news[p] = save_output(next[p], p);
  auto gradient = [si = save(in), sp = save(past), olds, news, sk = save_optional(keep), gates, first, B, N, dtype,
                   composed](Grads& grads) {
    Tensor mask = sk.in(grads);
    if (grads.recording()) {
      std::array<Variable, P> before;
      for (size_t p = 0; p < P; ++p) before[p] = grads[olds[p]];
      return grads.replay(composed(grads[si], grads[sp], before, mask));
    }
    Kernel kernel(Rule::kStep, static_cast<int64_t>(P) * B * N);
    Tensor a = Tensor::empty({B, Rule::kGrads * N}, dtype);
    std::array<Tensor, P> old, now, carry;
    for (size_t p = 0; p < P; ++p) {  // what no rule reads, the new h and an LSTM's old h, may have been overwritten
      old[p] = (p < Rule::kFirstRead ? olds[p].variable : grads[olds[p]]).value().contiguous();
      now[p] = p == 0 ? news[p].value : grads[news[p]].value();
      carry[p] = grads.has(p) ? grads.dy(p).value().clone() : Tensor::zeros({B, N}, dtype);
    }
    dispatch_float(dtype, Rule::kStep, [&](auto zero) {
      using T = decltype(zero);
      BackwardStep<T> step{};
      step.B = B, step.N = N, step.gates = gates.data<T>(), step.a = a.data<T>();
      for (size_t p = 0; p < P; ++p)
        step.old[p] = old[p].template data<T>(), step.next[p] = now[p].template data<T>(),
        step.carry[p] = carry[p].template data<T>();
      if (mask.defined()) step.keep = mask.data<bool>();
      backward_step<Rule>(step);
    });
    grads.add(0, input_columns<Rule>(a));
    grads.add(1, a.slice(1, Rule::kPast * N, (Rule::kPast + Rule::kGates) * N));
    for (size_t p = first; p < P; ++p) grads.add(2 + p - first, carry[p]);
  };
  return attach_many(Rule::kStep, std::move(inputs), next, gradient);
}

}  // namespace heed::nn
