// Cases of autograd/ops_index.h: repeated, missing and no indices.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;
using Ids = std::vector<int64_t>;

Tensor ids(const Ids& values, const Shape& shape) { return Tensor::from(values, shape); }

BaseCase with(const std::string& label, const Shape& shape, const GradcheckFunction& f) {
  return {.label = label, .shapes = {shape}, .f = f};
}

const Ids kRepeated = {2, 0, 2, 1};

}  // namespace

std::vector<CaseRow> index_cases() {
  auto pick = [](const Tensor& at) { return [at](In in) { return index_select(in[0], at); }; };
  auto spread = [](const Tensor& at, int64_t n) { return [at, n](In in) { return index_add(in[0], at, n); }; };
  auto read = [](const Tensor& at) { return [at](In in) { return gather(in[0], at); }; };
  auto scatter = [](const Tensor& at, int64_t n) { return [at, n](In in) { return scatter_add(in[0], at, n); }; };
  auto pick_along = [](int64_t axis, const Tensor& at) {
    return [axis, at](In in) { return index_select(in[0], axis, at); };
  };
  auto read_along = [](int64_t axis, const Tensor& at) {
    return [axis, at](In in) { return gather(in[0], axis, at); };
  };
  auto scatter_along = [](const Shape& x, const Shape& src, int64_t axis, const Tensor& at) {
    return BaseCase{.label = to_string(src) + " into " + to_string(x) + " axis " + std::to_string(axis) + " at " +
                             to_string(at.shape()),
                    .shapes = {x, src},
                    .f = [axis, at](In in) { return scatter_add(in[0], axis, at, in[1]); }};
  };
  auto look = [](const Tensor& at, int64_t pad) { return [at, pad](In in) { return embedding(in[0], at, pad); }; };
  return {
      operation("index_select", {with("[3, 2] at [4]", {3, 2}, pick(ids(kRepeated, {4}))),
                                 with("[3] at [2, 2]", {3}, pick(ids(kRepeated, {2, 2}))),
                                 with("[3, 2] at []", {3, 2}, pick(ids({1}, {}))),
                                 with("[3, 2, 2] at [2, 2]", {3, 2, 2}, pick(ids(kRepeated, {2, 2}))),
                                 with("[3, 2] at [0]", {3, 2}, pick(ids({}, {0}))),
                                 with("[2, 3] axis 1 at [4]", {2, 3}, pick_along(1, ids(kRepeated, {4}))),
                                 with("[2, 3, 2] axis -2 at [2, 2]", {2, 3, 2}, pick_along(-2, ids(kRepeated, {2, 2}))),
                                 with("[2, 3] axis 1 at []", {2, 3}, pick_along(1, ids({2}, {}))),
                                 with("[0, 3] axis 1 at [4]", {0, 3}, pick_along(1, ids(kRepeated, {4})))}),
      operation("index_add", {with("[4, 2] to [3, 2]", {4, 2}, spread(ids(kRepeated, {4}), 3)),
                              with("[2, 2] to [4]", {2, 2}, spread(ids(kRepeated, {2, 2}), 4)),
                              with("[2, 2, 3] to [3, 3]", {2, 2, 3}, spread(ids(kRepeated, {2, 2}), 3)),
                              with("[0, 2] to [3, 2]", {0, 2}, spread(ids({}, {0}), 3))}),
      operation("gather", {with("[3] at [4]", {3}, read(ids(kRepeated, {4}))),
                           with("[2, 3] at [2, 2]", {2, 3}, read(ids(kRepeated, {2, 2}))),
                           with("[2, 2, 3] at [2, 2, 1]", {2, 2, 3}, read(ids(kRepeated, {2, 2, 1}))),
                           with("[2, 3] at [2, 0]", {2, 3}, read(ids({}, {2, 0}))),
                           with("[3, 2] axis 0 at [2, 2]", {3, 2}, read_along(0, ids(kRepeated, {2, 2}))),
                           with("[3, 3] axis 0 at [4, 1]", {3, 3}, read_along(0, ids(kRepeated, {4, 1}))),
                           with("[2, 3, 2] axis 1 at [1, 2, 2]", {2, 3, 2}, read_along(1, ids(kRepeated, {1, 2, 2})))}),
      operation("scatter_add", {with("[4] to [3]", {4}, scatter(ids(kRepeated, {4}), 3)),
                                with("[2, 2] to [2, 3]", {2, 2}, scatter(ids(kRepeated, {2, 2}), 3)),
                                with("[2, 2, 1] to [2, 2, 4]", {2, 2, 1}, scatter(ids(kRepeated, {2, 2, 1}), 4)),
                                with("[2, 0] to [2, 3]", {2, 0}, scatter(ids({}, {2, 0}), 3)),
                                scatter_along({3, 2}, {2, 2}, 0, ids(kRepeated, {2, 2})),
                                scatter_along({3, 3}, {4, 2}, 0, ids(kRepeated, {4, 1})),
                                scatter_along({2, 3, 2}, {1, 2, 2}, 1, ids(kRepeated, {1, 2, 2}))}),
      operation("embedding", {with("[3, 2] at [2, 2]", {3, 2}, look(ids(kRepeated, {2, 2}), -1)),
                              // The row of padding is read and gets no gradient, so the value must not depend on it.
                              with("padding 1 of [3, 2] at [4]", {3, 2},
                                   [](In in) {
                                     Tensor at = ids(kRepeated, {4});
                                     Variable rows = embedding(in[0], at, 1);
                                     return rows * Variable(Tensor::from(std::vector<double>{1, 1, 1, 0}, {4, 1}));
                                   }),
                              with("[3, 2] at [0]", {3, 2}, look(ids({}, {0}), -1)),
                              with("padding 0 of [3, 2] at [0]", {3, 2}, look(ids({}, {0}), 0))}),
  };
}

}  // namespace heed
