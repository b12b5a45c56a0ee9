// Cases of autograd/ops_shape.h: views, joins and cuts.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

BaseCase with(const std::string& label, const std::vector<Shape>& shapes, const GradcheckFunction& f) {
  return {.label = label, .shapes = shapes, .f = f};
}

BaseCase shaped(const Shape& from, const Shape& to) {
  return with(to_string(from) + " to " + to_string(to), {from}, [to](In in) { return reshape(in[0], to); });
}
BaseCase exchanged(const Shape& shape, int64_t a, int64_t b) {
  return with(to_string(shape) + " axes " + to_string(Dims{a, b}), {shape},
              [a, b](In in) { return transpose(in[0], a, b); });
}
BaseCase permuted(const Shape& shape, const Dims& axes) {
  return with(to_string(shape) + " by " + to_string(axes), {shape}, [axes](In in) { return permute(in[0], axes); });
}
BaseCase along(const Shape& shape, int64_t axis, Variable (*f)(const Variable&, int64_t)) {
  return with(to_string(shape) + " axis " + std::to_string(axis), {shape}, [f, axis](In in) { return f(in[0], axis); });
}
BaseCase cut(const Shape& shape, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  return with(
      to_string(shape) + " axis " + std::to_string(axis) + " from, to, step " + to_string(Dims{begin, end, step}),
      {shape}, [=](In in) { return slice(in[0], axis, begin, end, step); });
}
BaseCase moved(const Shape& shape, int64_t from, int64_t to) {
  return with(to_string(shape) + " axis " + std::to_string(from) + " to " + std::to_string(to), {shape},
              [=](In in) { return movedim(in[0], from, to); });
}
BaseCase piece(const Shape& shape, int64_t axis, int64_t begin, int64_t length) {
  return with(to_string(shape) + " axis " + std::to_string(axis) + " from, length " + to_string(Dims{begin, length}),
              {shape}, [=](In in) { return narrow(in[0], axis, begin, length); });
}
BaseCase one(const Shape& shape, int64_t axis, int64_t index) {
  return with(to_string(shape) + " axis " + std::to_string(axis) + " at " + std::to_string(index), {shape},
              [=](In in) { return select(in[0], axis, index); });
}
BaseCase placed(const Shape& shape, int64_t axis, int64_t begin, int64_t step, int64_t size) {
  return with(
      to_string(shape) + " axis " + std::to_string(axis) + " begin, step, size " + to_string(Dims{begin, step, size}),
      {shape}, [=](In in) { return place(in[0], axis, begin, step, size); });
}

using Join = Variable (*)(const std::vector<Variable>&, int64_t);
BaseCase joined(const std::vector<Shape>& shapes, int64_t axis, Join f) {
  std::string label;
  for (const Shape& s : shapes) label += to_string(s) + " ";
  return with(label + "axis " + std::to_string(axis), shapes, [f, axis](In in) { return f(in, axis); });
}

// Pieces in another order and with different weights, so that an exchange of two would show.
BaseCase pieces(const Shape& shape, const std::vector<int64_t>& sizes, int64_t axis) {
  return with(to_string(shape) + " into " + to_string(Dims(sizes)) + " axis " + std::to_string(axis), {shape},
              [=](In in) {
                auto parts = split(in[0], sizes, axis);
                parts[0] = parts[0] * 2;
                std::swap(parts.front(), parts.back());
                return concat(parts, axis);
              });
}
BaseCase chunks(const Shape& shape, int64_t count, int64_t axis) {
  return with(to_string(shape) + " into " + std::to_string(count) + " axis " + std::to_string(axis), {shape},
              [=](In in) {
                auto parts = chunk(in[0], count, axis);
                parts[0] = parts[0] * 2;
                std::swap(parts.front(), parts.back());
                return concat(parts, axis);
              });
}
BaseCase slices(const Shape& shape, int64_t axis) {
  return with(to_string(shape) + " axis " + std::to_string(axis), {shape}, [=](In in) {
    auto parts = unstack(in[0], axis);
    parts[0] = parts[0] * 2;
    std::swap(parts.front(), parts.back());
    return stack(parts, axis);
  });
}

}  // namespace

std::vector<CaseRow> shape_cases() {
  auto whole = each_shape(usual_shapes(), [](In in) { return contiguous(in[0]); });
  return {
      operation("reshape", {shaped({}, {1}), shaped({4}, {2, 2}), shaped({2, 3}, {3, 2}), shaped({2, 3}, {-1}),
                            shaped({2, 3, 2}, {2, -1}), shaped({1}, {}), shaped({2, 0, 3}, {0})}),
      operation("transpose", {exchanged({2, 3}, 0, 1), exchanged({3, 3}, -1, -2), exchanged({2, 3, 2}, 0, 2),
                              exchanged({4}, 0, 0), exchanged({2, 0, 3}, 1, 2)}),
      operation("permute", {permuted({}, {}), permuted({2, 3}, {1, 0}), permuted({2, 3, 4}, {2, 0, 1}),
                            permuted({2, 1, 3, 2}, {-1, 1, 0, 2}), permuted({2, 0, 3}, {1, 2, 0})}),
      operation("movedim", {moved({2, 3, 4}, 0, 2), moved({2, 3, 4}, -1, 0), moved({2, 2}, 1, 0), moved({4}, 0, 0),
                            moved({2, 0, 3}, 0, -1)}),
      operation("squeeze", {along({1}, 0, squeeze), along({2, 1, 3}, 1, squeeze), along({2, 3, 1}, -1, squeeze),
                            along({0, 1}, 1, squeeze)}),
      operation("unsqueeze", {along({}, 0, unsqueeze), along({4}, -1, unsqueeze), along({2, 3}, 1, unsqueeze),
                              along({0}, 0, unsqueeze)}),
      operation("contiguous", whole),
      operation("slice",
                {cut({5}, 0, 1, 4, 1), cut({2, 5}, 1, 0, 5, 2), cut({5, 2}, 0, 1, 5, 3), cut({4}, 0, -3, -1, 1),
                 cut({4}, 0, 2, 2, 1), cut({4}, 0, 4, 4, 2), cut({2, 0, 3}, 2, 1, 3, 1), cut({3, 3}, -1, 0, 3, 1)}),
      operation("narrow", {piece({5}, 0, 1, 3), piece({2, 5}, 1, -3, 2), piece({3, 3}, -2, 0, 3), piece({4}, 0, 4, 0),
                           piece({2, 0, 3}, 2, 1, 2)}),
      operation("select", {one({4}, 0, 2), one({2, 3}, 1, -1), one({2, 3, 2}, 0, 1), one({2, 0, 3}, -1, 1)}),
      operation("concat", {joined({{2}, {3}}, 0, concat), joined({{2, 3}, {2, 1}}, 1, concat),
                           joined({{1, 2}, {0, 2}, {3, 2}}, 0, concat), joined({{2, 3, 2}, {2, 3, 2}}, -1, concat),
                           joined({{2, 3}}, 0, concat), joined({{0}, {0}}, 0, concat),
                           with("x x through one handle", {{2, 3}},
                                [](In in) {
                                  return concat({in[0], in[0]}, 0);
                                })}),
      operation("stack",
                {joined({{}, {}}, 0, stack), joined({{3}, {3}, {3}}, 0, stack), joined({{2, 3}, {2, 3}}, 1, stack),
                 joined({{2, 3}, {2, 3}}, -1, stack), joined({{0}, {0}}, 0, stack)}),
      operation("split", {pieces({5}, {2, 3}, 0), pieces({2, 5}, {1, 0, 4}, 1), pieces({4, 2, 2}, {2, 2}, -3),
                          pieces({0, 2}, {0, 0}, 0),
                          with("only one of two pieces used", {{5}},
                               [](In in) {
                                 return split(in[0], {2, 3}, 0)[1];
                               })}),
      operation("chunk", {chunks({5}, 2, 0), chunks({2, 6}, 3, 1), chunks({5, 2}, 4, -2), chunks({2, 2}, 5, 0),
                          chunks({0, 2}, 3, 0)}),
      operation("unstack",
                {slices({3}, 0), slices({2, 3}, 1), slices({2, 3, 2}, -1), slices({2, 0}, 0),
                 with("only one of three slices used", {{3, 2}}, [](In in) { return unstack(in[0], 0)[1]; })}),
      operation("place", {placed({2}, 0, 1, 2, 5), placed({2, 3}, 1, 0, 1, 3), placed({2, 3}, 0, 1, 3, 6),
                          placed({0}, 0, 1, 1, 3), placed({2, 0, 2}, 2, 0, 2, 3)}),
  };
}

}  // namespace heed
