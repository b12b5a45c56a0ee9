// Criss-cross attention ("CCNet: criss-cross attention for semantic segmentation", section 3.2): each place attends to
// the places of its row and of its column, with one softmax over both. After a second pass with the same weights every
// place has read every other.
//
//   y_t = x_t + gamma sum over s in row or column of t of softmax_s(q_t . k_s) v_s        gamma = 0 at the start
//
// The place itself is counted once, R + C - 1 places in all. Scores are not scaled. q and k have D / 8 features, v has
// D.
#pragma once

#include "nn/attention/grids/grid.h"

namespace heed::nn {

struct CrissCross final : GridMixer {
  struct Settings : GridSettings {
    int64_t passes = 2, reduction = 8;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("passes", passes, "how often it is applied, with the same weights", {1, 64});
      f("reduction", reduction, "D / reduction features of q and k, at least 1", {1, 1e6});
    }
  };
  static constexpr About about{
      .names = {"M6", "criss_cross", "CCNet"},
      .formula =
          "y = x + gamma softmax over row and column of (q k^T) v, twice with the same weights;  gamma begins at 0",
      .paper = {"Huang et al., ICCV 2019", 2019, 4},
      .idea =
          "Each place of a picture attends to its own row and its own column. Two such steps lead from any place to "
          "any other, over the place where the row of one and the column of the other cross. So the whole picture is "
          "read at the cost of R + C keys for a place instead of R C.",
      .wrong = "The own place is in the row and in the column. It must be counted once, so the column leaves it out.",
      .cost = "2 T (R + C) (D + D/8) products for each pass beside the projections; D^2 + 2 D D/8 parameters",
      .own = {"regions_are_masks", "two_passes_reach_every_place", "gate_of_zero_keeps_the_picture"},
      .exempt = {kPlacesReadAll},
  };
  CrissCross(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  Variable pass(const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.parameter("gamma", gamma);
  }
  Settings settings;
  Linear query, key, value;
  Variable gamma;  // [1]
};

}  // namespace heed::nn
