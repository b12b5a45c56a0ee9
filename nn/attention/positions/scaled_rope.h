// Rotary positions for texts that are longer than those of training: s times as long. theta_i = base^(-2i/K) are the
// angles of RoPE (rope.h), i < K/2.
//
//   rope_linear  theta_i / s                                          Chen et al., 2023 ("position interpolation")
//   rope_ntk     theta_i s^(-2i/(K - 2)): a base of base s^(K/(K-2))  bloc97, 2023 ("NTK-aware")
//   rope_yarn    (1 - g_i) theta_i / s + g_i theta_i                  Peng et al. (YaRN), ICLR 2024
//                g_i = clamp((L theta_i / (2 pi) - 1) / (32 - 1), 0, 1), and q . k times (1 + 0.1 ln s)^2
//
// Linear interpolation puts s places where one was: every angle was seen in training, but neighbours are harder to tell
// apart. The NTK-aware base leaves the fastest pair as it was and interpolates the slowest by s. YaRN decides by the
// number of rotations that a pair makes in the trained length L: below one it is interpolated, above 32 it is left, and
// in between mixed; and it sharpens the softmax, whose rows have become longer. s = 1 is RoPE in all three.
//
//   xpos         RoPE, and pair i of the query times z_i^(p/C), of the key times z_i^(-p/C)     Sun et al., ACL 2023
//                z_i = (2i/K + 0.4) / 1.4                                                       C = 512
//
// xPos lets products decay with the distance: a pair contributes z_i^((t - s)/C), t and s the places of query and key.
// Later keys would grow by the same factor, so it is made for causal attention. C to infinity is RoPE. Counted
// from the first word, the factors would leave the range of f32 at place 70 C. Here places are counted in blocks of
// 49 C words (counts_in_blocks.h), so causal attention has the right products at any number of words. A query can
// attend to later words up to 63 C words after it. (In f64: blocks of 396 C words, and 509 C words after it.)
#pragma once

#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {

// The angles of a scheme by its name, for a head of width K: [K/2].
std::vector<double> scaled_thetas(const std::string& name, int64_t width, const Settings& settings);

struct ScaledRope final : RotaryPosition {
  ScaledRope(const Options& options, Generator& unused);

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

struct XPos final : RotaryPosition, CountsInBlocks {
  XPos(const Options& options, Generator& unused);
  const std::string& scheme() const override { return options.name; }
  int64_t block_words(DType dtype) const override;
  int64_t words_ahead(DType dtype) const override;
  Variable recounted(const Variable& x, const PlaceRows& places, const Recount& count) const override;

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
