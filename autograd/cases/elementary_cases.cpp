// Cases of autograd/ops_elementary.h: every function at every usual shape.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

CaseRow unary(const std::string& name, Variable (*f)(const Variable&), Sampler sampler = anywhere,
              const std::string& note = {}) {
  return operation(name, each_shape(
                             usual_shapes(), [f](const std::vector<Variable>& in) { return f(in[0]); }, sampler, note));
}

Tensor off_halves(const Shape& shape, uint64_t number) { return add(off_integers(shape, number), 0.5); }

// Alone its slope is 0, and 0 is what a faulty gradient times 0 gives too: so also with a factor that has a slope.
CaseRow step(const std::string& name, Variable (*f)(const Variable&), Sampler sampler) {
  const char* note = "at least 0.1 from every jump";
  CaseRow row = unary(name, f, sampler, note);
  for (Case& c : over_layouts(each_shape(
           usual_shapes(), [f](const std::vector<Variable>& in) { return f(in[0]) * square(in[0]); }, sampler, note,
           "times x^2 ")))
    row.cases.push_back(std::move(c));
  return row;
}

}  // namespace

std::vector<CaseRow> elementary_cases() {
  const char* note = "arguments of at least 0.5";
  return {unary("sin", sin),
          unary("cos", cos),
          unary("erf", erf),
          unary("expm1", expm1),
          unary("log1p", log1p, positive, note),
          unary("rsqrt", rsqrt, positive, note),
          unary("reciprocal", reciprocal, positive, note),
          step("sign", sign, off_integers),
          step("floor", floor, off_integers),
          step("round", round, off_halves)};
}

}  // namespace heed
