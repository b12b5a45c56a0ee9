// Axial attention ("Axial Attention in Multidimensional Transformers"): words are the cells of a grid, row by row. W
// cells in a row; row(i) = floor(i / W), column(i) = i mod W of place i.
//
//   axis 1: row(i) = row(j)      axis 2: column(i) = column(j)     axis 0: either of them
//
// In the paper layers of axis 1 and axis 2 take turns. Axis 0 has both in one layer (Huang et al., ICCV 2019).
#pragma once

#include "nn/attention/scopes/pattern.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct AxialScope final : Scope {
  struct Settings {
    int64_t grid = 16;
    int64_t axis = 0;
    void fields(OptionFields& f) {
      f("grid", grid, "W, cells in a row of the grid", {1, 1e9});
      f("axis", axis, "1: the row of a cell, 2: its column, 0: both", {0, 2});
    }
  };
  static constexpr About about{
      .names = {"C10", "axial", "axis 0: criss-cross"},
      .formula = "floor(i / W) = floor(j / W) or i mod W = j mod W",
      .paper = {"Ho, Kalchbrenner, Weissenborn and Salimans, 2019", 2019, 4},
      .idea =
          "The words are cells of a grid, such as the pixels of an image. A cell sees the cells of its row, of its "
          "column, or of both. So two layers, one along rows and one along columns, connect any two cells.",
      .wrong =
          "One layer of rows alone never connects two rows. Layers of rows and layers of columns have to take turns.",
      .shapes = "mask [T, S]",
      .cost = "T (W + S / W) scores have an effect",
      .own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones",
              "row_then_column_reaches_everything"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<AxialScope>({.grid = 4}), m); }

  AxialScope(const ScopeOptions& o, Generator&) : settings(o.settings.as<Settings>()) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("axial", context.places, [this](int64_t, int64_t i, int64_t j) {
      const auto [grid, axis] = settings;
      bool row = i / grid == j / grid, column = i % grid == j % grid;
      return axis == 0 ? row || column : axis == 1 ? row : column;
    });
  }
  bool by_place() const override { return true; }
  Settings settings;
};

}  // namespace heed::nn
