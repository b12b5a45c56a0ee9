// Rotary positions (Su et al., "RoFormer", 2021): each pair of a query's or key's entries is a point in a plane, turned
// by an angle that grows with the place.
//
//   theta_i = base^(-2i/K), i < K/2            y = R_p x:   y_a = x_a cos(p theta_i) - x_b sin(p theta_i)
//   (R_m q) . (R_n k) = q . R_(n-m) k                       y_b = x_a sin(p theta_i) + x_b cos(p theta_i)
//
// So the score of two words depends on how far apart they stand, and no length changes. Place 0 is left as it is.
// Values are never turned. A key keeps the angle of its own place in a cache: places are absolute, distances come of
// the product.
//
//   halves        pair i is (x_i, x_(i + K/2))      GPT-NeoX, LLaMA as Hugging Face holds it: name "rope"
//   interleaved   pair i is (x_2i, x_(2i + 1))      the paper, GPT-J: name "rope_interleaved"
//
// The layouts are one up to a fixed permutation of the entries: weights trained with one are wrong, without any error,
// in the other (rope_permutation translates).
#pragma once

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

enum class RopeLayout { halves, interleaved };
struct RopeOptions {
  RopeLayout layout = RopeLayout::halves;
  double base = 10000;
  int64_t first = 0;  // place of x[:, 0]
  Tensor at = {};     // [B, T] i64: or a place for each word
  bool back = false;  // by the opposite angles: the inverse, and the gradient
};

// x [B, T, H, K], K even -> y. dx = dy turned back. Cost: 3 K operations a vector; saves nothing.
Variable rotate_pairs(const Variable& x, const RopeOptions& options);
// The same from public operations.
Variable rotate_pairs_composed(const Variable& x, const RopeOptions& options);

// index_select(interleaved x, -1, this) has the layout of halves: [K] i64
Tensor rope_permutation(int64_t width);

struct Rope final : HeadPosition {
  using Options = HeadPositionOptions;
  Rope(const Options& options, Generator& unused);
  Variable turn_query(const Variable& q, const Places& places) const override;
  Variable turn_key(const Variable& k, const Places& places) const override;
  bool turns() const override { return true; }
  Options options;

 private:
  Variable turn(const Variable& x, int64_t first, const Tensor& at) const;
};

}  // namespace heed::nn
