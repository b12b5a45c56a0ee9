// Cross-shaped windows ("CSWin transformer: a general vision transformer backbone with cross-shaped windows", sections
// 3.2 and 3.3): half of the heads attend within vertical stripes of the picture, the other half within horizontal ones,
// so that together a place reads a cross.
//
// clang-format off
//   1 1 2 2     A A A A      a picture of 3 x 4 places, s = 2: the heads 0 .. H/2 - 1 have
//   1 1 2 2     A A A A      the columns 1 and 2, the others have the rows A and B
//   1 1 2 2     B B B B
// clang-format on
//
//   head_h = softmax over the stripe of (q k^T / sqrt(K)) v + LePE(v),    y = [head_h]_h W_o + b_o
//
// LePE is a depthwise 3 x 3 convolution with a bias (of all channels of a half, in order) inside the stripe: beyond the
// border of a stripe it reads 0. The paper's text has the horizontal stripes first; this is the order of its program.
#pragma once

#include "nn/attention/grids/regions.h"
#include "nn/convolution2d.h"

namespace heed::nn {

struct CrossStripes final : GridMixer {
  struct Settings : GridSettings {
    int64_t stripe = 7;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("stripe", stripe, "s, width of a stripe", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"M11", "cross_stripes", "CSWin", "cross-shaped window attention"},
      .formula =
          "head = softmax over the stripe of (q k^T / sqrt(K)) v + depthwise conv3x3(v);  columns for half of the "
          "heads, rows for the others",
      .paper = {"Dong et al., CVPR 2022", 2022, 4},
      .idea =
          "The picture is cut into vertical stripes for half of the heads and into horizontal stripes for the others. "
          "A head attends within its stripe, so a place reads far along both axes in one layer. A small convolution of "
          "the values tells the place of a value inside the stripe.",
      .wrong =
          "The convolution stays inside the stripe: beyond its border there are zeros and not the neighbour's values.",
      .cost = "T s (R + C) D products and 9 T D beside the projections; 4 D^2 + 14 D parameters",
      .own = {"regions_are_masks", "the_convolution_stays_in_its_stripe"},
      .exempt = {kPlacesReadAll},
  };
  CrossStripes(const MixerOptions& o, Generator& rng);  // ValueError for an odd number of heads
  Variable picture(const Variable& x) const override;
  // LePE of a half: v [B, H / 2, T, K] -> the same
  Variable inside_stripes(const Convolution2d& filter, const Variable& v, const AxisCut& rows,
                          const AxisCut& columns) const;
  void visit(Visitor& v) override {
    v.child("", heads), v.child("vertical", vertical), v.child("horizontal", horizontal);
  }
  int64_t stripe;
  GridHeads heads;
  Convolution2d vertical, horizontal;  // depthwise, D / 2 channels each
};

}  // namespace heed::nn
