// The hierarchically gated recurrent network, HGRN ("Hierarchically gated recurrent neural network for sequence
// modeling", section 3; real numbers, as in its successor and in fla), and the lower bounds of its forget gates.
//
//   f_t = b + (1 - b) sigmoid(x W_f),   h_t = f_t h_(t-1) + (1 - f_t) silu(x W_i)         each feature by itself
//   y = (norm_D(h) silu(x W_g)) W_o                                                      norm_D by the mean square
//   b of layer l = p_0 + .. + p_l - p_0,   p = softmax(P) over the layers, P [L, D]      learned, for each feature
//
// So b is 0 in the first layer and rises with the layer, below 1: upper layers cannot forget as fast, and keep what is
// far away. P is one table for all layers. It is a parameter of layer 0, which leaves the bounds in `passed` (mixer.h)
// for the layers above. It starts at 0: b = l / L, which is also the bound of a layer to which nothing has been passed,
// outside a stack or where layer 0 is another mixer. The recurrence is read by chunks (decayed_sums.h, each feature a
// head of width 1). L layers.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct GateBounds : Module {
  using Options = MixerOptions;
  explicit GateBounds(const MixerOptions& options);
  // b [D] of its layer; undefined in the first layer, where it is 0. The first layer leaves all of them.
  Variable of_layer(Variable* left, DType dtype) const;
  void visit(Visitor& v) { v.parameter("table", table); }
  Options options;
  Variable table;  // P [L, D] in the first of several layers, undefined in others
};

// f = b + (1 - b) sigmoid(z), as 1 - f and log f; b undefined: 0.
struct BoundedGate {
  Variable write, log_keep;  // 1 - f, log f: the shape of z
};
BoundedGate bounded_gate(const Variable& z, const Variable& bound);

struct HgrnSettings {
  int64_t chunk = 16;
  void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576}); }
};

struct HgrnMixer final : RecurrentMixer {
  using Settings = HgrnSettings;
  static constexpr About about{
      .names = {"J14", "hgrn", "hierarchically gated recurrent network"},
      .formula =
          "h_t = f_t h_(t-1) + (1 - f_t) silu(x W_i),  f = b + (1 - b) sigmoid(x W_f), b rising with the layer,  "
          "y = (norm(h) silu(x W_g)) W_o",
      .paper = {"Qin, Yang and Zhong, NeurIPS 2023", 2023, 4},
      .idea =
          "A recurrent network whose gates depend on the inputs alone is a running average of each feature, which can "
          "be computed for all words together. Each layer has a learned lower bound of its forget gates, which rises "
          "from layer to layer. So lower layers follow the last words, and upper layers remember what is far away.",
      .wrong =
          "What the new word gets is 1 - f with the bounded f. With 1 - sigmoid(x W_f) the average of equal inputs "
          "would not be that input.",
      .cost =
          "4 T D^2 products, T C D exponentials; 4 D^2 + D parameters, and L D of all layers together; decoding keeps "
          "D numbers",
      .own = {"three_forms_agree", "gates_of_0_and_1", "bounds_rise_with_the_layer", kLinearCost},
      .more = "its bounds belong to the whole stack: the first layer learns them for all",
  };

  HgrnMixer(const MixerOptions& options, Generator& rng);
  bool passes() const override { return true; }
  void visit(Visitor& v) override {
    v.child("input", input), v.child("forget", forget), v.child("gate", gate), v.child("bounds", bounds);
    v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear input, forget, gate;
  GateBounds bounds;
  Variable norm;  // [D]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override {
    return pass_on(x, words, first, state, nullptr);
  }
  Variable pass_on(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state,
                   Variable* left) const override;
};

}  // namespace heed::nn
