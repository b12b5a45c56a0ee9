// Cases of autograd/ops_rearrange.h and ops_sort.h.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

BaseCase with(const std::string& label, const Shape& shape, const GradcheckFunction& f) {
  return {.label = to_string(shape) + " " + label, .shapes = {shape}, .f = f};
}

BaseCase flipped(const Shape& shape, const Dims& axes) {
  return with("axes " + to_string(axes), shape, [axes](In in) { return flip(in[0], axes); });
}
BaseCase rolled(const Shape& shape, const Dims& shifts, const Dims& axes) {
  return with("by " + to_string(shifts) + " axes " + to_string(axes), shape,
              [=](In in) { return roll(in[0], shifts, axes); });
}
BaseCase padded(const std::string& label, const Shape& shape, const std::vector<Margin>& margins, double value) {
  return with(label, shape, [=](In in) { return pad(in[0], margins, value); });
}

using Cut = Variable (*)(const Variable&, int64_t);
std::vector<BaseCase> triangles(Cut f) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4}, Shape{2, 3, 2}, Shape{0, 3}, Shape{2, 0}})
    for (int64_t k : {0, 1, -1, 9})
      bases.push_back(with("diagonal " + std::to_string(k), shape, [f, k](In in) { return f(in[0], k); }));
  return bases;
}

struct Diagonal {
  Shape shape;
  int64_t offset, a, b;
};
const std::vector<Diagonal> kDiagonals = {{{3, 3}, 0, 0, 1},    {{2, 4}, 1, 0, 1},       {{4, 2}, -2, 0, 1},
                                          {{2, 3, 4}, 0, 2, 0}, {{2, 3, 3}, -1, -2, -1}, {{3, 3}, 5, 0, 1},
                                          {{0, 3}, 0, 0, 1},    {{2, 2}, 0, 1, 0}};
std::string label_of(const Diagonal& d) {
  return "offset " + std::to_string(d.offset) + " axes " + to_string(Dims{d.a, d.b});
}

CaseRow diagonals() {
  std::vector<BaseCase> bases;
  for (const Diagonal& d : kDiagonals)
    bases.push_back(with(label_of(d), d.shape, [d](In in) { return diagonal(in[0], d.offset, d.a, d.b); }));
  return operation("diagonal", bases);
}
CaseRow placed_diagonals() {
  std::vector<BaseCase> bases;
  for (const Diagonal& d : kDiagonals) {
    Shape shape = diagonal(Tensor::zeros(d.shape), d.offset, d.a, d.b).shape();
    bases.push_back(with("in " + to_string(d.shape) + " " + label_of(d), shape,
                         [d](In in) { return place_diagonal(in[0], d.shape, d.offset, d.a, d.b); }));
  }
  return operation("place_diagonal", bases);
}

// Ordered values differ by at least 0.1, and no view repeats the axis: a step of the check exchanges none.
BaseCase ordered(const std::string& label, const Shape& shape, int64_t axis, const GradcheckFunction& f) {
  BaseCase base = with(label, shape, f);
  base.sampler = all_distinct;
  base.expandable = axis != 0;
  base.note = "all elements at least 0.1 apart; no view that repeats the axis";
  return base;
}

}  // namespace

std::vector<CaseRow> rearrange_cases() {
  std::vector<BaseCase> sorts, tops;
  for (const auto& [shape, axis] : {std::pair{Shape{5}, 0},
                                    {Shape{3, 3}, 1},
                                    {Shape{3, 2}, 0},
                                    {Shape{2, 3, 2}, 1},
                                    {Shape{0, 3}, 1},
                                    {Shape{2, 1}, 1}}) {
    for (bool descending : {false, true})
      sorts.push_back(
          ordered(std::string(descending ? "descending" : "ascending") + " axis " + std::to_string(axis), shape, axis,
                  [axis = axis, descending](In in) { return sort(in[0], axis, {.descending = descending}).values; }));
    for (bool largest : {false, true})
      for (int64_t k : {0, 1, 2})
        if (k <= shape[axis])
          tops.push_back(ordered(
              std::to_string(k) + (largest ? " largest" : " smallest") + " axis " + std::to_string(axis), shape, axis,
              [axis = axis, largest, k](In in) { return topk(in[0], k, axis, {.largest = largest}).values; }));
  }
  return {
      operation("flip", {flipped({4}, {0}), flipped({2, 3}, {-1}), flipped({2, 3}, {0, 1}), flipped({2, 3, 2}, {2, 0}),
                         flipped({2, 3}, {}), flipped({}, {}), flipped({2, 0}, {1})}),
      operation("roll", {rolled({4}, {1}, {0}), rolled({2, 3}, {-1}, {1}), rolled({2, 3}, {1, 5}, {0, 1}),
                         rolled({2, 3, 2}, {-7}, {-2}), rolled({2, 3}, {}, {}), rolled({0, 2}, {3}, {0})}),
      operation("pad",
                {padded("1 before, 2 after", {3}, {{.axis = 0, .before = 1, .after = 2}}, 1.5),
                 padded("both axes", {2, 3}, {{.axis = -1, .before = 2}, {.axis = 0, .after = 1}}, 0),
                 padded("cut", {2, 4}, {{.axis = 1, .before = -1, .after = -2}}, 0),
                 padded("cut and framed", {2, 4}, {{.axis = 1, .before = 2, .after = -3}}, 2),
                 padded("nothing left", {2, 2}, {{.axis = 0, .before = -2}}, 0),
                 padded("nothing to frame", {0, 2}, {{.axis = 0, .after = 2}}, 3), padded("as it is", {}, {}, 1)}),
      operation("tril", triangles(tril)),
      operation("triu", triangles(triu)),
      diagonals(),
      placed_diagonals(),
      operation("sort", sorts),
      operation("topk", tops),
  };
}

}  // namespace heed
