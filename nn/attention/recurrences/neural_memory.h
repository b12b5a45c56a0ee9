// The neural memory of Titans ("Titans: learning to memorize at test time", section 3.1): a memory that is trained by
// gradient descent with momentum and weight decay while it reads.
//
//   S_t = eta_t S_(t-1) - theta_t grad l(M; k_t, v_t)      l = |k_t M - v_t|^2: a word is surprising, and for a while
//   M_t = (1 - alpha_t) M_(t-1) + S_t                      alpha forgets
//   o_t = q_t M_t,   y = (norm_h(o) sigmoid(x W_g)) W_o      norm_h: by the mean square, eps 1e-5, without a gain
//
// q, k = silu(x W) with length 1 and v = silu(x W); alpha, eta, theta = sigmoid of x W + b, one number a head. The
// gradient 2 k^T (k M - v) is taken at the M with which the chunk of C words began; C = 1 is the exact recurrence. A
// chunk is a product of triangular matrices: in M_t the gradient of word s has the weight theta_s times the sum over r
// from s to t of (the 1 - alpha after r, multiplied) (the eta after s up to r, multiplied). M_0 is learned, from N(0,
// 0.02^2). Simplified: the memory is linear, where the paper also has MLPs, and q, k and v pass no short convolution.
// The target is v as in the paper (fla's is v - k, with a layer norm). K = D / H.
#pragma once

#include "nn/attention/recurrences/block_mixer.h"

namespace heed::nn {

struct NeuralMemoryMixer final : BlockMixer {
  struct Settings {
    int64_t chunk = 16;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words whose gradients are taken at the same memory", {1, 65536});
    }
  };
  static constexpr About about{
      .names = {"J26", "neural_memory", "Titans", "neural long-term memory"},
      .formula =
          "S_t = eta_t S_(t-1) - theta_t 2 k_t^T (k_t M - v_t),  M_t = (1 - alpha_t) M_(t-1) + S_t,  o_t = q_t M_t",
      .paper = {"Behrouz, Zhong and Mirrokni, 2025 (arXiv 2501.00663)", 2025, 4},
      .idea =
          "A word is surprising if the memory does not return its value for its key, and the gradient of that error is "
          "what the word writes. Momentum carries the surprise over to the words that follow. A gate lets the whole "
          "memory fade.",
      .wrong =
          "The error is squared without a half, so the gradient has a factor 2. The memory is updated before it is "
          "read, so a word can read itself.",
      .cost =
          "T (5 D^2 + (2 C + 3 K) D) products and T C^2 H; 5 D^2 + 3 H (D + 1) + D K parameters; decoding keeps 3 D K "
          "numbers",
      .own = {"without_momentum_it_is_the_delta_rule", "without_surprise_the_memory_fades", "blocks_count_words",
              kLinearCost},
  };

  NeuralMemoryMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("forget", forget), v.child("momentum", momentum), v.child("rate", rate);
    v.parameter("memory", first), v.child("gate", gate), v.child("output", output);
  }
  std::vector<Variable> parts(const Variable& x,
                              const Tensor&) const override;  // q, k, v; log(1 - alpha), log eta, theta
  Settings settings;
  Linear query, key, value;
  Linear forget, momentum, rate;  // alpha, eta, theta: [H, D] and a bias
  Variable first;                 // M_0 [H, K, K]
  Linear gate, output;

 protected:
  int64_t block() const override { return settings.chunk; }
  std::vector<Variable> start(int64_t sentences,
                              DType dtype) const override;  // M, S, the M at which gradients are taken
  Variable read(const Piece& piece, std::vector<Variable>& state) const override;
  Variable finished(const Variable& x, const Variable& o) const override;
};

}  // namespace heed::nn
