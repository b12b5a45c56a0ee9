// The arithmetic of an LSTM's gates on a vector of units. Both one step (lstm_gates.cpp) and a sequence
// (lstm_sequence.cpp) use it, so they give the same bits.
#pragma once

#include "nn/recurrent/gate_rows.h"

namespace heed::nn {

template <class T, int R>
struct LSTMUnits {
  Lanes<T, R> i, f, g, o, c;  // the gates after their activation, and the new cell
};

// Computes the gates and the new cell from the pre-activations pre(0), .., pre(3).
template <class T, int R, class F>
LSTMUnits<T, R> lstm_units(const F& pre, Lanes<T, R> old_c) {
  LSTMUnits<T, R> q;
  q.i = sigmoid(pre(0));
  q.f = sigmoid(pre(1));
  q.g = tanh(pre(2));
  q.o = sigmoid(pre(3));
  q.c = q.f * old_c + q.i * q.g;
  return q;
}

// Gradients of the pre-activations and of the old cell (formulas: lstm_gates.cpp).
template <class T, int R>
struct LSTMUnitGrads {
  Lanes<T, R> i, f, g, o, c;
};
template <class T, int R>
LSTMUnitGrads<T, R> lstm_unit_grads(const LSTMUnits<T, R>& q, Lanes<T, R> old_c, Lanes<T, R> dh, Lanes<T, R> dc) {
  Lanes<T, R> one = 1, shown = tanh(q.c);
  Lanes<T, R> total = where(dh == 0, dc, dc + dh * q.o * (one - shown * shown));
  return {zero_stays(total, total * q.g * q.i * (one - q.i)), zero_stays(total, total * old_c * q.f * (one - q.f)),
          zero_stays(total, total * q.i * (one - q.g * q.g)), zero_stays(dh, dh * shown * q.o * (one - q.o)),
          zero_stays(total, total * q.f)};
}

}  // namespace heed::nn
