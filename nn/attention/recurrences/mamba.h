// Mamba ("Mamba: linear-time sequence modeling with selective state spaces", algorithm 2 and section 3.4) and Longhorn
// ("Longhorn: state space models are amortized online learners", section 3). Both are one block with two recurrences.
//
//   [u; z] = x W            E features each;  u then passes a short convolution with a bias and a silu, z does not
//   [r; B; C] = u W_s       r [R], B and C [N]: chosen by the word
//   y = (C . h + D u) silu(z) W_o
//
// clang-format off
//   mamba      h_en = exp(d_e A_en) h_en + d_e u_e B_n        d = softplus(r W_d + b)
//                                                             A = -exp(log_rate)
//   longhorn   h_en = (1 - e_e k_n^2) h_en + e_e u_e k_n      e = b / (1 + b |k|^2)
//                                                             b = sigmoid(r W_d + b')
//              k and q in place of B and C; there is no A
// clang-format on
//
// Mamba's text says zero-order hold for the input; the authors' code, and this one, take d B (Euler's rule). Longhorn
// is one step of online regression in closed form: S minimises |S - S_before|^2 + b |S k - u|^2, but with the diagonal
// of k k^T in place of the matrix, so that the scan stays diagonal. It is exact for N = 1.
//
// Every feature has N numbers of state, each with a decay of its own, so there is no matrix form: diagonal_scan.h. N
// width of the state of a feature, R rank of the steps, w taps.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

inline constexpr About kAboutMamba{
    .names = {"J2", "mamba", "S6", "selective state space model"},
    .formula = "h_t = exp(d_t A) h_(t-1) + d_t u_t B_t,  y = (C_t . h_t + D u) silu(z) W_o,  d = softplus(r W_d + b)",
    .paper = {"Gu and Dao, COLM 2024", 2024, 4},
    .idea =
        "A state space model is a linear recurrence, and here the word itself chooses its step size, what it writes "
        "and what it reads. A large step replaces the state by the word, and a step of 0 ignores the word. So the "
        "model selects what it keeps, at a cost in proportion to the number of words.",
    .wrong =
        "The bias of the step is added once, before the softplus. The input is scaled by d B, which is not the "
        "zero-order hold that the paper's text names.",
    .cost =
        "with E = 2 D: 3 T D E + T E (w + 2 N + 2 R) products and T E N log2 C for the scan; 3 D E + E (3 N + 2 R + w "
        "+ 3) parameters; decoding keeps E N + E (w - 1) numbers",
    .own = {"three_forms_agree", "scans_agree", "no_step_keeps_the_state", "one_rate_a_head_is_mamba2",
            "rates_begin_as_integers", kLinearCost},
};

inline constexpr About kAboutLonghorn{
    .names = {"J28", "longhorn"},
    .formula = "h_t = (1 - e_t k_t^2) h_(t-1) + e_t u_t k_t,  e = b / (1 + b |k|^2),  b = sigmoid(r W_d + b')",
    .paper = {"Liu et al., 2024", 2024, 4},
    .idea =
        "The state is a small linear model that is trained while it reads: it should return the feature when it is "
        "given the key. Each word is one step of this regression, solved in closed form, so the step needs no learning "
        "rate. The block around it is Mamba's.",
    .wrong =
        "The closed form has the matrix k k^T. Its diagonal k^2 stands for it, which is exact only for a state of one "
        "number.",
    .cost =
        "with E = 2 D: 3 T D E + T E (w + 2 N + 2 R) products and T E N log2 C for the scan; 3 D E + E (2 N + 2 R + w "
        "+ 3) parameters; decoding keeps E N + E (w - 1) numbers",
    .own = {"three_forms_agree", "scans_agree", "one_number_is_the_best_fit", kLinearCost},
};

struct MambaMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t state = 16;
    int64_t inner = 2;
    int64_t taps = 4;
    int64_t rank = 0;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that one level of the scan joins", {1, 1048576});
      f("state", state, "N, width of the state of each feature", {1, 4096});
      f("inner", inner, "E, inner features, in widths of the model", {1, 16});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
      f("rank", rank, "R, rank of the step sizes; 0: a sixteenth of the width, rounded up", {0, 65536});
    }
  };
  // What the words decay and write, [B, T, E, N], and how they are read, [B, T, 1, N].
  struct Selected {
    Variable decay, written, read;
  };

  MambaMixer(const MixerOptions& options, Generator& rng);
  Selected selected(const Variable& u, const Tensor& words) const;  // u [B, T, E], after the convolution
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution), v.child("selection", selection);
    v.child("step", step), v.parameter("log_rate", log_rate), v.parameter("skip", skip), v.child("output", output);
  }
  Settings settings;
  int64_t inner, rank;  // E, R
  Linear projection;    // [u; z], 2 E rows
  ShortConvolution convolution;
  Linear selection, step;   // [r; B; C], R + 2 N rows;  W_d and b
  Variable log_rate, skip;  // log -A [E, N], of mamba only; D [E]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
