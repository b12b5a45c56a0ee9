// Cases of autograd/ops_statistics.h: every choice of axes, each option.
#include <fmt/format.h>

#include <limits>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

struct Over {
  Shape shape;
  Dims axes;
};
// At least two elements under every result, or no result.
const std::vector<Over> kSeveral = {
    {{4}, {}},       {{4}, {0}},       {{2, 3}, {}},        {{2, 3}, {0}},         {{2, 3}, {-1}},      {{2, 2}, {1}},
    {{2, 3, 2}, {}}, {{2, 3, 2}, {1}}, {{2, 3, 2}, {0, 2}}, {{2, 3, 2}, {-1, -2}}, {{2, 1, 3}, {0, 1}}, {{0, 3}, {1}}};
const std::vector<Over> kSingle = {{{}, {}}, {{2, 1, 3}, {1}}};

using OverAxes = std::function<Variable(const Variable&, const Dims&)>;
std::vector<BaseCase> each(const std::vector<Over>& list, const std::string& prefix, const OverAxes& f,
                           Sampler sampler = anywhere, const std::string& note = {}, bool expandable = true) {
  std::vector<BaseCase> bases;
  for (const Over& over : list)
    bases.push_back({.label = prefix + to_string(over.shape) + " over " + to_string(over.axes),
                     .shapes = {over.shape},
                     .f = [f, axes = over.axes](In in) { return f(in[0], axes); },
                     .sampler = sampler,
                     .expandable = expandable,
                     .note = note});
  return bases;
}
void append(CaseRow& row, const std::vector<BaseCase>& bases) {
  for (Case& c : over_layouts(bases)) row.cases.push_back(std::move(c));
}

CaseRow spread(const std::string& name, Variable (*f)(const Variable&, const Dims&, const VarOptions&),
               bool of_one_element) {
  CaseRow row = operation(name, {});
  const bool expandable = of_one_element;  // repeated values have no spread, where stddev is not smooth
  const std::string note = expandable ? "" : "no view that repeats an element";
  for (bool keep : {false, true}) {
    std::string kept = keep ? "kept " : "";
    auto with = [f, keep](bool unbiased) {
      return [=](const Variable& x, const Dims& axes) { return f(x, axes, {.unbiased = unbiased, .keep = keep}); };
    };
    append(row, each(kSeveral, kept, with(true), anywhere, note, expandable));
    append(row, each(kSeveral, kept + "biased ", with(false), anywhere, note, expandable));
    if (of_one_element) append(row, each(kSingle, kept + "biased ", with(false)));
  }
  return row;
}

Tensor distinct_sizes(const Shape& shape, uint64_t number) {  // no two magnitudes nearer than 0.1, none below 0.05
  Tensor x = all_distinct(shape, number);
  auto* p = x.data<double>();
  for (int64_t i = 0; i < x.count(); ++i) p[i] += 0.05;
  return x;
}

CaseRow lengths() {
  CaseRow row = operation("norm", {});
  for (double p : {1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()})
    for (bool keep : {false, true})
      for (const auto* list : {&kSeveral, &kSingle})
        append(row, each(
                        *list, fmt::format("p {} {}", p, keep ? "kept " : ""),
                        [p, keep](const Variable& x, const Dims& axes) { return norm(x, p, axes, keep); },
                        distinct_sizes, "no magnitude nearer than 0.1 to another, none below 0.05"));
  return row;
}

}  // namespace

std::vector<CaseRow> statistics_cases() {
  return {spread("var", var, true), spread("stddev", stddev, false), lengths()};
}

}  // namespace heed
