// Efficient channel attention ("ECA-Net: efficient channel attention for deep convolutional neural networks", section
// 3.2): a gate for each channel of a picture, from the means of this channel and its neighbours.
//
//   y_tc = x_tc sigmoid(sum_(j < k) f_j m_(c + j - (k - 1) / 2)),    m_c = mean over the places of x_tc
//
// The filter f is the same for all channels and has no bias. k is the odd number at |log2(D) / 2 + 1 / 2|, rounded down
// and then up to the next odd number, as in the published program. Beyond the first and the last channel m is 0.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/grids/grid.h"
#include "nn/init.h"

namespace heed::nn {

struct Eca final : GridMixer {
  struct Settings : GridSettings {
    int64_t taps = 0;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("taps", taps, "k, channels that a gate reads; 0: from the width", {0, 4096});
    }
  };
  static constexpr About about{
      .names = {"M2", "eca", "ECA-Net", "efficient channel attention"},
      .formula = "y = x sigmoid(f * mean over places of x), a convolution of k taps along the channels",
      .paper = {"Wang et al., CVPR 2020", 2020, 4},
      .idea =
          "Each channel of a picture gets a gate between 0 and 1. It is made from the means of the channel and of a "
          "few neighbouring channels, by one small filter. It works as well as squeeze-and-excite with a handful of "
          "parameters.",
      .wrong = "The convolution runs along the channels and not along the places.",
      .cost = "2 T D products, k D for the gates; k parameters",
      .own = {"gates_are_a_band_of_channels", "taps_grow_with_the_width", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  static int64_t taps_for(int64_t width) {
    const auto t = static_cast<int64_t>(std::abs((std::log2(static_cast<double>(width)) + 1) / 2));
    return t % 2 == 1 ? t : t + 1;
  }
  Eca(const MixerOptions& o, Generator& rng) : GridMixer(o, about.name()) {
    const int64_t taps = options.settings.as<Settings>().taps, k = taps > 0 ? taps : taps_for(o.query);
    filter = uniform_parameter({k}, k, rng);
  }
  Variable gates(const Variable& x) const {  // [B, R, C, D] -> [B, 1, 1, D]
    const int64_t k = filter.size(0), before = (k - 1) / 2, T = x.size(1) * x.size(2);
    Variable ones(Tensor::ones({1, T}, x.dtype())),
        means = squeeze(matmul(ones, places_of(x)), 1) / static_cast<double>(T);
    Variable wide = pad(means, {{.axis = 1, .before = before, .after = k - 1 - before}});
    return reshape(sigmoid(matmul(unfold(wide, 1, k, 1), filter)), {x.size(0), 1, 1, x.size(3)});
  }
  Variable picture(const Variable& x) const override { return x * gates(x); }
  void visit(Visitor& v) override { v.parameter("filter", filter); }
  Variable filter;  // f [k]
};

}  // namespace heed::nn
