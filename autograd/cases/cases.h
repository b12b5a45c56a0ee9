// The case table: every differentiable operation with inputs to try it on.
//
// One row per operation. The same table drives the forward test (views give what contiguous copies give), the gradient
// check, the second-order check and `./heed gradcheck`. A row is data: a function from leaves to a value and a seeded
// maker of those leaves. A test compares the names with the public declarations, so an operation without a row is
// found.
//
//   {"tanh", "operation", over_layouts({.label = "[2, 3]", .shapes = {{2, 3}}, .f = ...})}
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace heed {

struct Case {
  std::string label;                            // "[2, 3] transposed"
  std::function<std::vector<Tensor>()> leaves;  // f64, contiguous, the same at every call
  GradcheckFunction f;                          // from leaves to a value: views first, then the operation
  GradcheckFunction plain = {};        // the same with contiguous copies of the views; undefined where there are none
  std::string note = {};               // how the inputs keep away from points that are not smooth
  std::vector<Tensor> constants = {};  // masks, indices, targets, weights that f was given beside the leaves
};

// Where an operation meets the rest of a program (tests/autograd/seams_test.cpp).
enum class Seam { infinite, alias, overwrite, thread, integer };

struct CaseRow {
  std::string name;  // as declared
  std::string kind;  // "operation" or "module"
  std::vector<Case> cases;
  enum SecondOrder { full, first_order_only } second_order = full;
  std::string reason = {};                                 // why not full
  std::vector<std::pair<Seam, std::string>> without = {};  // the seams that it cannot pass, and why
};

// The check of a row over all its cases, at the tolerances that every row is held to.
constexpr double kFirstOrderTolerance = 1e-6, kSecondOrderTolerance = 1e-5;
struct CaseReport {
  const Case* at = nullptr;
  GradcheckReport first, second;  // second is empty for rows of first order only
};
struct RowReport {
  std::vector<CaseReport> cases;
  double worst_first = 0, worst_second = 0;
  bool passed = true;
};
// Checking element by element takes long; a random direction covers all elements of an input at once.
RowReport check(const CaseRow& row, GradcheckOptions::Method method = GradcheckOptions::elements);

// A fault planted in the gradients of a row (gradcheck.h), and the first case in which the check fails and names it.
// Small square matrices come first: there a wrong transpose has the right shape, and only its numbers are wrong. If no
// case names it, `named` is false and the report is that of the first case that fails, or of the first case.
struct PlantedFault {
  const Case* at = nullptr;
  GradcheckReport report;
  bool named = false;
};
PlantedFault plant_in(const CaseRow& row, Fault fault, const GradcheckOptions& options = {});

std::vector<CaseRow> operation_cases();  // all of autograd/ops_*.h

// The families, one file each.
std::vector<CaseRow> checkpoint_cases();
std::vector<CaseRow> elementwise_cases();
std::vector<CaseRow> index_cases();
std::vector<CaseRow> loss_cases();
std::vector<CaseRow> matmul_cases();
std::vector<CaseRow> norm_cases();
std::vector<CaseRow> reduce_cases();
std::vector<CaseRow> shape_cases();
std::vector<CaseRow> softmax_cases();
std::vector<CaseRow> tiled_cases();

}  // namespace heed
