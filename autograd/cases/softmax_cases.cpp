// Cases of autograd/ops_softmax.h: each axis, masked rows, and every option of the cross-entropy.
#include <cmath>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;
using Rows = Variable (*)(const Variable&, int64_t);

std::vector<BaseCase> each_axis(Rows f) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{4}, Shape{2, 3}, Shape{3, 3}, Shape{2, 3, 2}, Shape{2, 1}, Shape{0, 3}, Shape{2, 0}})
    for (int axis = 0; axis < shape.rank(); ++axis)
      bases.push_back({.label = to_string(shape) + " axis " + std::to_string(axis),
                       .shapes = {shape},
                       .f = [f, axis](In in) { return f(in[0], axis); }});
  return bases;
}

CaseRow normaliser() {
  auto bases = each_axis(softmax);
  bases.push_back({.label = "a causal mask", .shapes = {{3, 3}}, .f = [](In in) {
                     Tensor later = Tensor::from_bools({0, 1, 1, 0, 0, 1, 0, 0, 0}, {3, 3});
                     return softmax(masked_fill(in[0], later, -INFINITY), -1);
                   }});
  bases.push_back({.label = "one row masked wholly", .shapes = {{2, 3}}, .f = [](In in) {
                     Tensor row = Tensor::from_bools({0, 1}, {2, 1});
                     return softmax(masked_fill(in[0], row, -INFINITY), -1);
                   }});
  return operation("softmax", bases);
}

using Loss = Variable (*)(const Variable&, const Tensor&, const CrossEntropyOptions&);

CaseRow loss(const std::string& name, Loss f) {
  struct Try {
    std::string label;
    Shape logits;
    std::vector<int64_t> targets;  // -100 is ignored
  };
  const std::vector<Try> tries = {{"[4]", {4}, {2}},
                                  {"[3, 4]", {3, 4}, {1, 3, 1}},
                                  {"[2, 2, 3]", {2, 2, 3}, {0, 2, 1, 0}},
                                  {"[3, 4] one ignored", {3, 4}, {1, -100, 3}},
                                  {"[2, 3] all ignored", {2, 3}, {-100, -100}},
                                  {"[0, 3]", {0, 3}, {}}};
  const std::vector<std::pair<std::string, Reduction>> reductions = {
      {"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}};
  std::vector<BaseCase> bases;
  for (const Try& t : tries)
    for (const auto& [word, reduction] : reductions)
      for (double smoothing : {0.0, 0.1}) {
        Shape shape = t.logits;
        shape.erase(shape.rank() - 1);
        CrossEntropyOptions options{.label_smoothing = smoothing, .reduction = reduction};
        bases.push_back({.label = t.label + " " + word + (smoothing > 0 ? " smoothed" : ""),
                         .shapes = {t.logits},
                         .f = [f, options, targets = Tensor::from(t.targets, shape)](In in) {
                           return f(in[0], targets, options);
                         }});
      }
  return operation(name, bases);
}

}  // namespace

std::vector<CaseRow> softmax_cases() {
  return {normaliser(), operation("log_softmax", each_axis(log_softmax)), loss("cross_entropy", cross_entropy),
          loss("cross_entropy_composed", cross_entropy_composed)};
}

}  // namespace heed
