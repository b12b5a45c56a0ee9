// The arithmetic of a GRU, of one step and of a sequence (sequence_steps.h). Saved are the gates r, z, n after their
// activation, and g = W_hn h + b_hn, which r multiplies.
//
// clang-format off
//   dn = dh (1 - z)        d(pre n) = dn (1 - n^2)        dr = d(pre n) g
//   dz = dh (h - n)        d(pre z) = dz z (1 - z)        d(pre r) = dr r (1 - r)
//   dg = d(pre n) r        dh_prev = dh z
// clang-format on
//
// The gradients of `in` and `past` are equal in r and z and differ in n. The columns are (n of in, r, z, n of past), so
// that those of `past` are adjacent and in the order of W_hh, and no step has to move them.
#pragma once

#include "nn/recurrent/gru.h"
#include "nn/recurrent/sequence_steps.h"

namespace heed::nn {

struct GRURule {
  static constexpr const char *kName = "gru_sequence", *kStep = "gru_gates";
  static constexpr int64_t kGates = 3, kSaved = 4, kGrads = 4, kPast = 1;
  static constexpr size_t kState = 1, kFirstRead = 0;
  static constexpr std::array<GatePiece, 2> kInput{{{1, 0, 2}, {0, 2, 1}}};

  template <int R, class T, bool kBiased>
  static void forward(const StepRow<T, kBiased>& row, int64_t u, int64_t m) {
    // All loads come first: with a load between a product and its sum, GCC would round twice instead of using a fused
    // multiply-add. Each size of register and each kind of row would have its own bits.
    Lanes<T, R> in = row.template in<R>(2, u, m), g = row.template of_past<R>(2, u, m),
                old = take<R>(row.old[0] + u, m);
    Lanes<T, R> r = sigmoid(row.template in<R>(0, u, m) + row.template of_past<R>(0, u, m));
    Lanes<T, R> z = sigmoid(row.template in<R>(1, u, m) + row.template of_past<R>(1, u, m));
    Lanes<T, R> n = tanh(in + r * g), next = n + z * (old - n);
    put(row.next[0] + u, next, m);
    if (!row.gates) return;
    T* gates = row.gates + u;
    put(gates, r, m), put(gates + row.N, z, m), put(gates + 2 * row.N, n, m), put(gates + 3 * row.N, g, m);
  }

  template <int R, class T>
  static void backward(const StepGradient<T>& row, int64_t u, int64_t m) {
    auto gate = [&](int64_t k) { return take<R>(row.gates + k * row.N + u, m); };
    Lanes<T, R> r = gate(0), z = gate(1), n = gate(2), g = gate(3), up = take<R>(row.carry[0] + u, m), one = 1;
    Lanes<T, R> pre_n = zero_stays(up, up * (one - z) * (one - n * n));
    T* a = row.a + u;
    put(a, pre_n, m);
    put(a + row.N, zero_stays(pre_n, pre_n * g * r * (one - r)), m);
    put(a + 2 * row.N, zero_stays(up, up * (take<R>(row.old[0] + u, m) - n) * z * (one - z)), m);
    put(a + 3 * row.N, zero_stays(pre_n, pre_n * r), m);
    put(row.carry[0] + u, zero_stays(up, up * z), m);
  }

  static std::vector<Variable> step(const Variable& in, const Variable& past, const std::vector<Variable>& state,
                                    const Tensor& keep) {
    return {gru_gates(in, past, state[0], keep)};
  }
};

}  // namespace heed::nn
