// Deformable attention ("Deformable DETR: deformable transformers for end-to-end object detection", eqs. 2 and 3): each
// place looks at a few points of the picture, and a linear map of the place says where they are and how much they
// count.
//
//   p_hlm = reference + offset_hlm / (C_l, R_l)         offsets = x W_o + b_o     head h, level l, point m < P
//   w_h   = softmax over levels and points (x W_a + b_a)                          no query meets a key
//   y     = [sum_lm w_hlm v_hl(p_hlm)]_h W_y + b_y      v_h(p): bilinear between the four places around p
//
// A point is (x, y) in parts of the width and the height; place (row i, column j) is at ((j + 1/2) / C, (i + 1/2) / R),
// so that borders are at 0 and 1 (align_corners = false in PyTorch), and outside of the picture v is 0. The mixer reads
// its own picture as the only level, from each place; the module takes any queries, references and levels.
//
// At the start W_o, W_a and b_a are 0, and b_o puts the points of head h on the ray of angle 2 pi h / H, point m at m +
// 1 places' distance (of the larger of both coordinates). Projections begin as Glorot's, their biases 0.
#pragma once

#include <vector>

#include "nn/attention/grids/grid.h"

namespace heed::nn {

// v [B, H, R C, K] at the places (row y, column x), which need not be whole, [B, H, N] -> [B, H, N, K]. 0 outside.
Variable bilinear(const Variable& v, int64_t rows, int64_t columns, const Variable& y, const Variable& x);
Tensor centres_of(int64_t rows, int64_t columns, DType dtype);  // (x, y) of each place, [R C, 2]

struct DeformableAttention : Module {
  struct Options {
    int64_t width, heads;
    int64_t points = 4, levels = 1;
  };
  DeformableAttention(const Options& options, Generator& rng);
  // query [B, T, D]; references [B, T, 2] or [T, 2]; levels [B, R_l, C_l, D]; words, if given: bool [B, R_l C_l] of
  // each level, with 0 as the value of padding. -> [B, T, D]. ShapeError for another number of levels.
  Variable operator()(const Variable& query, const Variable& references, const std::vector<Variable>& levels,
                      const std::vector<Tensor>& words = {}) const;
  void visit(Visitor& v) {
    v.child("offsets", offsets), v.child("weights", weights);
    v.child("value_proj", value_proj), v.child("out_proj", out_proj);
  }
  Options options;
  Linear offsets, weights;      // D -> H L P 2, the x and y of each point; D -> H L P
  Linear value_proj, out_proj;  // D -> D
};

struct Deformable final : GridMixer {
  struct Settings : GridSettings {
    int64_t points = 4;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("points", points, "P, points that a head reads", {1, 1024});
    }
  };
  static constexpr About about{
      .names = {"M9", "deformable", "deformable attention", "Deformable DETR"},
      .formula = "y_t = [sum over P points of softmax(x_t W_a) v_h(reference_t + x_t W_o / (C, R))]_h W_y",
      .paper = {"Zhu et al., ICLR 2021", 2021, 4},
      .idea =
          "Each place of a picture chooses a few points by itself, and reads the values there. Points lie between the "
          "places, so a value is interpolated from the four places around it, and the choice can be learned. The cost "
          "grows with the number of points and not with the size of the picture.",
      .wrong =
          "There is no product of queries and keys: the weights come from the query alone. Place j of C is at (j + "
          "1/2) / C, and not at j / (C - 1).",
      .cost = "4 T P D products for the values beside the projections; 2 D^2 + 3 D H P parameters",
      .own = {"offsets_of_zero_read_the_place", "points_have_tent_weights", "points_begin_on_rays", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  Deformable(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  void visit(Visitor& v) override { v.child("", attention); }
  DeformableAttention attention;
};

}  // namespace heed::nn
