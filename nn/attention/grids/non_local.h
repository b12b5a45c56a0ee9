// Non-local block ("Non-local neural networks", section 3): self-attention over all places of a picture, as one layer
// among convolutions.
//
//   y_t = x_t + BN(W_z sum_s w_ts g(x_s))                 theta, phi, g: D -> D / 2
//
//   non_local             w = softmax_s(theta(x_t) . phi(x_s))        embedded Gaussian. The scores are not scaled
//   non_local_gaussian    w = softmax_s(x_t . x_s)
//   non_local_dot         w = theta(x_t) . phi(x_s) / N               N: number of places s
//   non_local_concat      w = relu(w_f [theta(x_t); phi(x_s)]) / N
//
// The weight of the batch norm is 0 at the start, so that the block begins as the identity inside a trained network.
// With `pool`, phi and g keep the maximum of 2 x 2 places each, and a last odd row or column is left out.
#pragma once

#include "nn/attention/grids/grid.h"
#include "nn/batch_norm.h"

namespace heed::nn {

struct NonLocal final : GridMixer {
  struct Settings : GridSettings {
    int64_t reduction = 2;
    bool pool = false;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("reduction", reduction, "D / reduction features of theta, phi and g, at least 1", {1, 1e6});
      f("pool", pool, "phi and g keep the maximum of 2 x 2 places");
    }
  };
  static constexpr About about{
      .names = {"M4", "non_local", "NLNet"},
      .formula =
          "y = x + BN(softmax(theta(x) phi(x)^T) g(x) W_z);  non_local_gaussian, non_local_dot, non_local_concat: "
          "other weights;  the norm's weight begins at 0",
      .paper = {"Wang et al., CVPR 2018", 2018, 4},
      .idea =
          "Each place of a picture reads all places with softmax weights, where a convolution reads only its "
          "neighbours. The result is added to the picture, so that the block fits into any network. It begins as the "
          "identity and does not disturb a network that was trained without it.",
      .wrong =
          "The scores are not divided by the root of the width. The forms without softmax are divided by the number "
          "of places.",
      .cost = "T^2 D products, T D^2 for each of four projections; 2 D^2 + 4.5 D parameters",
      .own = {"the_picture_is_unchanged_at_the_start", "products_without_softmax_are_associative",
              "concatenated_and_gaussian_weights"},
      .exempt = {kPlacesReadAll},
      .variants = {"non_local_gaussian", "non_local_dot", "non_local_concat"},
  };
  NonLocal(const MixerOptions& o, Generator& rng);
  Variable picture(const Variable& x) const override;
  Variable weights(const Variable& x) const;  // w [B, T, N]
  void visit(Visitor& v) override;
  Settings settings;
  bool gaussian, concatenated;
  Linear theta, phi, g, out_proj;
  Variable pair_weight;  // w_f [2 D / reduction], of non_local_concat
  BatchNorm norm;

 private:
  Variable pooled(const Variable& y) const;  // [B, R, C, E] -> [B, N, E]
};

}  // namespace heed::nn
