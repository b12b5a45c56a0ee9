// The mLSTM of xLSTM ("xLSTM: extended long short-term memory", section 2.3; the block around it: appendix, figure 10):
// an LSTM whose cell is a matrix, written by key and value.
//
//   [u; z] = x W_up,  c = silu(conv(u)),  q, k from c and v from u by block-diagonal matrices;  k / sqrt(K)
//   i, l   = [q; k; v] W_i + b_i, log sigmoid([q; k; v] W_f + b_f): one of each for a head and word
//   C_t    = e^l C_(t-1) + e^i k^T v,   n_t = e^l n_(t-1) + e^i k             the cell, and the sum of its keys
//   h_t    = q C_t / max(|q . n_t|, 1),   y = ((norm_h(h) + s c) silu(z)) W_down       s and the norm's weight: [D']
//
// e^i has no upper bound, so C and n are kept divided by e^m, m_t = max(l_t + m_(t-1), i_t) the largest exponent so far
// (running_logs.h). Then h = q C / (max(|q . n|, e^-m) + eps), eps = 1e-6. What remains are sums with log decays and
// keys that are never above 1 (decayed_sums.h), whose values have a column of 1 for n. eps is added after the scaling,
// so it depends on m: m starts at -inf here, as in the authors' parallel form; their recurrent one starts at 0. The
// matrices begin N(0, 2 / (5 D)), W_down with the deviation 2 / (L sqrt(D)) in L layers, as theirs. D' = inner D, K =
// D' / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/headwise_linear.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct MlstmRead {
  Variable output;              // h [B, H, T, V]
  std::vector<Variable> state;  // [C n] / e^m [B, H, K, V + 1], m [B, H, 1, 1]
};
// q, k (divided by sqrt(K)), v [B, H, T, ..]; i, l [B, H, T, 1]; words bool [B, T] or undefined.
MlstmRead mlstm_cell(const DecayedSums& qkv, const Variable& i, const Variable& l, const Tensor& words, int64_t chunk,
                     const std::vector<Variable>& state, double eps = 1e-6);

struct MlstmMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 64;
    int64_t inner = 2;
    int64_t taps = 4;
    int64_t block = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("inner", inner, "D', inner features, in widths of the model", {1, 16});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
      f("block", block, "features of a block of the matrices that make q, k and v", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"J16", "mlstm", "matrix LSTM", "xLSTM"},
      .formula =
          "C_t = f_t C_(t-1) + e^(i_t) k_t^T v_t,  n_t = f_t n_(t-1) + e^(i_t) k_t,  h_t = q_t C_t / max(|q_t . "
          "n_t|, 1)",
      .paper = {"Beck et al., NeurIPS 2024", 2024, 4},
      .idea =
          "The cell of the LSTM becomes a matrix to which each word adds the product of its key and its value, and the "
          "gates no longer depend on the hidden state. So it is linear attention with two gates, and all words can be "
          "computed together. The input gate is an exponential, which lets one word outweigh everything before it.",
      .wrong =
          "The floor of the denominator is 1 for the true sums, so it is e^-m where the sums are divided by e^m. The "
          "value is made before the convolution, query and key after it.",
      .cost =
          "with D' = 2 D: 3 T D D' + T D' (2 C + 2 K) products; 3 D D' + 12 D' + 6 D' H parameters and some vectors; "
          "decoding keeps D' (K + 1) + H + D' (w - 1) numbers",
      .own = {"mlstm_is_its_plain_formula", "the_scale_of_an_mlstm_cancels", "mlstm_gates_begin_open", kLinearCost},
  };

  MlstmMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("up", up), v.child("convolution", convolution);
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("input_gate", input_gate), v.child("forget_gate", forget_gate);
    v.parameter("norm", norm), v.parameter("skip", skip), v.child("down", down);
  }
  Settings settings;
  int64_t width;  // D'
  Linear up;      // [u; z], 2 D' rows
  ShortConvolution convolution;
  HeadwiseLinear query, key, value;
  Linear input_gate, forget_gate;  // [H, 3 D'] with biases
  Variable norm, skip;             // [D']
  Linear down;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
