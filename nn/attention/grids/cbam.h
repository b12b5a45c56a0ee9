// CBAM ("CBAM: convolutional block attention module", section 3): a gate for each channel, and then one for each place.
//
//   x' = x sigmoid(MLP(mean over places of x) + MLP(max over places of x))
//   y  = x' sigmoid(BN(f * [max over channels of x'; mean over channels of x']))
//
// MLP: D -> D / 16 -> D with a relu and biases, the same for both. f: a convolution of 7 x 7 places without a bias.
// The batch norm of one channel moves its running statistics by 0.01, as the published program does. There its weight
// begins at 0, so all gates of places begin at 1/2; all biases begin at 0, and f with N(0, 2 / 49).
#pragma once

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/grids/grid.h"
#include "nn/batch_norm.h"
#include "nn/convolution2d.h"
#include "nn/init.h"

namespace heed::nn {

struct Cbam final : GridMixer {
  struct Settings : GridSettings {
    int64_t reduction = 16, radius = 3;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("reduction", reduction, "D / reduction hidden features, at least 1", {1, 1e6});
      f("radius", radius, "the convolution reads 2 radius + 1 rows and columns", {0, 1024});
    }
  };
  static constexpr About about{
      .names = {"M1", "cbam", "CBAM", "convolutional block attention module"},
      .formula = "x' = x sigmoid(MLP(mean x) + MLP(max x));  y = x' sigmoid(BN(conv7x7 [max_c x'; mean_c x']))",
      .paper = {"Woo et al., ECCV 2018", 2018, 4},
      .idea =
          "First each channel of a picture gets a gate, from its mean and its maximum over all places. Then each place "
          "gets a gate, from the mean and the maximum over all channels in its neighbourhood. So the block says what "
          "to look at and then where.",
      .wrong =
          "The channels come first. One MLP serves the mean and the maximum, and their results are added before "
          "the sigmoid.",
      .cost = "98 T products and 4 T D sums, D^2/4 for the MLP; D^2/8 + 17 D/16 + 100 parameters",
      .own = {"gates_of_zero_weights_are_halves", "channels_are_gated_before_places", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  Cbam(const MixerOptions& o, Generator& rng)
      : GridMixer(o, about.name()),
        settings(options.settings.as<Settings>()),
        squeeze_in({.in = o.query, .out = std::max<int64_t>(1, o.query / settings.reduction)}, rng),
        excite({.in = squeeze_in.options.out, .out = o.query}, rng),
        filter({.in = 2, .out = 1, .height = 2 * settings.radius + 1, .width = 2 * settings.radius + 1, .bias = false},
               rng),
        norm({.width = 1, .momentum = 0.01, .first_weight = 0}, rng) {
    for (Linear* layer : {&squeeze_in, &excite}) layer->bias = zeros_parameter({layer->options.out});
    filter.weight.set_value(
        init::kaiming_normal(filter.weight.shape(), rng, {.fan = init::Fan::out}, filter.weight.dtype()));
  }
  Variable channel_gates(const Variable& x) const {  // [B, R, C, D] -> [B, 1, 1, D]
    auto mlp = [this](const Variable& pooled) { return excite(relu(squeeze_in(pooled))); };
    return sigmoid(mlp(mean(x, {1, 2}, true)) + mlp(amax(x, {1, 2}, true)));
  }
  Variable place_gates(const Variable& x) const {  // [B, R, C, D] -> [B, R, C, 1]
    return sigmoid(norm(filter(concat({amax(x, {3}, true), mean(x, {3}, true)}, 3))));
  }
  Variable picture(const Variable& x) const override {
    Variable gated = x * channel_gates(x);
    return gated * place_gates(gated);
  }
  void visit(Visitor& v) override {
    v.child("squeeze", squeeze_in), v.child("excite", excite), v.child("filter", filter), v.child("norm", norm);
  }
  Settings settings;
  Linear squeeze_in, excite;
  Convolution2d filter;
  BatchNorm norm;
};

}  // namespace heed::nn
