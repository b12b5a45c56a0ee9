// Block-recurrent attention: words read a window of words and a set of state vectors, and after each block of W words
// the states read the words. S: the states [M, D]; n = rms(S) gain + ids, ids learned, one for each state
//
//   words     local = read(q, k, v)       the W words before the own one, which is not among them
//             cross = read(q', n_k, n_v)  the states that the blocks before have left
//             y = [local; cross] W_o
//   states    self = read(p, n_k, n_v),   own = read(p', k, v), the words of the block and of the one before it
//             S <- g S + (1 - g) [self; own] W_s,   g = sigmoid(b_g)
//
//   read(q, k, v) = softmax(a_h u(q) u(k)^T) v,   u(x) = x / sqrt(|x|^2 + 1e-6);   a_h: 1 at first, for each head and
//                                                                                  each of the four readings
//   q, q', k, v = x W of each; p, p', n_k, n_v = n W of each: keys and values are shared by self- and cross-attention,
//   queries are not. No biases.
//
// This is the layer of the authors' program (meliad, its configuration with the "bias" gate and without a feed-forward
// network of the states), which says more than the paper: the paper has W_z S' + b_z for [self; own] W_s. The gate g is
// a constant of the trained model, one number for each feature (the paper's "fixed" gate, which keeps S where g = 1; a
// copy of others has it the other way round). S_0 and b_g begin at N(0, 0.1^2), ids at N(0, 1), matrices at N(0, 1 / D)
// cut off at two deviations. rms has eps 1e-6. Left out: the relative bias between words (T5's), and that the program
// has W keys and values of 0 before the first word, which take part in the softmax. A block without words leaves the
// states as they are. In an encoder the window has the own word and W words on each side, and the states still pass
// from left to right. The paper's window and states are 512 each. B batch, T words, D width of the model, H heads, K =
// D / H.
#pragma once

#include "nn/attention/mixers/heads.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

struct BlockRecurrentMixer final : Mixer {
  struct Settings {
    int64_t window = 64;
    int64_t states = 64;
    void fields(OptionFields& f) {
      f("window", window, "W, words that are read one by one, and of a block", {1, 65536});
      f("states", states, "M, state vectors", {0, 65536});
    }
  };
  static constexpr About about{
      .names = {"K7", "block_recurrent", "Block-Recurrent Transformer"},
      .formula =
          "y = [attention to W words; attention to M states] W_o;  S <- g S + (1 - g) z(S, two blocks), g = sigmoid(b)",
      .paper = {"Hutchins et al., NeurIPS 2022", 2022, 4},
      .idea =
          "A layer of a transformer is made the cell of a recurrent network whose steps are blocks of words. In a "
          "block all words are read at once, and a set of state vectors carries what is older. The states read the "
          "words by attention and are updated by a gate.",
      .wrong =
          "States that begin alike would stay alike, because they read the same words. So each has a learned vector of "
          "its own, which is added after the norm and not before it.",
      .cost =
          "6 T D^2 + 2 T (W + M) D products, and 6 M D^2 + 2 M (M + 2 W) D a block; decoding keeps M D + 4 W D numbers",
      .own = {"a_closed_gate_keeps_the_states", "no_states_are_window_attention", "states_may_be_permuted",
              "blocks_keep_states_and_a_window", kLinearCost},
  };

  BlockRecurrentMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  // S after a block; k, v [B, H, n, K] are the keys and values of it and the block before, n <= 2 W. words bool [B, n]
  // or undefined.
  Variable after_block(const Variable& states, const Variable& k, const Variable& v, const Tensor& words) const;
  void visit(Visitor& v) override;
  MixerOptions options;
  Settings settings;
  Linear q_proj, k_proj, v_proj, cross_proj, out_proj;                                // cross: q'
  Linear state_q_proj, state_k_proj, state_v_proj, state_cross_proj, state_out_proj;  // W_s
  Variable scales;                               // a [4, H]: local, cross, self, own
  Variable state_norm, first_states, ids, gate;  // gain [D], S_0, ids [M, D], b_g [D]

 private:
  enum Reading { local, cross, self, own };
  Variable scores(const Variable& q, const Variable& k, Reading which) const;  // a u(q) u(k)^T
  Variable named(const Variable& states) const;                                // n
  Variable crossed(const Variable& queries, const Variable& states) const;     // [B, H, n, K] of q', contexts
  Variable begun(int64_t batch) const;                                         // S_0 [B, M, D]
};

}  // namespace heed::nn
