// Builds gradient-check cases from a module. The leaves are the data and then the parameters, in the order of visit:
//
//   module_case<Linear>("[2, 3]", {.in = 3, .out = 4}, {{2, 3}},
//                       [](Linear& m, In in) { return m(in[0]); })
//
// The module is created again for every evaluation, with the leaves as its parameters and its generators at their
// initial state. So dropout draws the same mask each time, and the function has a derivative.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/ops.h"
#include "nn/cases/cases.h"
#include "nn/module.h"

namespace heed::nn {

using In = const std::vector<Variable>&;

// Replaces the parameters by in[first], in[first + 1], ...
class Binder final : public Visitor {
 public:
  Binder(In in, size_t first) : in_(in), next_(first) {}
  void parameter(std::string_view, Variable& p) override {
    if (p.defined()) p = in_[next_++];
  }

 private:
  In in_;
  size_t next_;
};

inline Tensor small_values(const Shape& shape, uint64_t number) {  // uniform in [-1, 1), so that no gate is saturated
  Generator rng(4000 + number);
  return Tensor::uniform(shape, rng, -1, 1, DType::f64);
}

// Combines several outputs into one.
inline Variable together(const std::vector<Variable>& outputs) {
  std::vector<Variable> flat;
  for (const Variable& y : outputs) flat.push_back(reshape(y, {-1}));
  return concat(flat, 0);
}

// One case: `data` has the shapes of the first leaves, and call(module, in) returns the value.
template <class M, class F>
Case module_case(const std::string& label, const typename M::Options& options, const std::vector<Shape>& data,
                 const F& call) {
  Generator rng(1);
  M sample(options, rng);
  std::vector<Shape> shapes = data;
  for (auto& p : detail::collect(sample).parameters) shapes.push_back(p.variable.shape());
  auto leaves = [shapes] {
    std::vector<Tensor> out;
    for (size_t i = 0; i < shapes.size(); ++i) out.push_back(small_values(shapes[i], i));
    return out;
  };
  auto f = [options, call, first = data.size()](In in) {
    Generator seeds(1);
    M module(options, seeds);
    Binder binder(in, first);
    module.visit(binder);
    return call(module, in);
  };
  return {.label = label, .leaves = leaves, .f = f};
}

inline CaseRow module_row(const std::string& name, std::vector<Case> cases) {
  return {.name = name, .kind = "module", .cases = std::move(cases)};
}

}  // namespace heed::nn
