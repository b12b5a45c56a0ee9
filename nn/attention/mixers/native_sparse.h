// Native sparse attention ("Native sparse attention: hardware-aligned and natively trainable sparse attention"):
//
//   compress   k~_j = W_k [k_(jl); ..; k_(jl + l - 1)] + b_k, v~_j alike: one key and value of each block of l words
//   select     p_j = sum over the query heads of one key head of their weights in `compress`; read are the words of n
//              blocks: the first, that before the query's own, its own, and those with the largest p_j
//   window     the last w words, the query's own among them; where it is not causal, as many after it
//   output     sum over the three of g * softmax(q k^T / sqrt(K)) v,      g [T, H, 3] = sigmoid(W_g x + b_g)
//
// Each of the three has keys and values of its own. A causal query compresses only the blocks that end at or before it;
// before the first of them that part is 0. Each key head chooses blocks of its own, for all of its query heads. The
// masks of `select` and `window` are computed here over all T^2 pairs. Simplified: the paper compresses by an MLP with
// positions inside a block, and its compressed blocks overlap. B batch, T words, D width of the model, H query heads, G
// key heads, K = D / H.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct NativeSparseMixer final : Mixer {
  struct Settings {
    int64_t block = 4;
    int64_t selected = 4;
    int64_t window = 4;
    int64_t kv_heads = 1;
    void fields(OptionFields& f) {
      f("block", block, "l, words of a block", {1, 256});
      f("selected", selected, "n, blocks whose words are read: three that are always read, and the best", {3, 256});
      f("window", window, "w, last words that are always read", {1, 4096});
      f("kv_heads", kv_heads, "G, heads of keys and values, each for H / G query heads", {1, 256});
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
          "used for the choice and also read. All query heads of one key head must choose the same blocks, or a kernel "
          "would have to load the blocks of each of them.",
      .cost =
          "T (T/l + n l + w) D products twice in a kernel, 2 T^2 D under the masks here; 2 D^2 + 6 G K D parameters",
      .own = {"all_blocks_are_attention", "the_best_blocks_are_selected", "query_heads_of_a_key_head_choose_together"},
  };

  NativeSparseMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  // bool [B, H, T, T]: the words of the chosen blocks. `weights` [B, H, T, T/l] are those of the compressed blocks.
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
  Linear q_proj, k_proj, v_proj;  // keys and values [3 G K, D]: compress, select, window
  Linear k_block, v_block;        // [K, l K], the same for all heads
  Linear gates;                   // [3 H, D]
  Linear out_proj;

 private:
  Variable compressed(const Variable& x, const Linear& layer) const;  // [B, T, G K] -> [B, H, T/l, K]
  Variable by_heads(const Variable& x) const;                         // [B, T, G K] -> [B, H, T, K]
};

}  // namespace heed::nn
