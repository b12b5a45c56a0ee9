// The operation of CONTRIBUTING.md, "How to add an operation": softsign(x) = x / (1 + |x|). Built with the two blocks
// of that page in the table, it computes what its formula says, its row of the case table passes the gradient check in
// both orders, and each fault planted in it is caught. tests/autograd/table_test.cpp, in the same program, holds the
// table together; the rows of all other operations are walked by autograd.gradcheck.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/cases/cases.h"

using namespace heed;

namespace {

CaseRow row_named(const std::string& name) {
  for (CaseRow& row : operation_cases())
    if (row.name == name) return std::move(row);
  return {};
}
CaseRow added() { return row_named("softsign"); }

}  // namespace

TEST_CASE("readme: the operation does what it says, on numbers of both types") {
  for (DType dtype : {DType::f64, DType::f32}) {
    Tensor x = Tensor::from(std::vector<double>{-3, -0.5, 0, 0.25, 7}, {5}).to(dtype);
    std::vector<double> y = softsign(Variable(x)).value().to_vector(), given = x.to_vector();
    for (size_t i = 0; i < y.size(); ++i)
      CHECK(y[i] == doctest::Approx(given[i] / (1 + std::abs(given[i]))).epsilon(dtype == DType::f64 ? 1e-15 : 1e-6));
  }
}

TEST_CASE("readme: the operation has a row in the case table, of every shape and layout") {
  CaseRow row = added(), known = row_named("tanh");
  CHECK(row.second_order == CaseRow::full);
  REQUIRE(known.cases.size() > 20);
  REQUIRE(row.cases.size() == known.cases.size());
  for (size_t i = 0; i < row.cases.size(); ++i) CHECK(row.cases[i].label == known.cases[i].label);
}

TEST_SUITE("gradcheck") {
  TEST_CASE("readme: the gradients of the operation, first and second order") {
    const CaseRow row = added();
    const RowReport report = check(row);
    REQUIRE(!report.cases.empty());
    for (const CaseReport& r : report.cases) {
      CHECK_MESSAGE(r.first.passed, r.at->label << ": " << to_string(r.first));
      CHECK_MESSAGE(r.second.passed, r.at->label << ", second order: " << to_string(r.second));
      CHECK(gradcheck(r.at->f, r.at->leaves(), {.method = GradcheckOptions::directions}).passed);
    }
  }

  TEST_CASE("readme: every fault planted in the operation is caught and named") {
    CaseRow row = added();
    REQUIRE(!row.cases.empty());
    for (Fault fault : {Fault::sign, Fault::missing, Fault::twice, Fault::mean, Fault::transpose}) {
      PlantedFault planted = plant_in(row, fault);
      CHECK_MESSAGE(planted.named, name_of(fault) << ": " << to_string(planted.report));
    }
    for (Fault fault : {Fault::sign, Fault::missing, Fault::twice})
      CHECK(plant_in(row, fault, {.method = GradcheckOptions::directions}).named);
  }
}
