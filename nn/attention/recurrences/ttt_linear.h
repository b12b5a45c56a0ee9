// TTT-Linear ("Learning to (learn at test time): RNNs with expressive hidden states", sections 2.1 to 2.6): the state
// is a small model, and reading a word trains it.
//
//   model     f(x) = x W + b;   loss of a word: |LN(k W + b) - (v - k)|^2 / 2
//   batches   of C words: all gradients g_s = dloss / d(k_s W + b) are taken at the W, b with which the batch began
//   eta_ts    max(1 / p_t + c_p, 0) sigmoid(x_s . th + d) / K,   p_t = 1, .., C the place of the reader in its batch
//
//   W_t = W - sum_(s <= t) eta_ts k_s^T g_s,   b_t alike,   o_t = q_t + LN(q_t W_t + b_t),   y = LN_D(o) W_o
//
// q and k are turned by RoPE (neighbours are pairs) with the place in the batch. LN has a scale and a shift for each
// head and eps 1e-6, as has LN_D. W starts N(0, 0.02^2), b and c and d at 0, th N(0, 0.02^2); all are learned through
// the inner steps. This is the authors' code (ttt-lm-pytorch) with its Transformer backbone: no convolution, no output
// gate. The sums of a batch are computed in the dual form: one product of [n, n] and one with W. K = D / H.
#pragma once

#include "nn/attention/recurrences/block_mixer.h"
#include "nn/norm.h"

namespace heed::nn {

struct TttLinearMixer final : BlockMixer {
  struct Settings {
    int64_t batch = 16;
    double base = 10000;
    void fields(OptionFields& f) {
      f("batch", batch, "C, words whose gradients are taken at the same weights", {1, 65536});
      f("base", base, "of the angles: RoPE inside a batch", {1.001, 1e12});
    }
  };
  static constexpr About about{
      .names = {"J25", "ttt_linear", "TTT-Linear", "test-time training"},
      .formula =
          "W_t = W - sum_(s <= t) eta_ts k_s^T dl_s,  l_s = |LN(k_s W + b) - (v_s - k_s)|^2 / 2,  o = q + LN(q W_t + "
          "b_t)",
      .paper = {"Sun et al., ICML 2025", 2025, 4},
      .idea =
          "The state of this recurrent layer is a linear model that is trained while the text is read. Each word is an "
          "example, its key the input and its value the target, and makes one step of gradient descent. The first "
          "weights and all projections are learned so that this inner training helps.",
      .wrong =
          "The target is v - k, and the output adds q again. The step width depends on the place of the word that "
          "reads, not only on the word that is learned.",
      .cost =
          "T (4 D^2 + (C + 4 K) D) products; 4 D^2 + (K + 3) D + 2 D + H (D + 1) + C parameters; decoding keeps 2 D K "
          "+ 2 D numbers",
      .own = {"inner_gradient_is_the_difference", "one_word_batches_step_each_word", "blocks_count_words", kLinearCost},
  };

  TttLinearMixer(const MixerOptions& options, Generator& rng);
  Variable gradient(const Variable& z, const Variable& target) const;  // of the loss at z = k W + b; [B, H, n, K]
  Variable normed(const Variable& z) const;                            // LN(z)
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("rate", rate);
    v.parameter("share", share), v.parameter("weight", weight), v.parameter("bias", bias);
    v.parameter("norm_weight", norm_weight), v.parameter("norm_bias", norm_bias);
    v.child("post_norm", post_norm), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Linear rate;                      // th [H, D], d [H]
  Variable share;                   // c [C]
  Variable weight, bias;            // W [H, K, K], b [H, K]
  Variable norm_weight, norm_bias;  // [H, K]
  LayerNorm post_norm;
  Linear output;

 protected:
  int64_t block() const override { return settings.batch; }
  // W, b at the start of the batch; the sums of s_s k_s^T g_s and s_s g_s since then, s_s the part of eta that is the
  // word's
  std::vector<Variable> start(int64_t sentences, DType dtype) const override;
  std::vector<Variable> parts(const Variable& x, const Tensor&) const override;
  Variable read(const Piece& piece, std::vector<Variable>& state) const override;
  Variable finished(const Variable&, const Variable& o) const override { return output(post_norm(o)); }
};

}  // namespace heed::nn
