// LSTM over a sequence: the gates i, f, g, o are saved after their activation; the tanh of the cell is computed again.
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/lstm_units.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {
namespace {

struct LSTMRule {
  static constexpr const char* kName = "lstm_sequence";
  static constexpr int64_t kGates = 4, kSaved = 4, kGrads = 4, kPast = 0;
  static constexpr size_t kState = 2;
  static constexpr std::array<GatePiece, 1> kInput{{{0, 0, 4}}};

  template <int R, class T>
  static void forward(const StepRow<T>& row, int64_t u, int64_t m) {
    auto pre = [&](int64_t gate) { return row.template in<R>(gate, u, m) + row.template of_past<R>(gate, u, m); };
    LSTMUnits<T, R> q = lstm_units<T, R>(pre, take<R>(row.old[1] + u, m));
    T* gates = row.gates + u;
    put(gates, q.i, m), put(gates + row.N, q.f, m), put(gates + 2 * row.N, q.g, m);
    put(gates + 3 * row.N, q.o, m);
    put(row.next[0] + u, q.o * tanh(q.c), m);
    put(row.next[1] + u, q.c, m);
  }

  template <int R, class T>
  static void backward(const StepGradient<T>& row, int64_t u, int64_t m) {
    auto gate = [&](int64_t k) { return take<R>(row.gates + k * row.N + u, m); };
    LSTMUnits<T, R> q{gate(0), gate(1), gate(2), gate(3), take<R>(row.next[1] + u, m)};
    auto d = lstm_unit_grads(q, take<R>(row.old[1] + u, m), take<R>(row.carry[0] + u, m), take<R>(row.carry[1] + u, m));
    T* a = row.a + u;
    put(a, d.i, m), put(a + row.N, d.f, m), put(a + 2 * row.N, d.g, m), put(a + 3 * row.N, d.o, m);
    put(row.carry[0] + u, Lanes<T, R>{}, m);  // h affects the next state only through `past`
    put(row.carry[1] + u, d.c, m);
  }

  static std::vector<Variable> step(const Variable& in, const Variable& past, const std::vector<Variable>& state,
                                    const Tensor& keep) {
    LSTMState next = lstm_gates(in, past, {state[0], state[1]}, keep);
    return {next.h, next.c};
  }
};

}  // namespace

SequenceStates lstm_sequence(const SequenceInputs& inputs) { return run_sequence<LSTMRule>(inputs); }

}  // namespace heed::nn
