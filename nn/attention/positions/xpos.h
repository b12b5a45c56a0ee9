// xPos: rotary positions (rope.h) whose products decay with the distance: pair i contributes z_i^((t - s)/C), t and s
// the places of query and key; C = 512 in the paper. Later keys would grow by the same factor, so it is made for causal
// attention. C to infinity is RoPE.
//
// Counted from the first word, the factors would leave the range of f32 at place 70 C. Here places are counted in
// blocks of 49 C words (counts_in_blocks.h), so causal attention has the right products at any number of words. A query
// can attend to later words up to 63 C words after it. (In f64: blocks of 396 C words, and 509 C words after it.)
#pragma once

#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {

struct XPos final : RotaryPosition, CountsInBlocks {
  struct Settings {
    double base = 10000;
    double decay = 512;
    void fields(OptionFields& f) {
      f("base", base, "as of rope", {1.001, 1e12});
      f("decay", decay, "C, words after which pair i has lost the factor z_i", {1, 1e15});
    }
  };
  static constexpr About about{
      .names = {"F9", "xpos", "extrapolatable positions", "LeX"},
      .formula = "rope, and pair i of q_t times z_i^(t/C), of k_s times z_i^(-s/C),  z_i = (2i/K + 0.4) / 1.4",
      .paper = {"Sun et al., ACL 2023", 2023, 3},
      .idea =
          "Queries and keys are rotated as in rotary positions, and each pair of entries is also scaled. The factors "
          "of query and key multiply to a number that falls with their distance. So distant words count less, which "
          "helps with texts longer than those of training.",
      .wrong =
          "The factors of queries and keys are inverse to each other. Without a causal mask, the factor of a later key "
          "grows with its distance.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "4 K operations per query and key; no parameters",
      .own = {"scale_one_is_rope", "products_decay_with_the_distance", "cache_is_the_parallel_pass"},
  };

  XPos(const Options& options, Generator& unused);
  Settings settings;
  const std::string& scheme() const override { return options.name; }
  int64_t block_words(DType dtype) const override;
  int64_t words_ahead(DType dtype) const override;
  Variable recounted(const Variable& x, const PlaceRows& places, const Recount& count) const override;

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
