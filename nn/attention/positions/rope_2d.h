// Rotary positions of a grid: half of the pairs of entries rotate by the row of a cell, the other half by its column
// (axial RoPE; Heo et al., "Rotary Position Embedding for Vision Transformer", ECCV 2024).
//
//   row(p) = floor(p / W), column(p) = p mod W                     W: cells in a row of the grid; p: place of the word
//   x = [x_row; x_column]  ->  [R_row(p) x_row; R_column(p) x_column]          R_n: rotation by n theta_i (rope.h)
//
// So the product of a query and a key depends on how many rows and how many columns lie between their cells, and not on
// where they are. W >= S is RoPE on the columns alone. A head has an even width K; the rows' share of its K/2 pairs is
// rounded up.
#pragma once

#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {

struct Rope2D final : RotaryPosition, ReadsPlaces {
  Rope2D(const Options& options, Generator& unused);

 private:
  Variable turned(const Variable& x, int64_t first, const Tensor& at, bool key) const override;
};

}  // namespace heed::nn
