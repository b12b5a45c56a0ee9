// Global context block ("GCNet: non-local networks meet squeeze-excitation networks and beyond", section 3.3): one
// vector for the whole picture, read by attention and added to every place.
//
//   c = sum_t softmax over places (x_t . w + b) x_t,    y_t = x_t + W_2 relu(LN(W_1 c))
//
// W_1: D -> D / 16. W_2 is 0 at the start, w is N(0, 2 / D) and b is 0. The paper found that a trained non-local block
// has nearly the same weights for every query, so that one row of weights is enough.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/grids/grid.h"
#include "nn/init.h"
#include "nn/norm.h"

namespace heed::nn {

struct GlobalContext final : GridMixer {
  struct Settings : GridSettings {
    int64_t reduction = 16;
    void fields(OptionFields& f) {
      GridSettings::fields(f);
      f("reduction", reduction, "D / reduction hidden features, at least 1", {1, 1e6});
    }
  };
  static constexpr About about{
      .names = {"M5", "global_context", "GCNet"},
      .formula = "y_t = x_t + W_2 relu(LN(W_1 c)),  c = sum_s softmax over places (x_s . w) x_s;  W_2 begins at 0",
      .paper = {"Cao et al., ICCV Workshops 2019", 2019, 4},
      .idea =
          "One vector is read from the whole picture, with softmax weights that depend on the places and on no query. "
          "A small network transforms it, and it is added to every place. The cost grows only with the number of "
          "places.",
      .wrong = "The softmax is over the places and not over the channels.",
      .cost = "2 T D products, D^2/8 for the small network; D^2/8 + D (2 + 3/16) + 1 parameters",
      .own = {"one_vector_for_all_places", "equal_queries_are_global_context", kLinearCost},
      .exempt = {kPlacesReadAll},
  };
  GlobalContext(const MixerOptions& o, Generator& rng)
      : GridMixer(o, about.name()),
        mask({.in = o.query, .out = 1}, rng),
        squeeze_in({.in = o.query, .out = std::max<int64_t>(1, o.query / options.settings.as<Settings>().reduction)},
                   rng),
        expand_out({.in = squeeze_in.options.out, .out = o.query}, rng),
        norm({.shape = {squeeze_in.options.out}}, rng) {
    for (Variable* p : {&expand_out.weight, &expand_out.bias}) p->set_value(Tensor::zeros(p->shape(), p->dtype()));
    mask.weight = normal_parameter({1, o.query}, std::sqrt(2 / static_cast<double>(o.query)), rng);
    mask.bias = zeros_parameter({1});
  }
  Variable context(const Variable& places) const {  // c: [B, T, D] -> [B, 1, D]
    return matmul(transpose(softmax(mask(places), 1), 1, 2), places);
  }
  Variable picture(const Variable& x) const override {
    Variable added = expand_out(relu(norm(squeeze_in(context(places_of(x))))));
    return x + unsqueeze(added, 1);
  }
  void visit(Visitor& v) override {
    v.child("mask", mask), v.child("squeeze", squeeze_in), v.child("norm", norm), v.child("expand", expand_out);
  }
  Linear mask, squeeze_in, expand_out;  // w, W_1, W_2
  LayerNorm norm;
};

}  // namespace heed::nn
