// "Not allowed" as a number in the scores: what each way leaves of it after the softmax.
//
//   weights = softmax(scores with the forbidden ones changed)          scores, weights [T, S], f32 as in models
//
// A mask is a bool tensor of the scores' shape, true where the entry is FORBIDDEN. Several masks may be in force.
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
  double value;          // of a forbidden score, or what is added to it
  bool is_added;         // instead of put in its place
  bool by_hand = false;  // softmax_shifted instead of the library's
};
inline const std::vector<Way> kWays{{"-inf", kMinusInfinity, false},
                                    {"-inf, by hand", kMinusInfinity, false, true},
                                    {"-1e9 in place", -1e9, false},
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
  Tensor forbidden() const {  // by any of them
    Tensor any = masks[0].to(DType::f32);
    for (size_t i = 1; i < masks.size(); ++i) any = maximum(any, masks[i].to(DType::f32));
    return any;
  }
};

// Padding: the first two of six entries are empty. Order: row t may not see what comes after it, entries above t.
inline std::vector<MaskCase> mask_cases(Generator& rng) {
  Tensor scores = Tensor::normal({6, 6}, rng), ones = Tensor::ones({6, 6});
  Tensor padding = Tensor::from_bools({1, 1, 0, 0, 0, 0}, {1, 6}).expand({6, 6}).contiguous();
  Tensor order = triu(ones, 1).to(DType::boolean);
  return {{"some left", scores, {padding}},
          {"huge scores", mul(scores, 2e4), {padding}},
          {"none left", scores, {ones.to(DType::boolean)}},
          {"both masks", scores, {padding, order}}};
}

// The largest sum of weights that stand where nothing is allowed; NaN if a weight is.
inline double leak(const MaskCase& one, const Tensor& weights) {
  std::vector<double> rows = sum(mul(weights, one.forbidden()), {1}).to_vector();
  double worst = 0;
  for (double mass : rows) worst = std::isnan(mass) || std::isnan(worst) ? NAN : std::max(worst, mass);
  return worst;
}

// How much gradient reaches forbidden scores, for L = sum of v times the weights with random v.
inline double gradient_at_forbidden(const Way& way, const MaskCase& one) {
  Variable scores(one.scores, Variable::kRequiresGrad);
  Generator same(7);
  backward(sum(weights_of(way, scores, one.masks) * Tensor::normal(one.scores.shape(), same)));
  return sum(mul(abs(scores.grad()), one.forbidden())).item();
}

}  // namespace heed
