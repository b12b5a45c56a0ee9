// Cases of autograd/ops_arithmetic.h: every function at every usual shape, every pair over all broadcasts.
#include <fmt/format.h>

#include <cmath>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

// A function of one argument.
CaseRow unary(const std::string& name, Variable (*f)(const Variable&), Sampler sampler = anywhere,
              const std::string& note = {}) {
  return operation(name, each_shape(
                             usual_shapes(), [f](In in) { return f(in[0]); }, sampler, note));
}

CaseRow extended(CaseRow row, const std::vector<BaseCase>& more) {
  for (Case& c : over_layouts(more)) row.cases.push_back(std::move(c));
  return row;
}

BaseCase with(const std::string& label, const std::vector<Shape>& shapes, const GradcheckFunction& f,
              Sampler sampler = anywhere, const std::string& note = {}) {
  return {.label = label, .shapes = shapes, .f = f, .sampler = sampler, .note = note};
}

const char* const kTies = "no element of one input comes nearer than 0.1 to the other's";
const char* const kInteger = "at least 0.1 from every integer, so from the corners at -1, 0 and 1";
const char* const kPositive = "arguments of at least 0.5";

Tensor checkerboard(const Shape& shape) {  // bool: every second element
  std::vector<int> bits(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<int>(i % 2);
  return Tensor::from_bools(bits, shape);
}

CaseRow power() {
  CaseRow row = operation("pow", {});
  for (double p : {-1.0, 0.0, 0.5, 1.0, 2.0, 2.7})
    row = extended(std::move(row), each_shape(
                                       {{}, {4}, {2, 3}, {0}}, [p](In in) { return pow(in[0], p); }, positive,
                                       kPositive, fmt::format("^ {} of ", p)));
  row = extended(std::move(row), each_pair(pow, positive, kPositive));
  return extended(std::move(row), {with("negative base ^ 3", {{2, 3}}, [](In in) { return pow(in[0], 3); })});
}

CaseRow choice() {  // where: the mask may be smaller or larger than the values
  std::vector<BaseCase> bases;
  for (const auto& pair : broadcasting_pairs())
    bases.push_back(with(to_string(pair[0]) + " " + to_string(pair[1]), pair, [](In in) {
      return where(checkerboard(broadcast_shape("where", in[0].shape(), in[1].shape())), in[0], in[1]);
    }));
  bases.push_back(with("mask [2, 1] of [2, 3]", {{2, 3}, {2, 3}}, [](In in) {
    return where(checkerboard({2, 1}), in[0], in[1]);
  }));
  bases.push_back(with("mask [2, 3] of [3] and []", {{3}, {}}, [](In in) {
    return where(checkerboard({2, 3}), in[0], in[1]);
  }));
  return operation("where", bases);
}

CaseRow fill() {
  auto bases = each_shape(usual_shapes(), [](In in) { return masked_fill(in[0], checkerboard(in[0].shape()), 1.5); });
  bases.push_back(with("mask [2, 3] of [3]", {{3}}, [](In in) { return masked_fill(in[0], checkerboard({2, 3}), 0); }));
  bases.push_back(with("mask [2, 1] of [2, 3]", {{2, 3}}, [](In in) {
    return masked_fill(in[0], checkerboard({2, 1}), 0);
  }));
  bases.push_back(with("-inf under an exponential", {{2, 3}}, [](In in) {
    return exp(masked_fill(in[0], checkerboard({2, 3}), -INFINITY));
  }));
  return operation("masked_fill", bases);
}

CaseRow dropping() {
  auto bases = each_shape(usual_shapes(), [](In in) {
    Generator rng(7);
    return dropout(in[0], 0.4, rng);
  });
  for (double p : {0.0, 1.0})
    bases.push_back(with("p " + std::to_string(p), {{2, 3}}, [p](In in) {
      Generator rng(7);
      return dropout(in[0], p, rng);
    }));
  bases.push_back(with("between products", {{2, 3}}, [](In in) {
    Generator rng(7);
    return square(dropout(square(in[0]), 0.4, rng));
  }));
  return operation("dropout", bases);
}

}  // namespace

std::vector<CaseRow> arithmetic_cases() {
  const std::vector<Shape> few = {{}, {4}, {2, 3}, {0}};
  return {
      extended(operation("add", each_pair(add)),
               each_shape(
                   few, [](In in) { return 2 + (in[0] + 1.5); }, anywhere, {}, "scalars and ")),
      extended(operation("sub", each_pair(sub)),
               each_shape(
                   few, [](In in) { return 2 - (in[0] - 1.5); }, anywhere, {}, "scalars and ")),
      extended(extended(operation("mul", each_pair(mul)),
                        each_shape(
                            few, [](In in) { return 2 * (in[0] * 1.5); }, anywhere, {}, "scalars and ")),
               {with("x x through one handle", {{2, 3}}, [](In in) { return in[0] * in[0]; })}),
      extended(operation("div", each_pair(div, positive, kPositive)),
               each_shape(
                   few, [](In in) { return 2 / (in[0] / 1.5); }, positive, kPositive, "scalars and ")),
      operation("maximum", each_pair(maximum, all_distinct, kTies)),
      operation("minimum", each_pair(minimum, all_distinct, kTies)),
      power(),
      unary("neg", neg),
      unary("abs", abs, off_integers, kInteger),
      unary("square", square),
      unary("exp", exp),
      unary("log", log, positive, kPositive),
      unary("sqrt", sqrt, positive, kPositive),
      unary("tanh", tanh),
      unary("sigmoid", sigmoid),
      unary("relu", relu, off_integers, kInteger),
      operation("clamp", each_shape(
                             usual_shapes(), [](In in) { return clamp(in[0], -1, 1); }, off_integers, kInteger)),
      choice(),
      fill(),
      dropping(),
  };
}

}  // namespace heed
