// Rotary positions of a grid with learned directions (RoPE-Mixed; "Rotary position embedding for vision transformer",
// which also has the axial form of rope_2d.h). With W cells in a row of the grid, the cell at place p is in row
// y = floor(p / W) and column x = p mod W.
//
//   pair i of a head is rotated by x fx_i + y fy_i          pairs are interleaved: (2i, 2i + 1)
//
// So a pair can look along a diagonal, while rope_2d's pairs look along rows or columns. A product depends on the two
// cells only through their differences in x and in y. fx and fy are parameters of each head, in each layer. At first
// their lengths are 10^(-4i/K), i < K/4; the first half of the pairs has a random direction phi, one for each head, and
// the second half the direction phi + pi/2. (The base is 10 here, and 100 in the authors' axial form.) The authors do
// not rotate the class word; words of heed are cells. Heads of queries that share a head of keys share its frequencies.
#pragma once

#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/rotary_position.h"
#include "nn/attention/positions/turns_by_head.h"

namespace heed::nn {

struct RopeMixed final : RotaryPosition, ReadsPlaces, TurnsByHead {
  struct Settings {
    int64_t grid = 16;
    double base = 10;
    void fields(OptionFields& f) {
      f("grid", grid, "W, cells in a row of the grid", {1, 1e9});
      f("base", base, "the first frequencies have lengths base^(-4i/K)", {1.001, 1e12});
    }
  };
  static constexpr About about{
      .names = {"L9", "rope_mixed", "RoPE-Mixed"},
      .formula = "pair i of head h rotated by (p mod W) fx_h,i + floor(p / W) fy_h,i, fx and fy learned",
      .paper = {"Heo, Park, Han and Yun, ECCV 2024", 2024, 4},
      .idea =
          "Each pair of entries rotates with the distance in a direction of its own, which it learns. The words are "
          "cells of a grid, as the patches of an image are. So a head can tell apart cells along diagonals, and not "
          "only along rows and columns.",
      .wrong =
          "The frequencies begin much larger than those of text, with the base 10. With the base 10000 most pairs "
          "would hardly rotate within a picture.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "3 K operations per query and key, and T K/2 sines for each head; H K parameters",
      .own = {"differences_count_in_each_head", "axes_apart_are_rope_2d", "frequencies_begin_at_right_angles",
              "cache_is_the_parallel_pass"},
  };

  RopeMixed(const Options& options, Generator& rng);
  Settings settings;
  void share(int64_t kv_heads) override;
  void visit(Visitor& v) override { v.parameter("frequencies", frequencies); }
  Variable frequencies;  // fx and fy [2, H, K/2], or [2, G, K/2] for G heads of keys

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
