// Grid attention ("MaxViT: multi-axis vision transformer", section 3.2): a place attends to G x G places that are
// spread over the whole picture. In MaxViT a layer of windows comes first: `--encoder-mixers shifted_window,grid`.
//
// clang-format off
//   a b a b        G = 2, R = C = 4: places with the same letter are a group;
//   c d c d        they are R / G = 2 apart, not G apart
//   a b a b
//   c d c d
// clang-format on
//
//   e_ts = q_t . k_s / sqrt(K) + table_h[(row_t - row_s) / (R / G), (col_t - col_s) / (C / G)]
//   y_t  = W_o [sum over s with row_s = row_t mod R / G, col_s = col_t mod C / G of softmax_s(e_ts) v_s]_h + b_o
//
// The paper's pictures are divisible by G. Otherwise R / G is rounded up, and some groups have fewer places. The
// authors' program looks the table up by key minus query: theirs, turned round along both axes, is this one.
#pragma once

#include "nn/attention/grids/regions.h"

namespace heed::nn {

struct GridAttention final : RegionMixer {
  struct Settings : GridSettings {
    int64_t grid = 7;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("grid", grid, "G, rows and columns of the grid of places that one place reads", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"M12", "grid", "MaxViT", "grid attention", "multi-axis attention"},
      .formula = "softmax of q k^T / sqrt(K) + table over {s: row_s = row_t mod R/G, col_s = col_t mod C/G}",
      .paper = {"Tu et al., ECCV 2022", 2022, 4},
      .idea =
          "A grid of G x G places is laid over the whole picture, and a place attends to the places of its grid. The "
          "next place belongs to another grid, which is moved by one. After a layer of windows, each place has read "
          "the whole picture at a cost that grows only with its size.",
      .wrong = "The grid always has G x G places, which are R/G rows and C/G columns apart. They are not G apart.",
      .cost = "2 T G^2 D products beside the projections; 4 D^2 + (2 G - 1)^2 H parameters",
      .own = {"regions_are_masks", "windows_and_a_grid_reach_every_place", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  GridAttention(const MixerOptions& o, Generator& rng)
      : RegionMixer(o, about.name(), o.settings.as<Settings>().grid, rng) {}
  PictureWindows cut(int64_t rows, int64_t columns) const override {
    return {size, grid_of(rows, size), grid_of(columns, size)};
  }
};

}  // namespace heed::nn
