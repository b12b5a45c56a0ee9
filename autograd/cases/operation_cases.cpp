#include "autograd/cases/cases.h"

#include <algorithm>

namespace heed {

std::vector<CaseRow> operation_cases() {
  std::vector<CaseRow> rows;
  for (auto family : {elementwise_cases, index_cases, loss_cases, matmul_cases, norm_cases, reduce_cases, shape_cases,
                      softmax_cases, tiled_cases, checkpoint_cases})
    for (CaseRow& row : family()) rows.push_back(std::move(row));
  return rows;
}

RowReport check(const CaseRow& row, GradcheckOptions::Method method) {
  RowReport report;
  for (const Case& c : row.cases) {
    CaseReport r{
        &c,
        gradcheck(c.f, c.leaves(), {.method = method, .tolerance = kFirstOrderTolerance, .directions_per_input = 2}),
        {}};
    if (row.second_order == CaseRow::full)
      r.second = gradgradcheck(c.f, c.leaves(),
                               {.method = method, .tolerance = kSecondOrderTolerance, .directions_per_input = 1});
    report.worst_first = std::max(report.worst_first, r.first.max_relative_error);
    report.worst_second = std::max(report.worst_second, r.second.max_relative_error);
    report.passed = report.passed && r.first.passed && r.second.passed;
    report.cases.push_back(std::move(r));
  }
  return report;
}

PlantedFault plant_in(const CaseRow& row, Fault fault, const GradcheckOptions& options) {
  auto side_of = [](const Case* c) {  // of a square matrix; all others come last
    Shape s = c->leaves()[0].shape();
    return s.rank() == 2 && s[0] == s[1] && s[0] > 1 ? s[0] : INT64_MAX;
  };
  std::vector<const Case*> order;
  for (const Case& c : row.cases) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return side_of(a) < side_of(b); });
  PlantedFault first;
  for (const Case* c : order) {
    PlantedFault tried{c, gradcheck(plant_fault(c->f, fault), c->leaves(), options)};
    tried.named = !tried.report.passed && tried.report.fault == fault;
    if (tried.named) return tried;
    if (!first.at || (first.report.passed && !tried.report.passed)) first = std::move(tried);
  }
  return first;
}

}  // namespace heed
