// S4D: a diagonal state space model for each feature ("On the parameterization and initialization of diagonal state
// space models"; the layer is that of the authors' s4d.py). diagonal_system.h has the system, its initial values and
// the two forms, recurrence and convolution; here it is always the recurrence.
//
//   y = gelu(2 Re(C' . h) + D u),  [p; q] = y W + b,  output p sigmoid(q)        u the input, [B, T, D]
//
// No number of it depends on the word, so it mixes words by their distance alone, as a convolution does. M modes.
#pragma once

#include "nn/attention/recurrences/diagonal_system.h"
#include "nn/attention/recurrences/recurrent_mixer.h"

namespace heed::nn {

struct S4dMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t modes = 32;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that one level of the scan joins", {1, 1048576});
      f("modes", modes, "M, complex modes of each feature: half of the state of the paper", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"J1", "s4d", "S4D", "diagonal state space model"},
      .formula = "h_t = a h_(t-1) + u_t,  y = gelu(2 Re(C' . h) + D u),  a = exp(dt A), C' = C (a - 1) / A, output GLU",
      .paper = {"Gu, Goel, Gupta and Re, NeurIPS 2022", 2022, 4},
      .idea =
          "Each feature is the input of a small linear system of oscillators that decay, and its state remembers the "
          "past at several frequencies. The system is the same for all words, so it is one long convolution in "
          "training and a recurrence in decoding. It led to Mamba, where the word chooses the system.",
      .wrong =
          "Only one of each pair of conjugate modes is kept, so the output is twice the real part. The input is scaled "
          "by (a - 1) / A and not by the step.",
      .cost =
          "2 T D^2 products and T D M (4 log2 C + 4) for the scan; 2 D^2 + D (4 M + 4) parameters; decoding keeps 2 D "
          "M numbers",
      .own = {"three_forms_agree", "scans_agree", "recurrence_is_the_convolution", "a_shift_shifts_the_output",
              "modes_begin_as_published", kLinearCost},
  };

  S4dMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override { v.child("system", system), v.child("output", output); }
  Settings settings;
  DiagonalSystem system;
  Linear output;  // [p; q], 2 D rows

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
