// Windows with cosine scores ("Swin transformer V2: scaling up capacity and resolution", section 3): the shifted
// windows of shifted_window.h, with scores that cannot grow, and a bias that is a function of the difference of two
// places.
//
//   e_ts = q_t . k_s / (|q_t| |k_s|) exp(min(tau_h, ln 100)) + 16 sigmoid(MLP_h(d_ts))     tau_h = ln 10 at the start
//   d    = sign(u) log2(1 + |u|) / log2 8,   u = 8 (row_t - row_s, col_t - col_s) / (M - 1)
//   y_t  = LN(W_o [sum over s in the window of softmax_s(e_ts) v_s]_h + b_o)
//
// Queries and values have biases, and keys have none. The norm after the projection belongs to the block in the paper
// (x + LN(attention(x)), and the same for the feed-forward part); norm=0 leaves it out. Its gain and bias begin at 0,
// as in the published program, so that the block begins as the identity. M is that of regions.h: smaller than the
// setting in a small picture. Windows of M = 1 have u = 0. A length below 1e-12 counts as 1e-12. (The program takes M
// from the windows of an earlier training instead of u's, if it is told them.)
#pragma once

#include "nn/attention/grids/regions.h"
#include "nn/norm.h"

namespace heed::nn {

struct SwinV2 final : GridMixer {
  struct Settings : GridSettings {
    int64_t window = 8, hidden = 512;
    bool norm = true;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("window", window, "M, rows and columns of a window", {1, 4096});
      f("hidden", hidden, "hidden units of the MLP of the bias", {1, 1e6});
      f("norm", norm, "normalise the output");
    }
  };
  static constexpr About about{
      .names = {"M15", "swin_v2", "Swin V2", "scaled cosine attention"},
      .formula = "softmax over the window of cos(q, k) e^min(tau, ln 100) + 16 sigmoid(MLP(log-spaced differences))",
      .paper = {"Liu et al., CVPR 2022", 2022, 4},
      .idea =
          "A score is the cosine of query and key times a learned factor, so that large models stay stable. The bias "
          "of a pair comes from a small network that sees the difference of the two places on a logarithmic scale. So "
          "a model can be used with larger windows than it was trained with.",
      .wrong = "The cap of 100 is on the factor, so the parameter, its logarithm, is capped at ln 100.",
      .cost = "2 T M^2 D products beside the projections; 4 D^2 + (3 + H) hidden + H parameters",
      .own = {"regions_are_masks", "lengths_of_queries_and_keys_do_not_matter", "log_spaced_bias_is_bounded",
              kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  SwinV2(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  PictureWindows cut(int64_t rows, int64_t columns) const {
    return windows_in(rows, columns, settings.window, options.layer % 2 == 1 ? settings.window / 2 : 0);
  }
  GridHeads::Read read(const Variable& x) const;  // q and k of length 1, q times the factor
  Variable differences(int64_t M) const;          // d of each row of a table, [(2 M - 1)^2, 2]
  Variable table(int64_t M) const;                // the bias [(2 M - 1)^2, H]
  void visit(Visitor& v) override;
  Settings settings;
  Linear in_proj, out_proj;      // D -> 3 D without a bias; D -> D
  Variable q_bias, v_bias, tau;  // [D], [D], [H, 1, 1]
  Linear hidden, bias;           // 2 -> hidden -> H, the second without a bias
  LayerNorm norm;
};

}  // namespace heed::nn
