#include "nn/recurrent/lstm.h"

#include <fmt/format.h>

#include "tensor/elementwise.h"

namespace heed::nn {

LSTMCell::LSTMCell(const Options& o, Generator& rng)
    : RecurrentCell(kName, {.gates = 4, .input = o.input, .hidden = o.hidden, .bias = o.bias}, rng), options(o) {
  if (o.forget_bias == 0) return;
  if (!o.bias) throw ValueError(fmt::format("LSTM: forget_bias needs biases; got {} with bias = false", o.forget_bias));
  Tensor forget = bias_ih.value().slice(0, o.hidden, 2 * o.hidden);  // [N], the second of i, f, g, o
  add_into(forget, Tensor::scalar(o.forget_bias, forget.dtype()));
}

LSTMState LSTMCell::apply_state(const Variable& in, const LSTMState& state, const Tensor& keep) const {
  Call call(*this);
  LSTMState next = lstm_gates(in, project(state.h), state, keep);
  return {call.result("state", next.h), call.result("cell", next.c)};
}

}  // namespace heed::nn
