// Cases of autograd/ops_reduce.h: every choice of axes, kept and dropped.
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

CaseRow reduction(const std::string& name, Variable (*f)(const Variable&, const Dims&, bool),
                  const std::vector<Over>& empty) {
  std::vector<BaseCase> bases;
  for (const auto* list : {&kReductions, &empty})
    for (const Over& over : *list)
      for (bool keep : {false, true})
        bases.push_back({.label = to_string(over.shape) + " over " + to_string(over.axes) + (keep ? " kept" : ""),
                         .shapes = {over.shape},
                         .f = [f, axes = over.axes, keep](In in) { return f(in[0], axes, keep); }});
  return operation(name, bases);
}

CaseRow maxima() {
  const char* note = "all elements at least 0.1 apart; no view that repeats the axis";
  std::vector<BaseCase> bases;
  for (const Over& over :
       {Over{{4}, {0}}, {{2, 3}, {0}}, {{2, 3}, {-1}}, {{2, 3, 2}, {1}}, {{2, 1, 3}, {1}}, {{2, 0, 3}, {2}}})
    for (bool keep : {false, true})
      bases.push_back({.label = to_string(over.shape) + " along " + to_string(over.axes) + (keep ? " kept" : ""),
                       .shapes = {over.shape},
                       .f = [axis = over.axes[0], keep](In in) { return max(in[0], axis, keep); },
                       .sampler = all_distinct,
                       .expandable = over.axes[0] != 0,
                       .note = note});
  return operation("max", bases);
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
  return {reduction("sum", sum, kEmpty), reduction("mean", mean, {}), maxima(),
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
