// One causal layer in which only the rule changes, so that its effect can be measured alone:
//
// clang-format off
//   [q; k; v] = silu(convolution(x W))      reads four words, so that a value can be written
//                                           under the key before it; for parity, one word
//   q, k of length 1                        one head
//   S_t       = one of the five rules       o_t = q_t S_t
//   y         = norm(o) W_o                 the norm divides by the root of the mean square
//
//   softmax   the control: o_t = softmax(q_t k_s^T / sqrt(K)) v_s over s <= t, with rotary
//             positions, and without the division of q and k by their lengths
// clang-format on
//
// a_t = sigmoid(x w_a + c), which begins near 0.95, and b_t = m sigmoid(x w_b + d), where m is 1, or 2 for the
// reflection. Each layer has these parameters whether its rule uses them or not, so all begin with the same values. The
// fixed decay is g = 1 - 2^-5, that of RetNet's first head.
//
// B batch, T words, D width, K width of keys and queries; the state has K x D numbers.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tutorials/32_without_softmax/rules.h"

namespace without_softmax {

struct Rule {
  std::string name;
  bool softmax = false, decays = false, gated = false, delta = false;
  double most = 1;  // of b
};
inline const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> all{{.name = "softmax", .softmax = true},
                                     {.name = "sum"},
                                     {.name = "decay", .decays = true},
                                     {.name = "gate", .gated = true},
                                     {.name = "delta rule", .gated = true, .delta = true},
                                     {.name = "reflection", .gated = true, .delta = true, .most = 2}};
  return all;
}

struct Keys {
  int64_t width = 16, taps = 4;  // K; taps: words that the convolution reads, 1: none but the word itself
};

struct RuleLayer final : nn::Mixer {
  RuleLayer(const Rule& r, int64_t D, const Keys& k, heed::Generator& rng)
      : rule(r),
        keys(k.width),
        projection({.in = D, .out = 2 * keys + D, .bias = false}, rng),
        convolution({.features = 2 * keys + D, .taps = k.taps}, rng),
        gate({.in = D, .out = 1}, rng),
        strength({.in = D, .out = 1}, rng),
        output({.in = D, .out = D, .bias = false}, rng) {
    width = D;
    gate.bias = nn::full_parameter({1}, 3);
  }

  // What the rule reads and writes. x [B, T, D] -> q, k [B, 1, T, K], v [B, 1, T, D]
  nn::DecayedSums words_of(const Variable& x) const {
    Variable all = unsqueeze(convolution(projection(x), {}).output, 1);
    nn::DecayedSums w{slice(all, -1, 0, keys), slice(all, -1, keys, 2 * keys), slice(all, -1, 2 * keys, all.size(-1))};
    if (rule.softmax) return w;
    w.q = nn::unit_length(w.q), w.k = nn::unit_length(w.k);
    if (rule.decays)
      w.decay = Variable(Tensor::full({1, 1, x.size(1), 1}, std::log(1 - std::exp2(-5.0)), x.dtype()));  // log g
    if (rule.gated) w.decay = unsqueeze(-softplus(-gate(x)), 1);                                         // log a_t
    if (rule.delta) w.strength = unsqueeze(sigmoid(strength(x)), 1) * rule.most;                         // b_t
    return w;
  }
  nn::Mixed mix(const Variable& x, const nn::MixerInput&) const override {
    const nn::DecayedSums w = words_of(x);
    Variable o = rule.softmax ? attended(w) : nn::chunkwise_sums(w, 16).output;
    return {output(squeeze(rms_norm(o), 1))};
  }
  void visit(nn::Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution);
    v.child("gate", gate), v.child("strength", strength), v.child("output", output);
  }
  Rule rule;
  int64_t keys;
  nn::Linear projection;
  nn::ShortConvolution convolution;
  nn::Linear gate, strength, output;

 private:
  static Variable attended(const nn::DecayedSums& w) {
    auto rotated = [](const Variable& y) { return transpose(nn::rotate_pairs(transpose(y, 1, 2), {}), 1, 2); };
    Variable e = nn::scaled_scores(rotated(w.q), rotated(w.k));
    const Tensor allowed = nn::allowed_words({.causal = true}, {}, e.size(2));
    return matmul(softmax(masked_fill(e, heed::logical_not(allowed), -INFINITY), -1), w.v);
  }
};

}  // namespace without_softmax
