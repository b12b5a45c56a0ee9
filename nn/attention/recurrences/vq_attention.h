// Transformer-VQ ("Transformer-VQ: linear-time transformers via vector quantization", section 3): keys are replaced by
// the nearest of S codes, so that the words of all older blocks can be counted and averaged, code by code.
//
//   q, k = rms(x W) K^-1/4,   v = silu(x W)                   rms without a scale, eps 1e-6
//   k~_s = c_z, z the nearest code of k_s
//   score of a word in the own and the previous block of C words    (q_t + u) . k~_s + (q_t + p) . R r_(t - s)
//   score of a code, for all words of older blocks that have it     (q_t + u) . c_z + log(how many they are)
//   y = (softmax of the scores, times the values, * silu(x W_g)) W_o
//
// The value of a code is the mean of those of its words, so that this is softmax attention over all words with
// quantised keys. The term of the distance is left out for t - s > C. r are sinusoids (all sines, all cosines, base
// 100000); u, p and R r carry K^-1/4 as well; u, p start at 0, all matrices N(0, 1/D). The codes are means of the keys
// that chose them, counted with a decay of 0.99 in training: c = sum / max(count, 0.01), count 1 and sum N(0, 1/(H S))
// at first; they move with the next call. Recent keys get the gradient of their code (straight through), those of older
// blocks none. |k - c_z|^2, summed over the heads, is a penalty of 1e-4 a word. After the authors' code, with gates and
// several heads as there; gradients pass through the means. K = D / H.
#pragma once

#include "nn/attention/recurrences/block_mixer.h"

namespace heed::nn {

struct VqAttentionMixer final : BlockMixer {
  struct Settings {
    int64_t block = 64;
    int64_t codes = 64;
    double commitment = 1e-4;
    void fields(OptionFields& f) {
      f("block", block, "C, words of a block", {1, 65536});
      f("codes", codes, "S, codes of each head", {1, 65536});
      f("commitment", commitment, "weight of the distance of keys from their codes in the loss", {0, 1e6});
    }
  };
  static constexpr About about{
      .names = {"K5", "vq_attention", "Transformer-VQ"},
      .formula = "softmax over recent words of (q + u) . c_z(s) + bias, and over codes of (q + u) . c + log count",
      .paper = {"Lingle, ICLR 2024", 2024, 4},
      .idea =
          "If keys can only have a few values, all words with the same key get the same weight. So it is enough to "
          "keep, for each code, how many old words have it and the mean of their values. Attention over all words then "
          "costs a fixed amount for each word.",
      .wrong =
          "The logarithm of the count belongs to the score of a code. Recent keys are quantised too, or the sum would "
          "not be attention with one set of keys.",
      .cost =
          "T (6 D^2 + (3 C + 2 S) D) products; 6 D^2 + 2 D parameters and S (D + H) numbers of codes; decoding keeps "
          "(S + 4 C) D numbers and more",
      .own = {"it_is_attention_with_quantised_keys", "gradient_passes_straight_through", "training_moves_codes",
              "vq_begins_as_published", "blocks_count_words", kLinearCost},
      .exempt = {{"gradient",
                  "a choice of a code has no derivative; gradient_passes_straight_through checks what stands for it"}},
  };

  VqAttentionMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Tensor codes() const;                                             // c [H, S, K]
  Variable keys(const Variable& x) const;                           // before they are quantised [B, H, T, K]
  Tensor nearest(const Tensor& keys) const;                         // i64 [B, H, T]
  Variable bias(const Variable& q, const Tensor& distances) const;  // (q + p) . R r [B, H, n, N]; 0 unless 0 <= d <= C
  void visit(Visitor& v) override {
    if (next_sum.defined()) code_sum = std::exchange(next_sum, {}), code_count = std::exchange(next_count, {});
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("gate", gate);
    v.parameter("content_bias", content), v.parameter("position_bias", position), v.child("positions", positions);
    v.buffer("code_sum", code_sum), v.buffer("code_count", code_count), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value, gate, positions, output;
  Variable content, position;           // u, p [H, K]
  mutable Tensor code_sum, code_count;  // [H, S, K], [H, S]; the next call in training moves them

 protected:
  int64_t block() const override { return settings.block; }
  // Counts and means of the codes of older blocks; the previous block, and the open one
  std::vector<Variable> start(int64_t sentences, DType dtype) const override;
  std::vector<Variable> parts(const Variable& x, const Tensor& there) const override;
  Variable read(const Piece& piece, std::vector<Variable>& state) const override;
  Variable finished(const Variable& x, const Variable& o) const override;

 private:
  void learn(const Variable& x, const Tensor& words) const;
  mutable Tensor next_sum,
      next_count;  // after the last call: a second run of it, under a checkpoint, needs the old ones
};

}  // namespace heed::nn
