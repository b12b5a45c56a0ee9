// Native sparse attention ("Native sparse attention: hardware-aligned and natively trainable sparse attention"):
//
//   compress   k~_j = W_k [k_(jl); ..; k_(jl + l - 1)] + b_k, v~_j alike: one key and value of each block of l words
//   select     the weights in `compress` are summed over the heads; the block of the query is always among the n
//   window     the last w words; where it is not causal, w on both sides
//   output     sum over the three of g * softmax(q k^T / sqrt(K)) v,      g [T, H, 3] = sigmoid(W_g x + b_g)
//
// Each of the three has keys and values of its own. The masks of `select` and `window` are computed here over all T^2
// pairs. A causal query compresses only the blocks that end at or before it. Simplified: the paper compresses by an MLP
// with positions inside a block, and its compressed blocks overlap.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct NativeSparseMixer final : Mixer {
  struct Settings {
    int64_t block = 4;
    int64_t selected = 2;
    int64_t window = 4;
    void fields(OptionFields& f) {
      f("block", block, "l, words of a block", {1, 256});
      f("selected", selected, "n, blocks whose words are read", {1, 256});
      f("window", window, "w, words before that are always read", {0, 4096});
    }
  };
  static constexpr About about{
      .names = {"C18", "native_sparse", "NSA"},
      .formula = "sum of g_i * attention_i over compressed blocks, the words of the n best blocks, and a window",
      .paper = {"Yuan et al., ACL 2025", 2025, 4},
      .idea =
          "Each query reads in three ways: summaries of all blocks, all words of the best few blocks, and the words "
          "just before it. The summaries also decide which blocks are the best. Three learned gates add up the "
          "results.",
      .wrong =
          "The choice of blocks has no gradient. It is learned only by the weights of the compressed blocks, which are "
          "used for the choice and also read.",
      .cost = "T (T/l + n l + w) D products twice in a kernel, 2 T^2 D under the masks here; 8 D^2 parameters and more",
      .own = {"all_blocks_are_attention", "the_best_blocks_are_selected"},
  };

  NativeSparseMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  // bool [B, 1, T, T]: the words of the chosen blocks. `weights` [B, H, T, T/l] are those of the compressed blocks.
  Tensor selected(const Tensor& weights, const Tensor& words, int64_t T) const;
  void visit(Visitor& v) override {
    v.child("q_proj", q_proj);
    v.child("k_proj", k_proj);
    v.child("v_proj", v_proj);
    v.child("k_block", k_block);
    v.child("v_block", v_block);
    v.child("gates", gates);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  Settings settings;
  Linear q_proj, k_proj, v_proj;  // keys and values [3 D, D]: compress, select, window
  Linear k_block, v_block;        // [K, l K], the same for all heads
  Linear gates;                   // [3 H, D]
  Linear out_proj;

 private:
  Variable compressed(const Variable& x, const Linear& layer) const;  // [B, T, D] -> [B, H, T/l, K]
};

}  // namespace heed::nn
