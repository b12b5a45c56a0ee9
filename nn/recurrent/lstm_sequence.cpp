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

  template <class T>
  static void forward(const StepRow<T>& row, int64_t u, int64_t m) {
    auto pre = [&](int64_t gate) { return row.in(gate, u, m) + row.of_past(gate, u, m); };
    LSTMUnits<T> q = lstm_units<T>(pre, take(row.old[1] + u, m));
    T* gates = row.gates + u;
    put<T>(gates, q.i, m), put<T>(gates + row.N, q.f, m), put<T>(gates + 2 * row.N, q.g, m);
    put<T>(gates + 3 * row.N, q.o, m);
    put<T>(row.next[0] + u, q.o * tanh(q.c), m);
    put<T>(row.next[1] + u, q.c, m);
  }

  template <class T>
  static void backward(const StepGradient<T>& row, int64_t u, int64_t m) {
    auto gate = [&](int64_t k) { return take(row.gates + k * row.N + u, m); };
    LSTMUnits<T> q{gate(0), gate(1), gate(2), gate(3), take(row.next[1] + u, m)};
    auto d = lstm_unit_grads<T>(q, take(row.old[1] + u, m), take(row.carry[0] + u, m), take(row.carry[1] + u, m));
    T* a = row.a + u;
    put<T>(a, d.i, m), put<T>(a + row.N, d.f, m), put<T>(a + 2 * row.N, d.g, m), put<T>(a + 3 * row.N, d.o, m);
    put<T>(row.carry[0] + u, Lanes<T>{}, m);  // h affects the next state only through `past`
    put<T>(row.carry[1] + u, d.c, m);
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
