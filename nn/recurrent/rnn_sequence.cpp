// The plain RNN over a sequence: f' is 1 - h^2 for tanh, and 1 where h > 0 for relu, so only the new state is saved.
#include <type_traits>

#include "nn/recurrent/rnn.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {
namespace {

// What both activations share; Curve has value(x), slope(y) and its name.
template <class Curve>
struct RNNRule {
  static constexpr const char* kName = Curve::kName;
  static constexpr int64_t kGates = 1, kSaved = 1, kGrads = 1, kPast = 0;
  static constexpr size_t kState = 1;
  static constexpr std::array<GatePiece, 1> kInput{{{0, 0, 1}}};

  template <int R, class T, bool kBiased>
  static void forward(const StepRow<T, kBiased>& row, int64_t u, int64_t m) {
    Lanes<T, R> h = Curve::value(row.template in<R>(0, u, m) + row.template of_past<R>(0, u, m));
    put(row.gates + u, h, m);
    put(row.next[0] + u, h, m);
  }
  template <int R, class T>
  static void backward(const StepGradient<T>& row, int64_t u, int64_t m) {
    Lanes<T, R> dh = take<R>(row.carry[0] + u, m);
    put(row.a + u, zero_stays(dh, dh * Curve::slope(take<R>(row.gates + u, m))), m);
    put(row.carry[0] + u, Lanes<T, R>{}, m);
  }
  static std::vector<Variable> step(const Variable& in, const Variable& past, const std::vector<Variable>& state,
                                    const Tensor& keep) {
    return {rnn_step(in, past, state[0], Curve::kActivation, keep)};
  }
};

struct Tanh {
  static constexpr const char* kName = "rnn_tanh_sequence";
  static constexpr RNNActivation kActivation = RNNActivation::tanh;
  template <class T, int R>
  static Lanes<T, R> value(Lanes<T, R> x) {
    return tanh(x);
  }
  template <class T, int R>
  static Lanes<T, R> slope(Lanes<T, R> y) {
    return 1 - y * y;
  }
};

struct Relu {
  static constexpr const char* kName = "rnn_relu_sequence";
  static constexpr RNNActivation kActivation = RNNActivation::relu;
  template <class T, int R>
  static Lanes<T, R> value(Lanes<T, R> x) {
    return where(x < 0, 0, x);  // NaN stays NaN
  }
  template <class T, int R>
  static Lanes<T, R> slope(Lanes<T, R> y) {
    return where(y > 0, Lanes<T, R>(1), 0);
  }
};

}  // namespace

SequenceStates rnn_tanh_sequence(const SequenceInputs& inputs) { return run_sequence<RNNRule<Tanh>>(inputs); }
SequenceStates rnn_relu_sequence(const SequenceInputs& inputs) { return run_sequence<RNNRule<Relu>>(inputs); }

}  // namespace heed::nn
