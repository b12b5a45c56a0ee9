// LayerNorm and RMSNorm as modules (names and layouts are PyTorch's), and two functions that depend on the directions
// of vectors only: unit vectors and cosines.
#pragma once

#include <string>
#include <variant>

#include "nn/about.h"
#include "nn/module.h"

namespace heed::nn {

// y = (x - mean) / sqrt(variance + eps) * weight + bias over the last axes     x [.., shape] -> y [.., shape]
// weight, bias [shape], 1 and 0 initially                             (Ba, Kiros and Hinton 2016, eqs. 3 and 4)
struct LayerNorm : Module {
  static constexpr About about{
      .names = {"H11", "layer_norm"},
      .formula = "y = w (x - mean x) / sqrt(var x + eps) + b,  var = sum (x - mean x)^2 / D",
      .paper = {"Ba, Kiros and Hinton, 2016", 2016, 1},
      .idea =
          "Each vector is shifted and scaled to mean zero and variance one, and then scaled and shifted by learned "
          "numbers. Each position is normalised alone, so the result does not depend on the rest of the batch or on "
          "the length. The numbers of a layer stay in one range whatever the layers before it do.",
      .wrong = "The variance divides by D and not by D - 1, and eps is inside the root.",
      .shapes = "[.., D] -> [.., D]",
      .cost = "7 D operations per word; 2 D parameters",
      .own = {"golden_biased_variance"},
      .cases = "LayerNorm",
  };

  struct Options {
    Shape shape;  // sizes of the axes that are normalised together: {D} for the last axis alone
    double eps = 1e-5;
    bool affine = true;  // false: no weight and no bias
    bool bias = true;
  };
  LayerNorm(const Options& options, Generator& unused);
  Variable operator()(const Variable& x) const;
  void visit(Visitor& v) {
    v.parameter("weight", weight);
    v.parameter("bias", bias);
  }
  Options options;
  Variable weight, bias;
};

// y = x / sqrt(mean x^2 + eps) * weight     x [.., shape] -> y [.., shape];  weight [shape], 1 initially
// It has no mean and no bias: fewer operations than LayerNorm, and as good in most models (Zhang and Sennrich, NeurIPS
// 2019, eq. 4).
struct RMSNorm : Module {
  struct Options {
    Shape shape;
    double eps = 1e-5;
    bool affine = true;
  };
  RMSNorm(const Options& options, Generator& unused);
  Variable operator()(const Variable& x) const;
  void visit(Visitor& v) { v.parameter("weight", weight); }
  Options options;
  Variable weight;
};

// Either of the two, chosen by name ("layer" or "rms"), over the last axis: for models in which it is an option.
struct AnyNormOptions {
  std::string name = "layer";
  int64_t width;
  double eps = 1e-5;
};
struct AnyNorm : Module {
  using Options = AnyNormOptions;
  AnyNorm(const Options& options, Generator& unused);  // ValueError for an unknown name
  Variable operator()(const Variable& x) const;        // [.., width]
  void visit(Visitor& v) {
    std::visit([&](auto& n) { n.visit(v); }, norm);
  }
  Options options;
  std::variant<LayerNorm, RMSNorm> norm;
};

// x / |x| for each row: [.., D] -> [.., D]. A row of zeros stays zero.
Variable unit_rows(const Variable& x);

// a . b / (|a| |b| + eps) for rows a [.., T, D] and b [.., S, D]. The caller computes the products a . b from the
// members a and b, in any way:
//
//   Cosine cosine(q, k);
//   Variable e = cosine.of(inner_products(cosine.a, cosine.b), eps);
//
// Rows whose squares overflow are divided by units u (tensor/range.h), and eps by the units of both rows, so that the
// quotient is the same.
struct Cosine {
  Cosine(const Variable& a, const Variable& b);
  Variable of(const Variable& products, double eps) const;  // products of a and b [.., T, S] -> cosines [.., T, S]
  Variable a, b;                                            // divided by their units
 private:
  Tensor of_a_, of_b_;  // units [.., T, 1] and [.., S, 1]; undefined: 1
};

}  // namespace heed::nn
