// The gradient check of every operation of the library, on every row of its case table: as it is, and with each of five
// bugs planted in the gradient of its inputs.
//
//   relative error = |analytic - numeric| / max(|analytic|, |numeric|), numeric by central differences (lesson 02)
//
// A planted bug may change no number: twice a gradient of zero, the mean over one element, the transpose of a vector.
// Then the check rightly passes, and the bug is counted as harmless.
#pragma once

#include <string>
#include <vector>

#include "autograd/cases/cases.h"
#include "autograd/gradcheck.h"
#include "nn/train/progress.h"

namespace heed {

inline constexpr Fault kBugs[] = {Fault::sign, Fault::missing, Fault::twice, Fault::mean, Fault::transpose};

struct Census {
  struct Row {
    std::string operation;
    int64_t cases = 0, numbers = 0, bugs_named = 0;  // how many of the five bugs are named in at least one case
    double worst = 0;                                // largest relative error without a bug
  };
  std::vector<Row> rows;
  int64_t cases = 0, numbers = 0, accused = 0;  // accused: cases that are reported although there is no bug
  int64_t caught = 0, named = 0, harmless = 0;  // planted bugs
  int64_t bugs_named = 0;                       // sum over the rows
  double worst = 0;
};

// `every` = n: bugs are planted in every n-th case of an operation, beginning with the first.
inline Census check_every_operation(const GradcheckOptions& options, size_t every) {
  Census c;
  std::vector<CaseRow> table = operation_cases();
  nn::Progress progress(std::ssize(table), {.label = "operation", .unit = "numbers"});
  for (const CaseRow& operation : table) {
    Census::Row row{.operation = operation.name, .cases = std::ssize(operation.cases)};
    bool found[std::size(kBugs)] = {};
    for (size_t i = 0; i < operation.cases.size(); ++i) {
      const Case& one = operation.cases[i];
      GradcheckReport r = gradcheck(one.f, one.leaves(), options);
      row.worst = std::max(row.worst, r.max_relative_error);
      row.numbers += r.compared;
      c.accused += !r.passed;
      for (size_t bug = 0; bug < std::size(kBugs) && i % every == 0; ++bug) {
        r = gradcheck(plant_fault(one.f, kBugs[bug]), one.leaves(), options);
        bool named = r.fault == kBugs[bug];
        ++(r.passed ? c.harmless : c.caught);
        c.named += named;
        found[bug] = found[bug] || named;
      }
    }
    for (bool f : found) row.bugs_named += f;
    c.bugs_named += row.bugs_named;
    c.worst = std::max(c.worst, row.worst);
    c.cases += row.cases;
    c.numbers += row.numbers;
    progress.step({.items = row.numbers});
    c.rows.push_back(row);
  }
  return c;
}

}  // namespace heed
