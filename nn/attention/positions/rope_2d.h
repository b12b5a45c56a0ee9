// Rotary positions of a grid (axial RoPE; "Rotary Position Embedding for Vision Transformer"): row(p) = floor(p / W),
// column(p) = p mod W, with W cells in a row of the grid and p the place of a word.
//
//   x = [x_row; x_column]  ->  [R_row(p) x_row; R_column(p) x_column]          R_n: rotation by n theta_i (rope.h)
//
// W >= S is RoPE on the columns alone. A head has an even width K; the rows' share of its K/2 pairs is rounded up.
#pragma once

#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct Rope2D final : RotaryPosition, ReadsPlaces {
  struct Settings {
    int64_t grid = 16;
    double base = 10000;
    void fields(OptionFields& f) {
      f("grid", grid, "W, cells in a row of the grid", {1, 1e9});
      f("base", base, "as of rope", {1.001, 1e12});
    }
  };
  static constexpr About about{
      .names = {"F12", "rope_2d", "axial rope", "2-D positions"},
      .formula = "half of the pairs rotated by floor(p / W) theta_i, half by (p mod W) theta_i",
      .paper = {"Heo et al. (RoPE for vision transformers), ECCV 2024", 2024, 4},
      .idea =
          "Half of the pairs of entries rotate with the row, the other half with the column of a grid. Its cells are "
          "the words, as the patches of an image are. So a score depends on the rows and the columns between two "
          "cells.",
      .wrong = "The width of the grid is part of the model. With another width the same position is in another row.",
      .shapes = "x [B, T, H, K] -> [B, T, H, K]",
      .cost = "3 K operations per query and key; no parameters",
      .own = {"rows_and_columns_apart_alone_count", "cache_is_the_parallel_pass"},
  };

  Rope2D(const Options& options, Generator& unused);
  Settings settings;

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
