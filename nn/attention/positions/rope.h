// Rotary positions, RoPE ("RoFormer"), rotate queries and keys: each pair of entries is a point in a plane and is
// rotated by an angle that is proportional to the word's position p.
//
//   theta_i = base^(-2i/K), i < K/2            y = R_p x:   y_a = x_a cos(p theta_i) - x_b sin(p theta_i)
//   (R_m q) . (R_n k) = q . R_(n-m) k                       y_b = x_a sin(p theta_i) + x_b cos(p theta_i)
//
// In a cache each key keeps the angle of its own position: the positions are absolute, and the dot product of query and
// key turns them into distances.
//
//   halves        pair i is (x_i, x_(i + K/2))      GPT-NeoX, and LLaMA in Hugging Face's format: name "rope"
//   interleaved   pair i is (x_2i, x_(2i + 1))      the paper, GPT-J: name "rope_interleaved"
//
// The layouts differ by a fixed permutation. Weights trained with one give wrong results with the other, without any
// error message; rope_permutation converts between them.
#pragma once

#include <vector>

#include "nn/attention/positions/rotary_position.h"
#include "nn/attention/stage.h"

namespace heed::nn {

enum class RopeLayout { halves, interleaved };
struct RopeOptions {
  RopeLayout layout = RopeLayout::halves;
  double base = 10000;
  std::vector<double> thetas = {};  // [K/2]: theta_i, in place of those of the base
  int64_t first = 0;                // position of x[:, 0]
  Tensor at = {};                   // [B, T] i64: a position for each word, in place of `first`
  bool back = false;                // rotate by the opposite angles: the inverse, and the gradient
};

// x [B, T, H, K], K even -> y. dx is dy rotated back. Cost: 3 K operations per vector; saves nothing for backward.
Variable rotate_pairs(const Variable& x, const RopeOptions& options);
// The same function, composed of public operations.
Variable rotate_pairs_composed(const Variable& x, const RopeOptions& options);

// [K] i64. index_select(x, -1, rope_permutation(K)) turns x from the layout `interleaved` into `halves`.
Tensor rope_permutation(int64_t width);

struct Rope final : RotaryPosition {
  struct Settings {
    double base = 10000;
    double share = 1;
    void fields(OptionFields& f) {
      f("base", base, "the slowest pair rotates once in 2 pi base^(1 - 2/K) words", {1.001, 1e12});
      f("share", share, "how much of a head is rotated: its first entries", {0, 1, Range::kAbove});
    }
  };
  static constexpr About about{
      .names = {"F8", "rope", "rotary positions", "RoFormer", "rope_interleaved: pairs of adjacent entries"},
      .formula = "pairs of entries of q_t and k_s rotated by t theta_i and s theta_i,  theta_i = 10000^(-2i/K)",
      .paper = {"Su et al., 2021; Neurocomputing 2024", 2021, 1},
      .idea =
          "The entries of queries and keys are taken as pairs and rotated by an angle that grows with the position. "
          "The dot product of two rotated vectors depends on the two positions only through their difference. Values "
          "are not rotated.",
      .wrong =
          "A pair may consist of neighbours or of entries that are half a vector apart. Weights trained with one "
          "layout need a permutation for the other.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "3 K operations per query and key; no parameters",
      .own = {"turning_keeps_length_and_distance", "golden_angles", "halves_are_permuted_pairs",
              "values_are_not_turned", "twin_turns_the_same", "cache_is_the_parallel_pass"},
      .cases = "rotate_pairs",
      .variants = {"rope_interleaved"},
  };

  Rope(const Options& options, Generator& unused);
  Settings settings;

 private:
  int64_t turned_width(int64_t width) const;  // a pair is two of these entries, and K in the angles is their number
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
