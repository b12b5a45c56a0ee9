// Cases of autograd/ops_reduce.h: every choice of axes, kept and dropped, and each option.
#include <fmt/format.h>

#include <cmath>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

struct Over {
  Shape shape;
  Dims axes;
};
using Overs = std::vector<Over>;
// Shapes and axes: several elements per result (or no result), one, no result, and results of no elements.
const Overs kSeveral = {
    {{4}, {}},       {{4}, {0}},       {{2, 3}, {}},        {{2, 3}, {0}},         {{2, 3}, {-1}},      {{2, 2}, {1}},
    {{2, 3, 2}, {}}, {{2, 3, 2}, {1}}, {{2, 3, 2}, {0, 2}}, {{2, 3, 2}, {-1, -2}}, {{2, 1, 3}, {0, 1}}, {{0, 3}, {1}}};
const Overs kSingle = {{{}, {}}, {{2, 1, 3}, {1}}};
const Overs kNoResult = {{{2, 0, 3}, {0, 2}}};
const Overs kNothing = {{{0}, {}}, {{2, 0, 3}, {1}}};

// f over each of the lists, kept and dropped.
using OverAxes = std::function<Variable(const Variable&, const Dims& axes, bool keep)>;
struct How {
  std::string prefix = {};
  Sampler sampler = anywhere;
  std::string note = {};
  bool expandable = true;
};
std::vector<BaseCase> over(const std::vector<Overs>& lists, const OverAxes& f, const How& how = {}) {
  std::vector<BaseCase> bases;
  for (const Overs& list : lists)
    for (const auto& [shape, axes] : list)
      for (bool keep : {false, true})
        bases.push_back({.label = how.prefix + to_string(shape) + " over " + to_string(axes) + (keep ? " kept" : ""),
                         .shapes = {shape},
                         .f = [f, axes = axes, keep](In in) { return f(in[0], axes, keep); },
                         .sampler = how.sampler,
                         .expandable = how.expandable,
                         .note = how.note});
  return bases;
}

std::vector<BaseCase> over(const std::vector<Overs>& lists, Variable (*f)(const Variable&, const Dims&, bool),
                           const How& how = {}) {
  return over(lists, OverAxes(f), how);
}

// Every third element exactly 0: rows with none, one and several.
Tensor some_zeros(const Shape& shape, uint64_t number) {
  Tensor x = anywhere(shape, number);
  for (int64_t i = 0; i < x.count(); i += 3) x.data<double>()[i] = 0;
  return x;
}

// Some elements, and one row wholly, at minus infinity.
BaseCase masked_rows() {
  return {.label = "rows with -inf", .shapes = {{3, 3}}, .f = [](In in) {
            Tensor out = Tensor::from_bools({0, 1, 0, 1, 1, 1, 0, 0, 0}, {3, 3});
            Variable y = logsumexp(masked_fill(in[0], out, -INFINITY), {-1});
            return masked_fill(y, Tensor::from_bools({0, 1, 0}, {3}), 0);  // differences of -inf are NaN
          }};
}

CaseRow running() {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{4}, Shape{2, 3}, Shape{2, 2}, Shape{2, 3, 2}, Shape{2, 1}, Shape{0, 3}, Shape{2, 0}})
    for (int axis = 0; axis < shape.rank(); ++axis)
      for (bool reverse : {false, true})
        bases.push_back(
            {.label = to_string(shape) + " axis " + std::to_string(axis) + (reverse ? " from the end" : ""),
             .shapes = {shape},
             .f = [axis, reverse](In in) { return cumsum(in[0], axis - in[0].rank(), {.reverse = reverse}); }});
  return operation("cumsum", bases);
}

CaseRow scanned() {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{4}, Shape{2, 3}, Shape{2, 3, 2}, Shape{2, 1}, Shape{0, 3}, Shape{2, 0}})
    for (int axis = 0; axis < shape.rank(); ++axis)
      for (bool reverse : {false, true})
        bases.push_back(
            {.label = to_string(shape) + " axis " + std::to_string(axis) + (reverse ? " from the end" : ""),
             .shapes = {shape, shape},
             .f = [axis, reverse](In in) { return linear_scan(in[0], in[1], axis, {.reverse = reverse}); }});
  return operation("linear_scan", bases);
}

CaseRow along_axis(const std::string& name, Variable (*f)(const Variable&, int64_t, bool)) {
  std::vector<std::vector<BaseCase>> lists;
  for (const Over& o :
       Overs{{{4}, {0}}, {{2, 3}, {0}}, {{2, 3}, {-1}}, {{2, 3, 2}, {1}}, {{2, 1, 3}, {1}}, {{2, 0, 3}, {2}}})
    lists.push_back(over({{o}}, [f](const Variable& x, const Dims& axes, bool keep) { return f(x, axes[0], keep); },
                         {.sampler = all_distinct,
                          .note = "all elements at least 0.1 apart; no view that repeats the axis",
                          .expandable = o.axes[0] != 0}));
  return operation(name, joined(lists));
}

CaseRow spread(const std::string& name, Variable (*f)(const Variable&, const Dims&, const VarOptions&),
               bool of_one_element) {
  const How how{.note = of_one_element ? "" : "no view that repeats an element: without spread stddev is not smooth",
                .expandable = of_one_element};
  auto with = [f](bool unbiased) {
    return [=](const Variable& x, const Dims& axes, bool keep) { return f(x, axes, {unbiased, keep}); };
  };
  How biased = how;
  biased.prefix = "biased ";
  return operation(name, joined({over({kSeveral}, with(true), how), over({kSeveral}, with(false), biased),
                                 over({of_one_element ? kSingle : Overs()}, with(false), biased)}));
}

// No two magnitudes nearer than 0.1, none below 0.05.
Tensor distinct_sizes(const Shape& shape, uint64_t number) {
  Tensor x = all_distinct(shape, number);
  for (int64_t i = 0; i < x.count(); ++i) x.data<double>()[i] += 0.05;
  return x;
}
CaseRow lengths() {
  std::vector<std::vector<BaseCase>> lists;
  for (double p : {1.0, 1.5, 2.0, 3.0, static_cast<double>(INFINITY)})
    lists.push_back(over({kSeveral, kSingle},
                         [p](const Variable& x, const Dims& axes, bool keep) { return norm(x, p, axes, keep); },
                         {.prefix = fmt::format("p {} ", p),
                          .sampler = distinct_sizes,
                          .note = "no magnitude nearer than 0.1 to another, none below 0.05"}));
  return operation("norm", joined(lists));
}

}  // namespace

std::vector<CaseRow> reduce_cases() {
  const std::vector<Overs> results = {kSeveral, kSingle, kNoResult}, all = {kSeveral, kSingle, kNoResult, kNothing};
  const How apart{.sampler = all_distinct,
                  .note = "all elements at least 0.3 apart, but for those that a view repeats"};
  const Overs zeros = {{{4}, {}}, {{5}, {0}}, {{2, 3}, {0}}, {{2, 3}, {1}}, {{2, 5}, {1}}, {{2, 3, 2}, {0, 2}}};
  auto summed = cases_of(sum_to), repeated = cases_of(expand);
  return {operation("sum", over(all, sum)),
          operation("mean", over(results, mean)),
          along_axis("max", max),
          along_axis("min", min),
          operation("amax", over(results, amax, apart)),
          operation("amin", over(results, amin, apart)),
          without(Seam::infinite, "beside a 0 the gradient is a product with that 0",
                  operation("prod", joined({over(all, prod),
                                            over({zeros}, prod, {.prefix = "zeros in ", .sampler = some_zeros})}))),
          operation("logsumexp", joined({over(results, logsumexp), {masked_rows()}})),
          without(Seam::infinite, "of a single element the gradient is a product with x - mean = 0",
                  spread("var", var, true)),
          spread("stddev", stddev, false),
          lengths(),
          running(),
          without(Seam::infinite, "the gradient of the first factor is a product with the 0 before it", scanned()),
          operation("sum_to",
                    {summed({2, 3}, {3}), summed({2, 3}, {1, 3}), summed({2, 3}, {2, 1}), summed({2, 3}, {}),
                     summed({2, 3, 2}, {3, 1}), summed({2, 3}, {2, 3}), summed({0, 3}, {3}), summed({0, 3}, {1, 3})}),
          operation("expand", {repeated({3}, {2, 3}), repeated({}, {2, 3}), repeated({2, 1}, {2, 3}),
                               repeated({1, 3}, {2, 3}), repeated({2, 1, 2}, {3, 2, 2, 2}), repeated({2, 3}, {2, 3}),
                               repeated({1}, {0}), repeated({0, 1}, {0, 2})})};
}

}  // namespace heed
