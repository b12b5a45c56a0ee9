// Cases of autograd/ops_index.h: repeated, missing and no indices, along every kind of axis; and values in order.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

Tensor ids(const std::vector<int64_t>& values, const Shape& shape) { return Tensor::from(values, shape); }
Tensor repeated(const Shape& shape) { return ids({2, 0, 2, 1}, shape); }

// A case f(x, index): the index is a constant of the case.
template <class F>
BaseCase at(const Shape& x, const Tensor& index, const F& f, const std::string& label = {}) {
  return {.label = label + to_string(x) + " at " + to_string(index.shape()),
          .shapes = {x},
          .f = [=](In in) { return f(in[0], index); },
          .constants = {index}};
}

// Ordered values differ by at least 0.1, and no view repeats the axis: a step of the check exchanges none.
BaseCase ordered(const std::string& label, const Shape& shape, int64_t axis, const GradcheckFunction& f) {
  return {.label = to_string(shape) + " axis " + std::to_string(axis) + label,
          .shapes = {shape},
          .f = f,
          .sampler = all_distinct,
          .expandable = axis != 0,
          .note = "all elements at least 0.1 apart; no view that repeats the axis"};
}
std::vector<CaseRow> orders() {
  std::vector<BaseCase> sorts, tops;
  for (const auto& [shape, axis] : {std::pair{Shape{5}, 0},
                                    {Shape{3, 3}, 1},
                                    {Shape{3, 2}, 0},
                                    {Shape{2, 3, 2}, 1},
                                    {Shape{0, 3}, 1},
                                    {Shape{2, 1}, 1}})
    for (bool first : {false, true}) {
      sorts.push_back(ordered(first ? " descending" : " ascending", shape, axis,
                              [axis = axis, first](In in) { return sort(in[0], axis, {.descending = first}).values; }));
      for (int64_t k : {0, 1, 2})
        if (k <= shape[axis])
          tops.push_back(ordered(" " + std::to_string(k) + (first ? " largest" : " smallest"), shape, axis,
                                 [=, axis = axis](In in) { return topk(in[0], k, axis, {.largest = first}).values; }));
    }
  return {operation("sort", sorts), operation("topk", tops)};
}

}  // namespace

std::vector<CaseRow> index_cases() {
  using V = const Variable&;
  using T = const Tensor&;
  auto pick = [](V x, T i) { return index_select(x, i); };
  auto read = [](V x, T i) { return gather(x, i); };
  auto look = [](V x, T i) { return embedding(x, i); };
  // The row of padding is read and gets no gradient, so the value must not depend on it.
  auto look_past_1 = [](V x, T i) {
    return embedding(x, i, 1) * Variable(Tensor::from(std::vector<double>{1, 1, 1, 0}, {4, 1}));
  };
  auto pick_along = [](const Shape& x, int64_t axis, T i) {
    return at(
        x, i, [axis](V v, T j) { return index_select(v, axis, j); }, "axis " + word(axis) + " ");
  };
  auto read_along = [](const Shape& x, int64_t axis, T i) {
    return at(
        x, i, [axis](V v, T j) { return gather(v, axis, j); }, "axis " + word(axis) + " ");
  };
  auto spread = [](const Shape& x, T i, int64_t n) {
    return at(
        x, i, [n](V v, T j) { return index_add(v, j, n); }, "to " + word(n) + " ");
  };
  auto scatter = [](const Shape& x, T i, int64_t n) {
    return at(
        x, i, [n](V v, T j) { return scatter_add(v, j, n); }, "to " + word(n) + " ");
  };
  auto scatter_along = [](const Shape& x, const Shape& src, int64_t axis, T i) {
    return BaseCase{.label = to_string(src) + " into " + to_string(x) + " axis " + word(axis),
                    .shapes = {x, src},
                    .f = [=](In in) { return scatter_add(in[0], axis, i, in[1]); },
                    .constants = {i}};
  };
  Tensor none = ids({}, {0}), no_columns = ids({}, {2, 0});
  std::vector<CaseRow> rows = {
      operation("index_select",
                {at({3, 2}, repeated({4}), pick), at({3}, repeated({2, 2}), pick), at({3, 2}, ids({1}, {}), pick),
                 at({3, 2, 2}, repeated({2, 2}), pick), at({3, 2}, none, pick), pick_along({2, 3}, 1, repeated({4})),
                 pick_along({2, 3, 2}, -2, repeated({2, 2})), pick_along({2, 3}, 1, ids({2}, {})),
                 pick_along({0, 3}, 1, repeated({4}))}),
      operation("index_add", {spread({4, 2}, repeated({4}), 3), spread({2, 2}, repeated({2, 2}), 4),
                              spread({2, 2, 3}, repeated({2, 2}), 3), spread({0, 2}, none, 3)}),
      operation("gather", {at({3}, repeated({4}), read), at({2, 3}, repeated({2, 2}), read),
                           at({2, 2, 3}, repeated({2, 2, 1}), read), at({2, 3}, no_columns, read),
                           read_along({3, 2}, 0, repeated({2, 2})), read_along({3, 3}, 0, repeated({4, 1})),
                           read_along({2, 3, 2}, 1, repeated({1, 2, 2}))}),
      operation("scatter_add",
                {scatter({4}, repeated({4}), 3), scatter({2, 2}, repeated({2, 2}), 3),
                 scatter({2, 2, 1}, repeated({2, 2, 1}), 4), scatter({2, 0}, no_columns, 3),
                 scatter_along({3, 2}, {2, 2}, 0, repeated({2, 2})), scatter_along({3, 3}, {4, 2}, 0, repeated({4, 1})),
                 scatter_along({2, 3, 2}, {1, 2, 2}, 1, repeated({1, 2, 2}))}),
      operation("embedding", {at({3, 2}, repeated({2, 2}), look),
                              at({3, 2}, repeated({4}), look_past_1, "padding 1 of "), at({3, 2}, none, look),
                              at(
                                  {3, 2}, none, [](V x, T i) { return embedding(x, i, 0); }, "padding 0 of ")}),
  };
  for (CaseRow& row : orders()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
