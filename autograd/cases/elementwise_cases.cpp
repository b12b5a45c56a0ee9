// Cases of arithmetic, masks and the functions of tensor/functions.h. Those of a function follow from its row of the
// table: every usual shape, each of the parameters to try it with, at inputs where it is smooth.
#include <fmt/format.h>

#include <cmath>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;
const char* const kTies = "no element of one input comes nearer than 0.1 to the other's";
const char* const kPositive = "arguments of at least 0.5";

Tensor off_halves(const Shape& shape, uint64_t number) { return add(off_integers(shape, number), 0.5); }
struct Inputs {
  Sampler sampler;
  const char* note;
};
Inputs inputs_of(elementwise_table::Smooth smooth) {
  switch (smooth) {
    case elementwise_table::Smooth::everywhere:
      return {anywhere, ""};
    case elementwise_table::Smooth::positive:
      return {positive, kPositive};
    case elementwise_table::Smooth::off_integers:
      return {off_integers, "at least 0.1 from every integer, so from the corners"};
    case elementwise_table::Smooth::between_integers:
      return {off_integers, "at least 0.1 from every jump"};
    default:
      return {off_halves, "at least 0.1 from every jump"};
  }
}

void extend(CaseRow& row, const std::vector<BaseCase>& more) {
  for (Case& c : over_layouts(more)) row.cases.push_back(std::move(c));
}
CaseRow extended(CaseRow row, const std::vector<BaseCase>& more) {
  extend(row, more);
  return row;
}

// The rows of the table, in its order.
std::vector<CaseRow> function_rows() {
  std::vector<CaseRow> rows;
  for (const ElementwiseTrial& f : elementwise_trials()) {
    if (rows.empty() || rows.back().name != f.name) rows.push_back(operation(f.name, {}));
    auto [sampler, note] = inputs_of(f.smooth);
    std::string prefix = f.has_parameters ? fmt::format("({}, {}) ", f.p.a, f.p.b) : "";
    extend(rows.back(), each_shape(
                            usual_shapes(), [f](In in) { return f(in[0]); }, sampler, note, prefix));
    // A step function has the gradient 0, and 0 times a wrong factor is still 0, so f(x) x^2 is checked too.
    if (f.smooth == elementwise_table::Smooth::between_integers ||
        f.smooth == elementwise_table::Smooth::between_halves) {
      extend(rows.back(),
             each_shape(
                 usual_shapes(), [f](In in) { return f(in[0]) * square(in[0]); }, sampler, note, "times x^2 "));
      rows.back() = without(Seam::infinite, "where a step is 0 the case is a product with 0", rows.back());
    }
  }
  return rows;
}

BaseCase with(const std::string& label, const std::vector<Shape>& shapes, const GradcheckFunction& f) {
  return {.label = label, .shapes = shapes, .f = f};
}

Tensor checkerboard(const Shape& shape) {  // bool: every second element
  std::vector<int> bits(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<int>(i % 2);
  return Tensor::from_bools(bits, shape);
}

CaseRow choice() {  // where: the mask may be smaller or larger than the values
  std::vector<BaseCase> bases;
  auto choose = [&](const std::vector<Shape>& pair, const Shape& masked, const std::string& label) {
    Tensor mask = checkerboard(masked);
    bases.push_back(with(label, pair, [mask](In in) { return where(mask, in[0], in[1]); }));
    bases.back().constants = {mask};
  };
  for (const auto& pair : broadcasting_pairs())
    choose(pair, broadcast_shape("where", pair[0], pair[1]), to_string(pair[0]) + " " + to_string(pair[1]));
  choose({{2, 3}, {2, 3}}, {2, 1}, "mask [2, 1] of [2, 3]");
  choose({{3}, {}}, {2, 3}, "mask [2, 3] of [3] and []");
  return operation("where", bases);
}

CaseRow fill() {
  std::vector<BaseCase> bases;
  auto filled = [&](const Shape& shape, const Shape& masked, double value) {
    Tensor mask = checkerboard(masked);
    std::string label = shape == masked ? to_string(shape) : "mask " + to_string(masked) + " of " + to_string(shape);
    bases.push_back(with(label, {shape}, [=](In in) { return masked_fill(in[0], mask, value); }));
    bases.back().constants = {mask};
  };
  for (const Shape& shape : usual_shapes()) filled(shape, shape, 1.5);
  filled({3}, {2, 3}, 0);
  filled({2, 3}, {2, 1}, 0);
  bases.push_back(with("-inf under an exponential", {{2, 3}}, [](In in) {
    return exp(masked_fill(in[0], checkerboard({2, 3}), -INFINITY));
  }));
  return operation("masked_fill", bases);
}

CaseRow dropping() {
  auto dropped = [](const Variable& x, double p) {
    Generator rng(7);
    return dropout(x, p, rng);
  };
  auto bases = each_shape(usual_shapes(), [dropped](In in) { return dropped(in[0], 0.4); });
  for (double p : {0.0, 1.0})
    bases.push_back(with("p " + std::to_string(p), {{2, 3}}, [dropped, p](In in) { return dropped(in[0], p); }));
  bases.push_back(with("between products", {{2, 3}}, [dropped](In in) { return square(dropped(square(in[0]), 0.4)); }));
  return without(Seam::infinite, "what is dropped is multiplied by 0, and 0 times infinity is NaN, as in PyTorch",
                 operation("dropout", bases));
}

}  // namespace

std::vector<CaseRow> elementwise_cases() {
  auto scalars = [](const GradcheckFunction& f, Sampler sampler = anywhere, const char* note = "") {
    return each_shape({{}, {4}, {2, 3}, {0}}, f, sampler, note, "scalars and ");
  };
  std::vector<CaseRow> rows = function_rows();
  for (CaseRow& row : rows)
    if (row.name == "pow") {
      extend(row, each_pair(pow, positive, kPositive));
      extend(row, {with("negative base ^ 3", {{2, 3}}, [](In in) { return pow(in[0], 3); })});
    }
  rows.push_back(extended(operation("add", each_pair(add)), scalars([](In in) { return 2 + (in[0] + 1.5); })));
  rows.push_back(extended(operation("sub", each_pair(sub)), scalars([](In in) { return 2 - (in[0] - 1.5); })));
  rows.push_back(extended(operation("mul", each_pair(mul)), scalars([](In in) { return 2 * (in[0] * 1.5); })));
  extend(rows.back(), {with("x x through one handle", {{2, 3}}, [](In in) { return in[0] * in[0]; })});
  rows.push_back(extended(operation("div", each_pair(div, positive, kPositive)),
                          scalars([](In in) { return 2 / (in[0] / 1.5); }, positive, kPositive)));
  rows.push_back(operation("maximum", each_pair(maximum, all_distinct, kTies)));
  rows.push_back(operation("minimum", each_pair(minimum, all_distinct, kTies)));
  rows.push_back(choice());
  rows.push_back(fill());
  rows.push_back(dropping());
  return rows;
}

}  // namespace heed
