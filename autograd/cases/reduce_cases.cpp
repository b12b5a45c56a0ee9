// Cases of autograd/ops_reduce.h: every choice of axes, kept and dropped.
#include <cmath>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

struct Over {
  Shape shape;
  Dims axes;
};
const std::vector<Over> kReductions = {
    {{}, {}},      {{4}, {}},       {{4}, {0}},       {{2, 3}, {}},        {{2, 3}, {0}},         {{2, 3}, {-1}},
    {{2, 2}, {1}}, {{2, 3, 2}, {}}, {{2, 3, 2}, {1}}, {{2, 3, 2}, {0, 2}}, {{2, 3, 2}, {-1, -2}}, {{2, 1, 3}, {1}}};
const std::vector<Over> kEmpty = {{{0}, {}}, {{2, 0, 3}, {1}}, {{2, 0, 3}, {0, 2}}};

const std::vector<Over> kNoResult = {{{0, 3}, {1}}, {{2, 0, 3}, {0, 2}}};  // size 0, but not along the axes
const char* const kApart = "all elements at least 0.3 apart, but for those that a view repeats";

CaseRow reduction(const std::string& name, Variable (*f)(const Variable&, const Dims&, bool),
                  const std::vector<Over>& empty, Sampler sampler = anywhere, const std::string& note = {}) {
  std::vector<BaseCase> bases;
  for (const auto* list : {&kReductions, &empty})
    for (const Over& over : *list)
      for (bool keep : {false, true})
        bases.push_back({.label = to_string(over.shape) + " over " + to_string(over.axes) + (keep ? " kept" : ""),
                         .shapes = {over.shape},
                         .f = [f, axes = over.axes, keep](In in) { return f(in[0], axes, keep); },
                         .sampler = sampler,
                         .note = note});
  return operation(name, bases);
}

CaseRow extended(CaseRow row, const std::vector<BaseCase>& more) {
  for (Case& c : over_layouts(more)) row.cases.push_back(std::move(c));
  return row;
}

// Every third element exactly 0: rows with none, one and several.
Tensor some_zeros(const Shape& shape, uint64_t number) {
  Tensor x = anywhere(shape, number);
  for (int64_t i = 0; i < x.count(); i += 3) x.data<double>()[i] = 0;
  return x;
}
CaseRow products() {
  std::vector<BaseCase> bases;
  for (const Over& over : {Over{{4}, {}}, {{5}, {0}}, {{2, 3}, {0}}, {{2, 3}, {1}}, {{2, 5}, {1}}, {{2, 3, 2}, {0, 2}}})
    bases.push_back({.label = "zeros in " + to_string(over.shape) + " over " + to_string(over.axes),
                     .shapes = {over.shape},
                     .f = [axes = over.axes](In in) { return prod(in[0], axes); },
                     .sampler = some_zeros});
  return extended(reduction("prod", prod, kEmpty), bases);
}

// Some elements, and one row wholly, at minus infinity.
BaseCase masked_rows() {
  return {.label = "rows with -inf", .shapes = {{3, 3}}, .f = [](In in) {
            Tensor out = Tensor::from_bools({0, 1, 0, 1, 1, 1, 0, 0, 0}, {3, 3});
            Variable y = logsumexp(masked_fill(in[0], out, -INFINITY), {-1});
            return masked_fill(y, Tensor::from_bools({0, 1, 0}, {3}), 0);  // differences of -inf say nothing
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

CaseRow maxima(const std::string& name, Variable (*f)(const Variable&, int64_t, bool)) {
  const char* note = "all elements at least 0.1 apart; no view that repeats the axis";
  std::vector<BaseCase> bases;
  for (const Over& over :
       {Over{{4}, {0}}, {{2, 3}, {0}}, {{2, 3}, {-1}}, {{2, 3, 2}, {1}}, {{2, 1, 3}, {1}}, {{2, 0, 3}, {2}}})
    for (bool keep : {false, true})
      bases.push_back({.label = to_string(over.shape) + " along " + to_string(over.axes) + (keep ? " kept" : ""),
                       .shapes = {over.shape},
                       .f = [f, axis = over.axes[0], keep](In in) { return f(in[0], axis, keep); },
                       .sampler = all_distinct,
                       .expandable = over.axes[0] != 0,
                       .note = note});
  return operation(name, bases);
}

struct FromTo {
  Shape from, to;
};
CaseRow resizing(const std::string& name, Variable (*f)(const Variable&, const Shape&),
                 const std::vector<FromTo>& list) {
  std::vector<BaseCase> bases;
  for (const FromTo& c : list)
    bases.push_back({.label = to_string(c.from) + " to " + to_string(c.to),
                     .shapes = {c.from},
                     .f = [f, to = c.to](In in) { return f(in[0], to); }});
  return operation(name, bases);
}

}  // namespace

std::vector<CaseRow> reduce_cases() {
  return {reduction("sum", sum, kEmpty),
          reduction("mean", mean, {}),
          maxima("max", max),
          maxima("min", min),
          reduction("amax", amax, {}, all_distinct, kApart),
          reduction("amin", amin, {}, all_distinct, kApart),
          products(),
          extended(reduction("logsumexp", logsumexp, kNoResult), {masked_rows()}),
          running(),
          resizing("sum_to", sum_to,
                   {{{2, 3}, {3}},
                    {{2, 3}, {1, 3}},
                    {{2, 3}, {2, 1}},
                    {{2, 3}, {}},
                    {{2, 3, 2}, {3, 1}},
                    {{2, 3}, {2, 3}},
                    {{0, 3}, {3}},
                    {{0, 3}, {1, 3}}}),
          resizing("expand", expand,
                   {{{3}, {2, 3}},
                    {{}, {2, 3}},
                    {{2, 1}, {2, 3}},
                    {{1, 3}, {2, 3}},
                    {{2, 1, 2}, {3, 2, 2, 2}},
                    {{2, 3}, {2, 3}},
                    {{1}, {0}},
                    {{0, 1}, {0, 2}}})};
}

}  // namespace heed
