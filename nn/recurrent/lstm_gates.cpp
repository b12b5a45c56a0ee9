// The gates of an LSTM for one step and for a sequence, by its rule, and the same composed of public operations.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/one_step.h"
#include "nn/recurrent/sequence_engine.h"
#include "nn/recurrent/sequence_steps.h"

namespace heed::nn {
namespace {

// The arithmetic of an LSTM, of one step and of a sequence (sequence_steps.h). The gates i, f, g, o are saved after
// their activation; the tanh of the cell is computed again. c' is the new cell, q = tanh c'.
//
//   do = dh q      d(pre o) = do o (1 - o)          total dc' = dc + dh o (1 - q^2)
//   di = dc' g     d(pre i) = di i (1 - i)          dc_prev = dc' f
//   df = dc' c     d(pre f) = df f (1 - f)
//   dg = dc' i     d(pre g) = dg (1 - g^2)
//
// `in` and `past` are only ever added, so one tensor is the gradient of both.
struct LSTMRule {
  static constexpr const char *kName = "lstm_sequence", *kStep = "lstm_gates";
  static constexpr int64_t kGates = 4, kSaved = 4, kGrads = 4, kPast = 0;
  static constexpr size_t kState = 2, kFirstRead = 1;
  static constexpr std::array<GatePiece, 1> kInput{{{0, 0, 4}}};

  template <int R, class T, bool kBiased>
  static void forward(const StepRow<T, kBiased>& row, int64_t u, int64_t m) {
    auto pre = [&](int64_t gate) { return row.template in<R>(gate, u, m) + row.template of_past<R>(gate, u, m); };
    Lanes<T, R> old = take<R>(row.old[1] + u, m);
    Lanes<T, R> i = sigmoid(pre(0)), f = sigmoid(pre(1)), g = tanh(pre(2)), o = sigmoid(pre(3));
    Lanes<T, R> c = f * old + i * g;
    put(row.next[0] + u, o * tanh(c), m);
    put(row.next[1] + u, c, m);
    if (!row.gates) return;
    T* gates = row.gates + u;
    put(gates, i, m), put(gates + row.N, f, m), put(gates + 2 * row.N, g, m), put(gates + 3 * row.N, o, m);
  }

  template <int R, class T>
  static void backward(const StepGradient<T>& row, int64_t u, int64_t m) {
    auto gate = [&](int64_t k) { return take<R>(row.gates + k * row.N + u, m); };
    Lanes<T, R> i = gate(0), f = gate(1), g = gate(2), o = gate(3), old = take<R>(row.old[1] + u, m);
    Lanes<T, R> dh = take<R>(row.carry[0] + u, m), dc = take<R>(row.carry[1] + u, m);
    Lanes<T, R> one = 1, shown = tanh(take<R>(row.next[1] + u, m));
    Lanes<T, R> total = where(dh == 0, dc, dc + dh * o * (one - shown * shown));
    T* a = row.a + u;
    put(a, zero_stays(total, total * g * i * (one - i)), m);
    put(a + row.N, zero_stays(total, total * old * f * (one - f)), m);
    put(a + 2 * row.N, zero_stays(total, total * i * (one - g * g)), m);
    put(a + 3 * row.N, zero_stays(dh, dh * shown * o * (one - o)), m);
    put(row.carry[0] + u, Lanes<T, R>{}, m);  // h affects the next state only through `past`
    put(row.carry[1] + u, zero_stays(total, total * f), m);
  }

  static std::vector<Variable> step(const Variable& in, const Variable& past, const std::vector<Variable>& state,
                                    const Tensor& keep) {
    LSTMState next = lstm_gates(in, past, {state[0], state[1]}, keep);
    return {next.h, next.c};
  }
};

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
