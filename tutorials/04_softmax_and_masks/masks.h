// Masks: five ways to exclude entries of the scores, and the weights that these entries get after the softmax.
//
//   weights = softmax(scores, changed where they are masked)          scores, weights [T, S], f32 as in models
//
// In this file, a mask is a bool tensor of the shape of the scores that is true where the entry is EXCLUDED. Several
// masks may be applied, one after the other.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "tensor/rearrange.h"
#include "tutorials/04_softmax_and_masks/formulas.h"

namespace heed {

inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

struct Way {
  std::string name;
  double value;          // replaces a masked score, or is added to it
  bool is_added;         // true: added; false: replaces the score
  bool by_hand = false;  // true: softmax_shifted; false: the softmax of the library
};
inline const std::vector<Way> kWays{{"-inf", kMinusInfinity, false},
                                    {"-inf, textbook", kMinusInfinity, false, true},
                                    {"set to -1e9", -1e9, false},
                                    {"-1e9 added", -1e9, true},
                                    {"-1e4 added", -1e4, true}};

inline Variable weights_of(const Way& way, const Variable& scores, const std::vector<Tensor>& masks) {
  Variable x = scores;
  for (const Tensor& mask : masks)
    x = way.is_added ? x + mul(mask.to(x.dtype()), way.value) : masked_fill(x, mask, way.value);
  return way.by_hand ? softmax_shifted(x) : softmax(x);
}

struct MaskCase {
  std::string name;
  Tensor scores;              // [T, S]
  std::vector<Tensor> masks;  // [T, S] each
  Tensor forbidden() const {  // [T, S], 1 where any of the masks excludes the entry
    Tensor any = masks[0].to(DType::f32);
    for (size_t i = 1; i < masks.size(); ++i) any = maximum(any, masks[i].to(DType::f32));
    return any;
  }
};

// Padding mask: the first two of six keys are padding. Causal mask: query t must not read the keys after t.
inline std::vector<MaskCase> mask_cases(Generator& rng) {
  Tensor scores = Tensor::normal({6, 6}, rng), ones = Tensor::ones({6, 6});
  Tensor padding = Tensor::from_bools({1, 1, 0, 0, 0, 0}, {1, 6}).expand({6, 6}).contiguous();
  Tensor order = triu(ones, 1).to(DType::boolean);
  return {{"padding mask", scores, {padding}},
          {"scores x 20000", mul(scores, 2e4), {padding}},
          {"all masked", scores, {ones.to(DType::boolean)}},
          {"padding + causal", scores, {padding, order}}};
}

// The largest total weight of the masked entries of a row; NaN if a weight is NaN.
inline double leak(const MaskCase& one, const Tensor& weights) {
  std::vector<double> rows = sum(mul(weights, one.forbidden()), {1}).to_vector();
  double worst = 0;
  for (double mass : rows) worst = std::isnan(mass) || std::isnan(worst) ? NAN : std::max(worst, mass);
  return worst;
}

// The total size of the gradient at masked scores, for L = sum of v times the weights, with random v.
inline double gradient_at_forbidden(const Way& way, const MaskCase& one) {
  Variable scores(one.scores, Variable::kRequiresGrad);
  Generator same(7);
  backward(sum(weights_of(way, scores, one.masks) * Tensor::normal(one.scores.shape(), same)));
  return sum(mul(abs(scores.grad()), one.forbidden())).item();
}

}  // namespace heed
