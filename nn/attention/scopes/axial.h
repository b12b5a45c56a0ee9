// Axial attention: the words are the cells of a grid, row by row, and a cell sees its row or its column (Ho,
// Kalchbrenner, Weissenborn and Salimans, "Axial Attention in Multidimensional Transformers", 2019).
//
//   row(i) = floor(i / W),  column(i) = i mod W                    W: cells in a row of the grid; i: place of a word
//   axis 1: row(i) = row(j)      axis 2: column(i) = column(j)     axis 0: either of them
//
// In the paper layers of axis 1 and axis 2 take turns: two layers connect every cell with every other, with S (W + S /
// W) scores in place of S^2. Axis 0 has both in one layer (the criss-cross attention of Huang et al., ICCV 2019).
#pragma once

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct AxialScope final : Scope {
  AxialScope(const ScopeOptions& o, Generator&) : grid(o.settings.whole("grid")), axis(o.settings.whole("axis")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("axial", context.places, [this](int64_t, int64_t i, int64_t j) {
      bool row = i / grid == j / grid, column = i % grid == j % grid;
      return axis == 0 ? row || column : axis == 1 ? row : column;
    });
  }
  bool by_place() const override { return true; }
  int64_t grid, axis;  // W; 0 both, 1 rows, 2 columns
};

}  // namespace heed::nn
