// Focal attention ("Focal self-attention for local-global interactions in vision transformers", section 3.2): fine keys
// nearby and coarse keys far away, in one softmax.
//
// clang-format off
//   r r r r      T reads, with one softmax,
//   r w w r        w   the M x M places of its window
//   r T w r        r   the ring of e places around the window
//   r r r r        P   (2 reach + 1)^2 pooled windows: its own and those around it
// clang-format on
//
//   x_P = sum over the places s of window P of p_s x_s + p_0       one key; the same p for all channels
//   y_t = W_o [softmax over w, r and P of (q_t . k / sqrt(K) + bias) v]_h + b_o      [q; k; v] = x W + b, of x_P too
//
// The bias is a number for each head and: difference of two places of the window; place of the window and place of the
// ring; difference in rows and columns of the place's number in the window and the pooled window's number among the
// (2 reach + 1)^2, as in the published program (there is one coarse level in its models). At the start p_s = 1 / M^2
// and p_0 = 0, the first table is 0 and the others N(0, .02^2).
//
// Deviations from the program: it rolls the picture to reach the ring, so that windows at the border read the opposite
// side, and it counts some places of the ring twice. Here what is outside of the picture is no key, and each place
// counts once. Pooled windows that end outside of the picture sum what is inside. For a picture of at most M rows or
// columns the program is built with smaller windows, other tables and weights p, and without a ring; this mixer has
// parameters for any picture, so there a window just ends outside.
#pragma once

#include "nn/attention/grids/regions.h"

namespace heed::nn {

struct Focal final : GridMixer {
  struct Settings : GridSettings {
    int64_t window = 7, ring = 3, reach = 2;
    bool pooled = true;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("window", window, "M, rows and columns of a window", {1, 4096});
      f("ring", ring, "e, width of the ring around the window", {0, 4096});
      f("reach", reach, "pooled windows on each side of the own one", {0, 1024});
      f("pooled", pooled, "read pooled windows");
    }
  };
  static constexpr About about{
      .names = {"M14", "focal", "Focal Transformer", "focal self-attention"},
      .formula = "one softmax over the window, a ring of places around it, and pooled windows farther away",
      .paper = {"Yang et al., NeurIPS 2021", 2021, 4},
      .idea =
          "A place reads the places near it one by one, and those far away in blocks. Each block is a weighted mean of "
          "its places and counts as one key. One softmax over both decides how much of each is read.",
      .wrong =
          "A window at the border has no ring outside of the picture. A picture that is rolled without a mask gives "
          "it places from the opposite side.",
      .cost =
          "2 T ((M + 2 e)^2 + (2 reach + 1)^2) D products beside the projections; 4 D^2 + M^2 parameters and the "
          "tables",
      .own = {"regions_are_masks", "rings_and_pooled_windows_share_a_softmax", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  Focal(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  Variable pooled_windows(const Variable& x, const Regions& windows) const;  // x_P [B, N, D]
  void visit(Visitor& v) override;
  Settings settings;
  GridHeads heads;
  Linear pool;                               // p: M^2 -> 1
  Variable table, ring_table, pooled_table;  // [(2 M - 1)^2, H], [M^2, ring places, H], [(M + 2 reach)^2, H]
};

}  // namespace heed::nn
