// A diagonal state space model in continuous time, made discrete by zero-order hold (Gu, Goel, Gupta and Re, "On the
// parameterization and initialization of diagonal state space models", NeurIPS 2022, the kernel S4D-Lin):
//
//   x'(s) = A x(s) + u(s),  y = 2 Re(C . x) + D u             M complex modes for each of F systems
//   h_t = a h_(t-1) + u_t,  y_t = 2 Re(C' . h_t) + D u_t      a = exp(dt A),  C' = C (a - 1) / A
//
// A real system has its modes in conjugate pairs. One of each pair is kept, and 2 Re stands for the other. A =
// -exp(log_rate) + i frequency begins at -1/2 + i pi m, dt = exp(log_step) log-uniform in [0.001, 0.1], C complex
// normal, D normal. Its output is also the convolution of u with K_l = 2 Re(C' . a^l), plus D u.
//
// Nothing depends on the word, so the same decay serves all words. Complex numbers are pairs of real ones
// (diagonal_scan.h). B batch, T words, F systems, X sequences that each of them reads, M modes.
#pragma once

#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/module.h"

namespace heed::nn {

struct DiagonalSystem : Module {
  struct Options {
    int64_t systems, modes;
  };
  DiagonalSystem(const Options& options, Generator& rng);
  struct Read {
    Variable output;  // [B, T, F, X]
    Complex state;    // [B, 1, F, X, M]
  };
  // u [B, T, F, X], 0 at padding; words bool [B, T] or undefined; state undefined: 0.
  Read operator()(const Variable& u, const Tensor& words, int64_t chunk, const Complex& state) const;
  Complex decay() const;             // a [F, M]
  Complex weights() const;           // C' [F, M]
  Variable kernel(int64_t T) const;  // K [F, T]
  void visit(Visitor& v) {
    v.parameter("log_step", log_step), v.parameter("log_rate", log_rate), v.parameter("frequency", frequency);
    v.parameter("read", read), v.parameter("skip", skip);
  }
  Options options;
  Variable log_step, log_rate, frequency;  // [F], [F, M] twice
  Variable read, skip;                     // C [F, M, 2] as pairs; D [F]
};

}  // namespace heed::nn
