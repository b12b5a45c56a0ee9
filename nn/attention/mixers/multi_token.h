// Multi-token attention: a convolution over the matrix of scores, with a < c_q and b < c_k. Only earlier queries enter,
// and a masked score counts as 0, so a causal model stays causal. The kernel begins as the identity: 1 at a = 0, b =
// c_k / 2. (The paper also convolves over groups of heads after the softmax and normalises the heads' outputs. Neither
// is part of this mixer.) All scores are stored.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct MultiTokenMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t queries = 3;
    int64_t keys = 5;
    void fields(OptionFields& f) {
      f("queries", queries, "c_q, queries that the kernel covers", {1, 64});
      f("keys", keys, "c_k, keys that the kernel covers", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"E25c", "multi_token", "MTA", "convolution over scores"},
      .formula = "w = softmax(sum_(a, b) kernel_h[a, b] e_(t - a, s - b + c_k / 2)),  e = 0 where masked",
      .paper = {"Golovneva, Wang, Weston and Sukhbaatar, 2025 (arXiv 2504.00927)", 2025, 4},
      .idea =
          "The scores are convolved before the softmax, so a weight also depends on the scores of neighbouring queries "
          "and keys. In ordinary attention it comes from one query and one key. One head can then look for two words "
          "that occur side by side.",
      .wrong =
          "Masked scores must be 0 before the convolution and -inf after it. With -inf before it every neighbour would "
          "become -inf.",
      .cost = "as multi-head attention, and c_q c_k T^2 H products; c_q c_k H more parameters",
      .own = {"identity_kernel_is_attention", "kernels_move_scores", "kernels_read_no_later_word"},
  };

  MultiTokenMixer(const MixerOptions& options, Generator& rng);
  Variable convolved(const Variable& scores) const;  // [B, H, T, T], 0 where masked
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.parameter("kernel", kernel);
  }
  Variable kernel;  // [H, c_q, c_k]

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
