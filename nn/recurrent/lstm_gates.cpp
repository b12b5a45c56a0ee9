// The gates of an LSTM for one step and for a sequence, by its rule, and the same composed of public operations.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/recurrent/lstm_rule.h"
#include "nn/recurrent/one_step.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {
namespace {

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

LSTMState lstm_gates(const Variable& in, const Variable& past, const LSTMState& state, const Tensor& keep) {
  check_gates(in, past, state, keep);
  auto composed = [](const Variable& i, const Variable& g, const std::array<Variable, 2>& old, const Tensor& kept) {
    LSTMState again = lstm_gates_composed(i, g, {old[0], old[1]}, kept);
    return std::vector{again.h, again.c};
  };
  std::vector<Variable> next = one_step<LSTMRule>(in, past, {state.h, state.c}, keep, composed);
  return {next[0], next[1]};
}

SequenceStates lstm_sequence(const SequenceInputs& inputs) { return run_sequence<LSTMRule>(inputs); }

}  // namespace heed::nn
