// From one base case to its layouts. The input that an operation sees is a view of a leaf:
//
//   contiguous    leaf
//   transposed    leaf [.., n, m]      -> its last two axes exchanged
//   sliced        leaf [.., 2n + 1]    -> every second element of the last axis
//   expanded      leaf [1, ..]         -> repeated along the first axis, stride 0
//
// The check runs through the view, so the gradient of the leaf is the gradient of the operation, summed or placed.
#pragma once

#include "autograd/cases/cases.h"
#include "autograd/ops_softmax.h"

namespace heed {

// Values for a leaf. `number` is the position of the input, so that two inputs differ.
using Sampler = Tensor (*)(const Shape& shape, uint64_t number);
Tensor anywhere(const Shape& shape, uint64_t number);      // uniform in [-2, 2)
Tensor positive(const Shape& shape, uint64_t number);      // uniform in [0.5, 2.5)
Tensor off_integers(const Shape& shape, uint64_t number);  // in [-2, 2), at least 0.1 from every integer
Tensor all_distinct(const Shape& shape, uint64_t number);  // at least 0.1 apart, over all inputs

struct BaseCase {
  std::string label;
  std::vector<Shape> shapes;  // that the operation sees
  GradcheckFunction f;
  Sampler sampler = anywhere;
  bool expandable = true;  // false where repeated values are not smooth: a maximum along a repeated axis
  std::string note = {};
  std::vector<Tensor> constants = {};  // that f captures
};

// Every layout that the shapes allow, for all inputs alike and, with several inputs, in two mixtures.
std::vector<Case> over_layouts(const BaseCase& base);
std::vector<Case> over_layouts(const std::vector<BaseCase>& bases);

// Pieces that rows share.
std::vector<Shape> usual_shapes();                     // scalar, vector, matrix, batched, size 1 and size 0
std::vector<std::vector<Shape>> broadcasting_pairs();  // equal, scalars, missing and repeated axes, size 0
std::vector<BaseCase> each_shape(const std::vector<Shape>& shapes, const GradcheckFunction& f,
                                 Sampler sampler = anywhere, const std::string& note = {},
                                 const std::string& prefix = {});
std::vector<BaseCase> each_pair(Variable (*f)(const Variable&, const Variable&), Sampler sampler = anywhere,
                                const std::string& note = {});
std::vector<BaseCase> joined(const std::vector<std::vector<BaseCase>>& lists);
CaseRow operation(const std::string& name, const std::vector<BaseCase>& bases);
CaseRow without(Seam seam, const std::string& reason, CaseRow row);  // a row that cannot pass the seam

std::vector<std::pair<std::string, Reduction>> reductions();  // "mean", "sum" and "none"

// A maker of cases f(x, arguments...), which takes the shape of x and the arguments, and makes the label of them:
//
//   auto transposed = cases_of(transpose);      transposed({2, 3}, 0, 1)  is  "[2, 3] 0 1"
using In = const std::vector<Variable>&;
inline std::string word(const Dims& dims) { return to_string(dims); }
inline std::string word(int64_t n) { return std::to_string(n); }
template <class... A>
auto cases_of(Variable (*f)(const Variable&, A...)) {
  return [f](const Shape& x, const std::decay_t<A>&... a) {
    return BaseCase{
        .label = ((to_string(x) + ... + (" " + word(a)))), .shapes = {x}, .f = [=](In in) { return f(in[0], a...); }};
  };
}

}  // namespace heed
