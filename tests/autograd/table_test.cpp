// The case table: its rows are complete, strided views give what their copies give (operations and modules), and the
// gradients of every operation are right, first and second order. The gradients of the modules, the larger part of the
// table, are walked once as well, by nn.gradcheck (tests/nn/attention/catalogue_test.cpp).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "nn/cases/cases.h"
#include "tensor/elementwise.h"
#include "tests/source_dir.h"

using namespace heed;

namespace {

// The rest of the line after the first of the prefixes that it begins with; "" if there is none. By hand, since
// std::regex draws false warnings from GCC 12 under sanitizers.
std::string after(const std::string& line, const std::vector<std::string>& prefixes) {
  for (const std::string& p : prefixes)
    if (line.rfind(p, 0) == 0) return line.substr(p.size());
  return {};
}

// Names of the functions that a header declares to return one or several Variables, or values with their order.
// Operators and the functions that write in place (their names end in _) are not operations of the table.
std::set<std::string> declared_operations(const std::string& header) {
  std::ifstream file(source_dir() + "/" + header);
  REQUIRE(file.good());
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (std::string rest = after(line, {"inline "}); !rest.empty()) line = rest;
    std::string rest = after(line, {"Variable ", "std::vector<Variable> ", "Sorted "});
    if (line.find("(const Array auto& x") != std::string::npos) rest = after(line, {"auto "});  // tensor/functions.h
    std::string name = rest.substr(0, rest.find('('));
    if (name.size() == rest.size() || name.rfind("operator", 0) == 0 || name.back() == '_') continue;
    names.insert(name);
  }
  return names;
}

// ./heed gradcheck looks at each element, as ./heed test --exhaustive does.
GradcheckOptions::Method method_of_tests() {
  return std::getenv("HEED_EXHAUSTIVE") ? GradcheckOptions::elements : GradcheckOptions::directions;
}

}  // namespace

TEST_CASE("case table: every declared operation has a row, and every row an operation") {
  std::set<std::string> declared, rows;
  std::ifstream umbrella(source_dir() + "/autograd/ops.h");
  for (std::string line; std::getline(umbrella, line);)
    if (std::string rest = after(line, {"#include \""}); !rest.empty())
      for (const std::string& name : declared_operations(rest.substr(0, rest.find('"')))) declared.insert(name);
  for (const CaseRow& row : operation_cases()) {
    CHECK_MESSAGE(rows.insert(row.name).second, row.name << " has two rows");
    CHECK_MESSAGE(declared.count(row.name), row.name << " is not declared in a header of autograd/ops.h");
  }
  CHECK(declared.size() > 40);
  for (const std::string& name : declared) CHECK_MESSAGE(rows.count(name), name << " has no row in autograd/cases");
}

TEST_CASE("case table: rows are complete") {
  for (const CaseRow& row : all_cases()) {
    CAPTURE(row.name);
    CHECK((row.kind == "operation" || row.kind == "module"));
    CHECK(!row.cases.empty());
    CHECK((row.second_order == CaseRow::full) == row.reason.empty());
    std::set<std::string> labels;
    for (const Case& c : row.cases) CHECK_MESSAGE(labels.insert(c.label).second, c.label << " twice");
  }
}

TEST_CASE("case table: a strided view gives what its contiguous copy gives") {
  for (const CaseRow& row : all_cases())
    for (const Case& c : row.cases) {
      if (!c.plain) continue;
      CAPTURE(row.name);
      CAPTURE(c.label);
      for (DType dtype : {DType::f64, DType::f32}) {
        std::vector<Variable> leaves;
        for (const Tensor& t : c.leaves()) leaves.emplace_back(t.to(dtype));
        if (dtype == DType::f32 && row.name == "embedding") continue;  // one of its cases multiplies by f64 weights
        Tensor views = c.f(leaves).value(), copies = c.plain(leaves).value();
        CHECK(bit_equal(views, copies));
      }
    }
}

TEST_SUITE("gradcheck") {
  TEST_CASE("case table: operations, first and second order") {
    double first = 0, second = 0;
    for (const CaseRow& row : operation_cases()) {
      RowReport report = check(row, method_of_tests());
      REQUIRE(report.cases.size() == row.cases.size());
      for (const CaseReport& r : report.cases) {
        CHECK_MESSAGE(r.first.passed, row.name << " " << r.at->label << ": " << to_string(r.first));
        CHECK_MESSAGE(r.second.passed, row.name << " " << r.at->label << ", second order: " << to_string(r.second));
      }
      CHECK(report.passed);
      first = std::max(first, report.worst_first);
      second = std::max(second, report.worst_second);
    }
    CHECK(first <= kFirstOrderTolerance);
    CHECK(second <= kSecondOrderTolerance);
    MESSAGE(fmt::format("worst relative error: first order {:.1e}, second order {:.1e}", first, second));
  }

  TEST_CASE("case table: a row with a fault fails") {
    CaseRow row = operation_cases()[0];
    for (Case& c : row.cases) c.f = plant_fault(c.f, Fault::sign);
    CHECK_FALSE(check(row).passed);
  }
}
