// heed gradcheck: is every derivative right? Each operation and module of the case table against central differences.
//
//   heed gradcheck                          one line per row: worst first- and second-order error
//   heed gradcheck operation                the same for the operations alone; module: for the modules alone
//   heed gradcheck matmul                   one line per case
//   heed gradcheck matmul --jacobian        first, analytic, numeric and their difference, as matrices
//   heed gradcheck matmul --plant twice     with a fault in the gradient: what does the check say?
//
// Exit code 0: all right, or the planted fault was caught and named. 1: an error beyond the tolerance, or a fault
// missed.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "nn/cases/cases.h"
#include "nn/io/console.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/report/terminal.h"

namespace heed::app {
namespace {

using report::print;

std::string error_text(double e) { return e == 0 ? "0" : fmt::format("{:.1e}", e); }
bool second_order(const CaseRow& row) { return row.second_order == CaseRow::full; }
std::string status(const CaseRow& row, const RowReport& r) {
  return !r.passed ? "fail" : second_order(row) ? "pass" : "first_order_only";
}

io::Json to_json(const CaseRow& row, const RowReport& r) {
  return io::Json::object({{"name", row.name},
                           {"kind", row.kind},
                           {"cases", row.cases.size()},
                           {"max_rel_error", r.worst_first},
                           {"second_order_max_rel_error", second_order(row) ? io::Json(r.worst_second) : io::Json()},
                           {"status", status(row, r)}});
}

// The errors, one line per case.
void print_failures(const CaseRow& row, const RowReport& r) {
  for (const CaseReport& c : r.cases) {
    if (!c.first.passed) tell("\n{} {}\n{}\n", row.name, c.at->label, to_string(c.first));
    if (!c.second.passed) tell("\n{} {}, second order\n{}\n", row.name, c.at->label, to_string(c.second));
  }
}

void print_rows(const std::vector<CaseRow>& rows, const std::vector<RowReport>& reports) {
  std::vector<std::vector<std::string>> cells;
  size_t cases = 0, failed = 0;
  int64_t numbers = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowReport& r = reports[i];
    cells.push_back({rows[i].name, rows[i].kind, std::to_string(rows[i].cases.size()), error_text(r.worst_first),
                     second_order(rows[i]) ? error_text(r.worst_second) : "-", status(rows[i], r)});
    cases += rows[i].cases.size();
    failed += !r.passed;
    for (const CaseReport& c : r.cases) numbers += c.first.compared + c.second.compared;
  }
  using report::Align;
  print(report::table({"name", "kind", "cases", "error, first order", "error, second order", "status"}, cells,
                      io::console(1),
                      {Align::left, Align::left, Align::right, Align::right, Align::right, Align::left}));
  tell(
      "\n{} rows, {} cases, {} derivatives against differences; errors are relative; tolerance {:g} and, second order, "
      "{:g}: {}\n",
      rows.size(), cases, numbers, kFirstOrderTolerance, kSecondOrderTolerance,
      failed ? fmt::format("{} rows fail", failed) : std::string("all pass"));
  for (size_t i = 0; i < rows.size(); ++i) print_failures(rows[i], reports[i]);
}

void print_cases(const CaseRow& row, const RowReport& r) {
  std::vector<std::vector<std::string>> cells;
  for (const CaseReport& c : r.cases)
    cells.push_back({c.at->label, std::to_string(c.first.compared + c.second.compared),
                     error_text(c.first.max_relative_error),
                     second_order(row) ? error_text(c.second.max_relative_error) : "-",
                     c.first.passed && c.second.passed ? "pass" : "fail"});
  using report::Align;
  print(report::table({row.name, "derivatives", "error, first order", "error, second order", "status"}, cells,
                      io::console(1), {Align::left, Align::right, Align::right, Align::right, Align::left}));
  tell("\nErrors are relative; tolerance {:g} and, second order, {:g}.\n", kFirstOrderTolerance, kSecondOrderTolerance);
  std::string note;
  for (const Case& c : row.cases) note = c.note.empty() ? note : c.note;
  if (!note.empty()) tell("\nInputs: {}.\n", note);
  if (!row.reason.empty()) tell("\nNo second order: {}.\n", row.reason);
  print_failures(row, r);
}

report::Matrix matrix_of(const Tensor& t) {
  return {static_cast<size_t>(t.size(0)), static_cast<size_t>(t.size(1)), t.to_vector()};
}

void print_jacobian(const std::string& name, const Case& c, const GradcheckFunction& f) {
  tell("The Jacobian of {}, {}: by automatic differentiation, by central differences, and their difference\n\n", name,
       c.label);
  GradcheckReport r = gradcheck(f, c.leaves(), {.method = GradcheckOptions::jacobian});
  std::vector<Tensor> leaves = c.leaves();
  for (size_t i = 0; i < r.jacobians.size(); ++i) {
    report::Matrix analytic = matrix_of(r.jacobians[i].analytic), numeric = matrix_of(r.jacobians[i].numeric);
    report::Matrix difference = analytic;
    for (size_t e = 0; e < difference.values.size(); ++e) difference.values[e] -= numeric.values[e];
    tell("d output / d input {} {}: one row per output, one column per element of the input\n\n", i,
         to_string(leaves[i].shape()));
    print(report::matrix_with_numbers({{"analytic", analytic}, {"numeric", numeric}, {"difference", difference}},
                                      io::console(1)));
    fmt::print("\n");
  }
  if (r.jacobians.empty()) tell("No matrix to draw: the engine refused the gradient.\n\n");
}

// The case with the smallest Jacobian that has at least two rows and two columns, and four entries.
const Case& case_to_draw(const CaseRow& row) {
  const Case* best = &row.cases.front();
  int64_t fewest = INT64_MAX;
  for (const Case& c : row.cases) {
    std::vector<Tensor> leaves = c.leaves();
    std::vector<Variable> inputs(leaves.begin(), leaves.end());
    int64_t outputs = c.f(inputs).count(), entries = outputs * leaves[0].count();
    if (outputs < 2 || leaves[0].count() < 2 || entries < 4 || entries >= fewest) continue;
    fewest = entries;
    best = &c;
  }
  return *best;
}

Fault fault_of(const std::string& word) {
  for (Fault f : {Fault::sign, Fault::missing, Fault::twice, Fault::mean, Fault::transpose})
    if (word == name_of(f)) return f;
  return Fault::none;
}

// With a fault in the gradients of every input: is it caught and named?
int show_planted(const std::vector<CaseRow>& rows, Fault fault, bool jacobian) {
  size_t missed = 0;
  for (const CaseRow& row : rows) {
    PlantedFault planted = plant_in(row, fault);
    if (jacobian) print_jacobian(row.name, *planted.at, plant_fault(planted.at->f, fault));
    tell("{} {} with \"{}\" planted: {}\n{}\n", row.name, planted.at->label, name_of(fault),
         planted.named           ? "caught and named"
         : planted.report.passed ? "NOT CAUGHT"
                                 : "caught, NOT named",
         to_string(planted.report));
    if (rows.size() > 1) fmt::print("\n");
    missed += !planted.named;
  }
  if (rows.size() > 1) tell("{} of {} caught and named\n", rows.size() - missed, rows.size());
  return missed ? 1 : 0;
}

std::vector<CaseRow> rows_named(const std::string& name) {
  std::vector<CaseRow> all = all_cases(), chosen;
  if (name.empty()) return all;
  std::vector<std::string> names;
  for (CaseRow& row : all) {
    names.push_back(row.name);
    if (row.name == name || row.kind == name) chosen.push_back(std::move(row));
  }
  if (!chosen.empty()) return chosen;
  std::string hint = nearest(name, names);
  throw InputError(fmt::format("gradcheck: NAME must be an operation or a module of the table; got \"{}\"; {}", name,
                               hint.empty() ? "heed gradcheck lists them" : "the nearest is " + hint));
}

}  // namespace

int gradcheck_main(int argc, char** argv) {
  std::string name, plant, json;
  bool jacobian = false;
  Options options("heed gradcheck", "Checks every derivative against central differences, in double precision.");
  options.positional(
      "NAME", &name,
      "show one operation or module, case by case; \"operation\" or \"module\": one line for each of that "
      "kind; default: all of them");
  options.flag("--jacobian", &jacobian,
               "show the analytic Jacobian, the numeric one and their difference for one small case");
  options.add("--plant", &plant, "plant this fault in the gradient, to see whether the check finds and names it")
      .one_of({"sign", "missing", "twice", "mean", "transpose"});
  options.add("--json", &json, "write the results as JSON to the file F").placeholder("F");
  options.parse(argc, argv);
  if (jacobian && name.empty()) throw InputError("gradcheck: --jacobian needs a NAME; got none");
  if (!plant.empty() && !json.empty()) throw InputError("gradcheck: --json is for true gradients; got --plant as well");

  std::vector<CaseRow> rows = rows_named(name);
  const bool kind = !name.empty() && name == rows.front().kind;
  if (jacobian && kind)
    throw InputError(fmt::format("gradcheck: --jacobian needs the NAME of one row; got \"{}\"", name));
  if (!plant.empty()) return show_planted(rows, fault_of(plant), jacobian);

  std::optional<io::AtomicFile> file;  // opened before the work: a name that cannot be written is no reason to wait
  if (!json.empty()) file.emplace(json);
  if (jacobian) {
    const Case& c = case_to_draw(rows.front());
    print_jacobian(rows.front().name, c, c.f);
  }
  std::vector<RowReport> reports;
  io::Json results = io::Json::array();
  bool passed = true;
  for (const CaseRow& row : rows) {
    reports.push_back(check(row));
    passed = passed && reports.back().passed;
    results.push(to_json(row, reports.back()));
  }
  if (name.empty() || kind)
    print_rows(rows, reports);
  else
    for (size_t i = 0; i < rows.size(); ++i) print_cases(rows[i], reports[i]);
  if (file) {
    file->write(results.dump(2) + "\n");
    file->commit();
  }
  return passed ? 0 : 1;
}

}  // namespace heed::app
