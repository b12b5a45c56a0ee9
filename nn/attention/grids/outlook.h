// Outlook attention ("VOLO: vision outlooker for visual recognition", section 3.1): each place writes the weights for
// its whole neighbourhood, without any key, and all windows that cover a place are added.
//
//   A_t = softmax over columns of ((x_t W_a + b_a) / sqrt(K)), [n, n] for each head, n = k^2, k = 2 radius + 1
//   Y_t = A_t [v_s]_(s in the window of t)             n values for the n places of the window; v = x W_v, 0 outside
//   y_s = W_o (sum over the windows t that cover s of the row of s in Y_t) + b_o
//
// The softmax counts the places outside of the picture too: they take weight, and give 0. Each place has a window, as
// in the paper's algorithm and in timm. The authors' program of today has another function for this stride, in which
// y_s adds the rows of A_s itself, each moved to its place; their networks take the stride 2, where the mean of 2 x 2
// places writes the weights and windows lie around every second place.
#pragma once

#include "nn/attention/grids/grid.h"

namespace heed::nn {

struct Outlook final : GridMixer {
  struct Settings : GridSettings {
    int64_t radius = 1;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("radius", radius, "a window has k = 2 radius + 1 rows and columns", {0, 64});
    }
  };
  static constexpr About about{
      .names = {"M13", "outlook", "VOLO", "outlooker"},
      .formula =
          "Y_t = softmax((x_t W_a + b) / sqrt(K)) V_window(t), k^2 x k^2 weights;  y_s = sum of its rows in all "
          "windows, W_o",
      .paper = {"Yuan et al., TPAMI 2022", 2022, 4},
      .idea =
          "A place says by a linear map how every place of its window should read every other. So fine details are "
          "mixed without comparing queries and keys. A place is covered by several windows, and what they say about it "
          "is added.",
      .wrong = "The windows are summed and not averaged, so places at the border get fewer parts.",
      .cost = "T k^4 (H D + D) products beside the projections; 2 D^2 + D + (D + 1) H k^4 parameters",
      .own = {"one_place_windows_are_a_linear_layer", "weights_of_zero_are_two_box_filters", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  Outlook(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  void visit(Visitor& v) override {
    v.child("value", value), v.child("weights", weights), v.child("out_proj", out_proj);
  }
  int64_t size;  // k
  Linear value, weights, out_proj;
};

}  // namespace heed::nn
