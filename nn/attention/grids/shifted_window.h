// Shifted windows ("Swin transformer: hierarchical vision transformer using shifted windows", section 3.2): places
// attend within windows of M x M places, and every second layer moves the windows, so that neighbours meet.
//
// clang-format off
//   layer 0, 2, ..           layer 1, 3, ..           M = 4: the windows of odd layers begin M / 2
//   +-------+-------+        +---+-------+---+        places later, and those at the border are cut
//   |       |       |        |   |       |   |
//   |       |       |        +---+-------+---+
//   +-------+-------+        |   |       |   |
// clang-format on
//
//   e_ts = q_t . k_s / sqrt(K) + table_h[row_t - row_s, col_t - col_s]
//   y_t  = W_o [sum over s in the window of t of softmax_s(e_ts) v_s]_h + b_o
//
// The published program rolls the picture by M / 2 and masks pairs that were not neighbours, with -100: a key from the
// other side keeps a weight of about e^-100. Here the mask is -inf. Instead of rolling, the windows are cut, which
// gives the same numbers. As in the program, a picture of at most M rows or columns has windows of min(R, C) places
// without a shift; one of a single row or column is cut along its only axis (regions.h). A last window that ends
// outside of the picture has fewer keys. The table begins N(0, .02^2), the projections as PyTorch's; the published
// network draws all of its linear layers with N(0, .02^2) and biases of 0.
#pragma once

#include "nn/attention/grids/regions.h"

namespace heed::nn {

struct ShiftedWindow final : RegionMixer {
  struct Settings : GridSettings {
    int64_t window = 7;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("window", window, "M, rows and columns of a window", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"M7", "shifted_window", "Swin", "window attention"},
      .formula =
          "softmax over the window of q k^T / sqrt(K) + table[row_t - row_s, col_t - col_s];  every second layer "
          "begins its windows M/2 places later",
      .paper = {"Liu et al., ICCV 2021", 2021, 4},
      .idea =
          "A picture is cut into windows, and a place attends only to the places of its own window. In every second "
          "layer the windows begin half a window later, so that places on both sides of a border meet. A learned "
          "number for each difference in rows and columns tells the heads where a place is.",
      .wrong =
          "A picture that is rolled has windows with places from opposite borders. They must not attend to each other, "
          "and the picture must be rolled back afterwards.",
      .cost = "2 T M^2 D products beside the projections; 4 D^2 + (2 M - 1)^2 H parameters",
      .own = {"regions_are_masks", "a_window_of_the_whole_picture_is_attention", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  ShiftedWindow(const MixerOptions& o, Generator& rng)
      : RegionMixer(o, about.name(), o.settings.as<Settings>().window, rng) {}
  PictureWindows cut(int64_t rows, int64_t columns) const override {
    return windows_in(rows, columns, size, options.layer % 2 == 1 ? size / 2 : 0);
  }
};

}  // namespace heed::nn
