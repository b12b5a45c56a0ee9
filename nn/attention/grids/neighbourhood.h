// Neighbourhood attention ("Neighborhood attention transformer", section 3.2; dilated: "Dilated neighborhood attention
// transformer"): each place attends to the k x k places nearest to it.
//
// clang-format off
//   . . . . . .      k = 3: the place itself is in the middle of its neighbours, except at the
//   . x x x . .      border, where the window is moved in. It always has k x k places.
//   . x T x . .
//   . x x x . .      first(i) = min(max(i - k / 2, 0), L - k)         of an axis of L places
//   . . . x x x      dilated by d: the same among the places i, i + d, i - d, ..
//   . . . x x T      causal axis: max(i - k + 1, 0) .. i, fewer at the beginning
// clang-format on
//
//   y_t = sum over the neighbours s of t of softmax_s(q_t . k_s / sqrt(K)) v_s
//
// An axis with fewer than k places (of one remainder, if dilated) has them all as neighbours, where NATTEN refuses. An
// even k, which NATTEN refuses too, has one more place before than after. The authors' layer also adds a learned bias
// for each relative place to the scores; here there is none.
#pragma once

#include <vector>

#include "nn/attention/grids/grid.h"

namespace heed::nn {

struct AxisNeighbours {
  int64_t window, dilation = 1;
  bool causal = false;
};
// The neighbours of each of `length` places, in ascending order.
std::vector<std::vector<int64_t>> axis_neighbours(int64_t length, const AxisNeighbours& how);

struct Neighbourhood final : GridMixer {
  struct Settings : GridSettings {
    int64_t window = 7, dilation = 1;
    bool causal_rows = false, causal_columns = false;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("window", window, "k, rows and columns of the neighbourhood", {1, 4096});
      f("dilation", dilation, "d, distance between neighbours", {1, 4096});
      f("causal_rows", causal_rows, "read no row below");
      f("causal_columns", causal_columns, "read no column to the right");
    }
  };
  static constexpr About about{
      .names = {"M8", "neighbourhood", "NATTEN", "NAT", "dilated neighbourhood attention"},
      .formula =
          "softmax over the k x k nearest places of q k^T / sqrt(K);  per axis first = min(max(i - k/2, 0), L - k)",
      .paper = {"Hassani et al., CVPR 2023", 2023, 4},
      .idea =
          "Each place of a picture attends to the places around it, as a convolution does. At the border the window is "
          "moved into the picture, so that every place has the same number of neighbours. With a dilation, the "
          "neighbours are a fixed distance apart and lie further away at the same cost.",
      .wrong = "At the border the window is moved and not cut, and there is no padding with zeros.",
      .cost =
          "2 T k^2 D products beside the projections, on copies of the keys and values: 2 T k^2 D numbers; 4 D^2 "
          "parameters",
      .own = {"regions_are_masks", "every_place_has_as_many_neighbours", "dilated_neighbours_are_a_grid", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  Neighbourhood(const MixerOptions& o, Generator& rng)
      : GridMixer(o, about.name()), settings(options.settings.as<Settings>()), heads(options, rng) {}
  Variable picture(const Variable& x) const override;
  void visit(Visitor& v) override { v.child("", heads); }
  Settings settings;
  GridHeads heads;
};

}  // namespace heed::nn
