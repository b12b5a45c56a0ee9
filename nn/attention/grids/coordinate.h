// Coordinate attention ("Coordinate attention for efficient mobile network design", section 3.2): a gate for each row
// and one for each column of every channel, so that the gates know where something is.
//
//   [a; b] = h-swish(BN(W [means of the rows; means of the columns]))      W: D -> max(8, D / 32), with a bias
//   y_rc   = x_rc sigmoid(W_r a_r) sigmoid(W_c b_c)                        h-swish(u) = u min(max(u + 3, 0), 6) / 6
//
// The batch norm is over the R + C rows and columns of all pictures together.
#pragma once

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/grids/grid.h"
#include "nn/batch_norm.h"

namespace heed::nn {

struct Coordinate final : GridMixer {
  struct Settings : GridSettings {
    int64_t reduction = 32;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("reduction", reduction, "D / reduction hidden features, at least 8", {1, 1e6});
    }
  };
  static constexpr About about{
      .names = {"M3", "coordinate", "coordinate attention"},
      .formula = "y_rc = x_rc sigmoid(W_r a_r) sigmoid(W_c b_c),  [a; b] = h-swish(BN(W [row means; column means]))",
      .paper = {"Hou, Zhou and Feng, CVPR 2021", 2021, 4},
      .idea =
          "The mean of each row and the mean of each column are summaries of a picture that keep the position along "
          "one axis. A small network makes gates from them, one for each row and each column of every channel. A place "
          "is scaled by the gates of its row and of its column.",
      .wrong =
          "Rows and columns go through the first layer and its norm together, as R + C places, and are split "
          "afterwards.",
      .cost =
          "3 T D sums and products, 2 (R + C) D I for the gates with I = max(8, D/32); 3 D I + 2 D + 3 I parameters",
      .own = {"rows_and_columns_may_be_exchanged", "gates_of_zero_weights_are_halves", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  Coordinate(const MixerOptions& o, Generator& rng)
      : GridMixer(o, about.name()),
        shared({.in = o.query, .out = std::max<int64_t>(8, o.query / options.settings.as<Settings>().reduction)}, rng),
        of_rows({.in = shared.options.out, .out = o.query}, rng),
        of_columns({.in = shared.options.out, .out = o.query}, rng),
        norm({.width = shared.options.out}, rng) {}
  Variable picture(const Variable& x) const override {
    const int64_t R = x.size(1), C = x.size(2);
    Variable y = norm(shared(concat({mean(x, {2}), mean(x, {1})}, 1)));  // [B, R + C, I]
    y = y * clamp(y + 3, 0, 6) / 6;
    return x * unsqueeze(sigmoid(of_rows(slice(y, 1, 0, R))), 2) *
           unsqueeze(sigmoid(of_columns(slice(y, 1, R, R + C))), 1);
  }
  void visit(Visitor& v) override {
    v.child("shared", shared), v.child("norm", norm), v.child("of_rows", of_rows), v.child("of_columns", of_columns);
  }
  Linear shared, of_rows, of_columns;  // W, W_r, W_c
  BatchNorm norm;
};

}  // namespace heed::nn
