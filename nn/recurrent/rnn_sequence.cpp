// The plain RNN over a sequence: f' is 1 - h^2 for tanh, and 1 where h > 0 for relu, so only the new state is saved.
#include <type_traits>

#include "nn/recurrent/rnn.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {
namespace {

// What both activations share; Curve has value(x), slope(y) and apply(Variable).
template <class Curve>
struct RNNRule {
  static constexpr const char* kName = Curve::kName;
  static constexpr int64_t kGates = 1, kSaved = 1, kGrads = 1, kPast = 0;
  static constexpr size_t kState = 1;
  static constexpr std::array<GatePiece, 1> kInput{{{0, 0, 1}}};

  template <class T>
  static void forward(const StepRow<T>& row, int64_t u, int64_t m) {
    Lanes<T> h = Curve::template value<T>(row.in(0, u, m) + row.of_past(0, u, m));
    put<T>(row.gates + u, h, m);
    put<T>(row.next[0] + u, h, m);
  }
  template <class T>
  static void backward(const StepGradient<T>& row, int64_t u, int64_t m) {
    put<T>(row.a + u, take(row.carry[0] + u, m) * Curve::template slope<T>(take(row.gates + u, m)), m);
    put<T>(row.carry[0] + u, Lanes<T>{}, m);
  }
  static std::vector<Variable> step(const Variable& in, const Variable& past, const std::vector<Variable>& state,
                                    const Tensor& keep) {
    Variable next = Curve::apply(in + past);
    return {keep.defined() ? where(keep.unsqueeze(1), next, state[0]) : next};
  }
};

struct Tanh {
  static constexpr const char* kName = "rnn_tanh_sequence";
  template <class T>
  static Lanes<T> value(Lanes<T> x) {
    return tanh(x);
  }
  template <class T>
  static Lanes<T> slope(Lanes<T> y) {
    return 1 - y * y;
  }
  static Variable apply(const Variable& x) { return tanh(x); }
};

struct Relu {
  static constexpr const char* kName = "rnn_relu_sequence";
  template <class T>
  static Lanes<T> value(Lanes<T> x) {
    return where(x < 0, 0, x);  // NaN stays NaN
  }
  template <class T>
  static Lanes<T> slope(Lanes<T> y) {
    return where(y > 0, Lanes<T>(1), 0);
  }
  static Variable apply(const Variable& x) { return relu(x); }
};

}  // namespace

SequenceStates rnn_tanh_sequence(const SequenceInputs& inputs) { return run_sequence<RNNRule<Tanh>>(inputs); }
SequenceStates rnn_relu_sequence(const SequenceInputs& inputs) { return run_sequence<RNNRule<Relu>>(inputs); }

}  // namespace heed::nn
