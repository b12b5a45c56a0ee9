// DeepSeek sparse attention, DSA ("DeepSeek-V3.2", section 2.1): a small indexer scores all words cheaply, and
// attention reads only the best of them.
//
//   I_ts = sum_i w_ti relu(q_ti . k_s)      q = x W_q: I heads of n features;   k = LN(x W_k): one for all heads
//                                           w = x W_w I^-1/2 n^-1/2;            eps of LN 1e-6
//   y_t  = softmax of q_t . k_s / sqrt(K) over the `selected` words s <= t with the largest I_ts, times v_s
//
// The first R features of q and k of the indexer are turned by RoPE, (j, j + R / 2) being a pair. The choice has no
// gradient, so the indexer is trained by a loss of its own: KL(p_t || softmax(I_t)) over the chosen words, p_t the
// attention summed over the heads and divided by its sum (index_divergence of nn/attention/regularisers.h). Inputs and
// attention are constants in it. While the training loop collects penalties (nn/penalties.h), this mixer adds it; a
// decoder does not tell it which steps are padding, so those count too. The paper trains the indexer first with dense
// attention, which is `selected` >= T here. Its code turns q and k by a Hadamard matrix for 8-bit numbers, which
// changes no product, and makes q from the latent of MLA, here from x. Of equal scores the earlier word is taken. In an
// encoder, which the paper does not have, all words are candidates. K = D / H.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"
#include "nn/norm.h"

namespace heed::nn {

struct LightningIndexMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t selected = 2048;
    int64_t index_heads = 4;
    int64_t features = 32;
    int64_t pairs = 16;
    void fields(OptionFields& f) {
      f("selected", selected, "words that a query reads", {1, 1048576});
      f("index_heads", index_heads, "I, heads of the indexer", {1, 1024});
      f("features", features, "n, features of a head of the indexer", {1, 4096});
      f("pairs", pairs, "R / 2, pairs of features of the indexer that are turned, at most n / 2", {0, 2048});
    }
  };
  static constexpr About about{
      .names = {"K2", "lightning_index", "DSA", "DeepSeek sparse attention", "lightning indexer"},
      .formula = "softmax over the best k words by I_ts = sum_i w_ti relu(q_ti . k_s)",
      .paper = {"DeepSeek-AI (DeepSeek-V3.2), 2025 (arXiv 2512.02556)", 2025, 4},
      .idea =
          "Finding the words that matter needs less precision than reading them. A few small heads without a softmax "
          "score all earlier words, and attention reads the best ones. The indexer learns to predict where attention "
          "goes.",
      .wrong =
          "The index has a ReLU for each head and no softmax. Its loss must not reach the rest of the model, nor the "
          "loss of the model the indexer.",
      .cost =
          "T^2 I n products for the index and T k D for attention in a kernel, 2 T^2 D under the mask here; D (I n + n "
          "+ I) + 2 n more parameters; a decoder would keep n more numbers a word",
      .own = {"all_words_chosen_is_attention", "index_heads_add_up", "index_learns_the_attention"},
  };

  LightningIndexMixer(const MixerOptions& options, Generator& rng);
  Variable index(const Variable& x) const;  // I [B, T, T]
  // bool [B, T, T]: the best words of each query among the allowed ones.
  Tensor chosen(const Tensor& index, const OwnHeads& heads) const;
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.child("index_query", index_query), v.child("index_key", index_key), v.child("key_norm", key_norm);
    v.child("index_weight", index_weight);
  }
  Settings settings;
  Linear index_query, index_key;  // [I n, D], [n, D]
  LayerNorm key_norm;
  Linear index_weight;  // [I, D]

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
