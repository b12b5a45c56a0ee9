// Cases of autograd/ops_softmax.h: each axis, masked rows, and every option of the losses of a classification.
#include <cmath>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

std::vector<BaseCase> each_axis(Variable (*f)(const Variable&, int64_t)) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{4}, Shape{2, 3}, Shape{3, 3}, Shape{2, 3, 2}, Shape{2, 1}, Shape{0, 3}, Shape{2, 0}})
    for (int axis = 0; axis < shape.rank(); ++axis) bases.push_back(cases_of(f)(shape, axis));
  return bases;
}
// The softmax of rows where the mask hides some elements, or all of them.
BaseCase masked(const std::string& label, const Shape& shape, const Tensor& mask) {
  return {.label = label, .shapes = {shape}, .f = [mask](In in) {
            return softmax(masked_fill(in[0], mask, -INFINITY), -1);
          }};
}

// Logits or log-probabilities with a class for each row; -100 is ignored.
struct Try {
  std::string label;
  Shape rows;
  std::vector<int64_t> classes;
  Shape lead() const {
    Shape shape = rows;
    shape.erase(shape.rank() - 1);
    return shape;
  }
};
const std::vector<Try> kTries = {{"[4]", {4}, {2}},
                                 {"[3, 4]", {3, 4}, {1, 3, 1}},
                                 {"[2, 2, 3]", {2, 2, 3}, {0, 2, 1, 0}},
                                 {"[3, 3] one ignored", {3, 3}, {1, -100, 2}},
                                 {"[2, 3] all ignored", {2, 3}, {-100, -100}},
                                 {"[0, 3]", {0, 3}, {}}};

using CrossEntropy = Variable (*)(const Variable&, const Tensor&, const CrossEntropyOptions&);
CaseRow cross_entropies(const std::string& name, CrossEntropy f) {
  std::vector<BaseCase> bases;
  for (const Try& t : kTries)
    for (const auto& [word, reduction] : reductions())
      for (double smoothing : {0.0, 0.1})
        for (bool weighted : {false, true})
          for (bool distributions : {false, true}) {
            Tensor targets = distributions ? positive(t.rows, 0) : Tensor::from(t.classes, t.lead());
            Tensor weight = weighted ? positive({t.rows[t.rows.rank() - 1]}, 1) : Tensor();
            bases.push_back(
                {.label = t.label + " " + word + (smoothing > 0 ? " smoothed" : "") + (weighted ? " weighted" : "") +
                          (distributions ? " distributions" : ""),
                 .shapes = {t.rows},
                 .f =
                     [=, r = reduction](In in) {  // targets and weights of the logits' type
                       DType d = in[0].dtype();
                       return f(
                           in[0], distributions ? targets.to(d) : targets,
                           {.label_smoothing = smoothing, .reduction = r, .weight = weighted ? weight.to(d) : weight});
                     },
                 .constants = weighted ? std::vector{targets, weight} : std::vector{targets}});
          }
  return operation(name, bases);
}

CaseRow likelihood() {
  std::vector<BaseCase> bases;
  for (const Try& t : kTries)
    for (const auto& [word, reduction] : reductions()) {
      Tensor targets = Tensor::from(t.classes, t.lead());
      bases.push_back({.label = t.label + " " + word,
                       .shapes = {t.rows},
                       .f = [=, r = reduction](In in) { return nll_loss(in[0], targets, {.reduction = r}); },
                       .constants = {targets}});
    }
  return operation("nll_loss", bases);
}

}  // namespace

std::vector<CaseRow> softmax_cases() {
  Tensor causal = Tensor::from_bools({0, 1, 1, 0, 0, 1, 0, 0, 0}, {3, 3}), row = Tensor::from_bools({0, 1}, {2, 1});
  return {without(Seam::infinite, "the gradient is a product with p, which is 0 behind a mask",
                  operation("softmax", joined({each_axis(softmax),
                                               {masked("a causal mask", {3, 3}, causal),
                                                masked("a row masked wholly", {2, 3}, row)}}))),
          without(Seam::infinite, "in a row of one element the gradient is dy - 1 dy",
                  operation("log_softmax", each_axis(log_softmax))),
          cross_entropies("cross_entropy", cross_entropy),
          cross_entropies("cross_entropy_composed", cross_entropy_composed), likelihood()};
}

}  // namespace heed
