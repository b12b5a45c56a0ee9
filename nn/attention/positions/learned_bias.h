// Biases on the scores that are learned functions of the distance. d = |s - t|, t place of the query, s of the key.
//
// clang-format off
//   kerple         b_hts = -r1_h ln(1 + r2_h d)           r1, r2 > 0                    logarithmic
//   kerple_power   b_hts = -r1_h d^(r2_h)                 r1 > 0, 0 < r2 < 2            power
//   fire           b_hts = f_h(psi(d) / psi(max(L, t)))   psi(x) = ln(1 + c x), c, L > 0
//   dynamic_bias   b_hts = f_h(sign(s - t) ln(1 + d))     f: 1 -> N -> N -> H
// clang-format on
//
// KERPLE: Chi et al., NeurIPS 2022. FIRE: Li et al., ICLR 2024. Dynamic bias: Wang et al. (CrossFormer), ICLR 2022; its
// logarithm: Liu et al. (Swin Transformer V2), CVPR 2022.
//
// KERPLE has two numbers for each head. Its kernels are shift-invariant and conditionally positive definite; ALiBi is
// the power with r2 = 1. FIRE maps the distance to a number that does not leave the range of training when the text
// gets longer: a distance counts as a share of the way to the first word, and in the first L words as a share of L. f
// is a network with one hidden layer of N ReLUs, from 1 number to H.
//
// Positive numbers are exp of what is learned (r1, r2, c, L / its setting), r2 of the power is 2 sigmoid of it.
// H heads, N hidden units.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/layers.h"

namespace heed::nn {

struct KerpleBias final : HeadPosition {
  using Options = HeadPositionOptions;
  KerpleBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.parameter("r1", r1);
    v.parameter("r2", r2);
  }
  Options options;
  Variable r1, r2;  // [H]
};

struct FireBias final : HeadPosition, ReadsPlaces {
  using Options = HeadPositionOptions;
  FireBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.parameter("c", c);
    v.parameter("threshold", threshold);
    v.parameter("hidden.weight", weight_in);
    v.parameter("hidden.bias", bias_in);
    v.parameter("output.weight", weight_out);
  }
  Options options;
  Variable c, threshold;                    // [1] each
  Variable weight_in, bias_in, weight_out;  // [N, 1], [N], [H, N]
};

// A network of the distance, computed once for each distance that occurs. It knows the direction, and any length.
struct DynamicBias final : HeadPosition {
  using Options = HeadPositionOptions;
  DynamicBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.child("linear1", linear1);
    v.child("linear2", linear2);
    v.child("linear3", linear3);
  }
  Options options;
  Linear linear1, linear2, linear3;
};

}  // namespace heed::nn
