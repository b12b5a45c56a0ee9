// The gated attention unit ("Transformer quality in linear time"): one weak head is enough if its output is gated.
//
//   u = silu(W_u x),  v = silu(W_v x)               [T, E], E = D times the setting `inner`
//   z = silu(W_z x)                                 [T, A]: q = g_1 * z + b_1,  k = g_2 * z + b_2
//
// The paper divides by the length of the sequence, which a causal model does not know before the end; here n is the
// number of words up to t, so that words one at a time give the same. It also adds a bias by relative position, which
// is left out.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct GatedUnitMixer final : Mixer {
  struct Settings {
    int64_t inner = 2;
    int64_t width = 32;
    void fields(OptionFields& f) {
      f("inner", inner, "E, width of gate and values, in widths of the model", {1, 16});
      f("width", width, "A, width of queries and keys", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"E26i", "gated_unit", "GAU", "gated attention unit"},
      .formula = "a = relu(q k^T / n)^2,  y = W_o (u * a v);  u, v, z = silu of projections, q and k from z",
      .paper = {"Hua, Dai, Liu and Le, ICML 2022", 2022, 4},
      .idea =
          "One head of attention has a gate on its output, and the gate takes the place of a feed-forward network. The "
          "weights are squared ReLUs of the scores, so many of them are exactly 0. Queries and keys are cheap "
          "transforms of one small vector.",
      .wrong =
          "There is no softmax: the squared ReLU of the scores is divided by the number of words and not by the sum.",
      .cost = "T^2 (A + E) + T D (3 E + A) products; D (3 E + A) + 4 A parameters and biases",
      .own = {"weights_are_squared_relus", "an_open_unit_is_a_sum_of_values"},
  };

  GatedUnitMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("u_proj", u_proj);
    v.child("v_proj", v_proj);
    v.child("z_proj", z_proj);
    v.parameter("gamma", gamma);
    v.parameter("beta", beta);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  Settings settings;
  Linear u_proj, v_proj, z_proj;
  Variable gamma, beta;  // g, b [2, A]: row 0 of the queries, row 1 of the keys
  Linear out_proj;
};

}  // namespace heed::nn
