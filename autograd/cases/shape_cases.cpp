// Cases of autograd/ops_shape.h: views, joins and cuts, mirrors, frames, diagonals and windows.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using Parts = std::vector<Variable>;

BaseCase joined(const std::vector<Shape>& shapes, int64_t axis, Variable (*f)(const Parts&, int64_t)) {
  std::string label;
  for (const Shape& s : shapes) label += to_string(s) + " ";
  return {.label = label + word(axis), .shapes = shapes, .f = [f, axis](In in) { return f(in, axis); }};
}
// The pieces in another order and with different weights, so that an exchange of two would show.
Variable shuffled(Parts parts, int64_t axis, Variable (*join)(const Parts&, int64_t) = concat) {
  parts[0] = parts[0] * 2;
  std::swap(parts.front(), parts.back());
  return join(parts, axis);
}
BaseCase padded(const std::string& label, const Shape& shape, const std::vector<Margin>& margins, double value) {
  return {.label = to_string(shape) + " " + label, .shapes = {shape}, .f = [=](In in) {
            return pad(in[0], margins, value);
          }};
}
BaseCase on(const std::string& label, const Shape& shape, const GradcheckFunction& f) {
  return {.label = label, .shapes = {shape}, .f = f};
}

std::vector<BaseCase> triangles(Variable (*f)(const Variable&, int64_t)) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4}, Shape{2, 3, 2}, Shape{0, 3}, Shape{2, 0}})
    for (int64_t k : {0, 1, -1, 9}) bases.push_back(cases_of(f)(shape, k));
  return bases;
}

// Diagonals, and the way back from each.
std::vector<CaseRow> diagonals() {
  struct Diagonal {
    Shape shape;
    int64_t offset, a, b;
  };
  std::vector<BaseCase> taken, placed;
  for (const auto& [shape, offset, a, b] : {Diagonal{{3, 3}, 0, 0, 1},
                                            {{2, 4}, 1, 0, 1},
                                            {{4, 2}, -2, 0, 1},
                                            {{2, 3, 4}, 0, 2, 0},
                                            {{2, 3, 3}, -1, -2, -1},
                                            {{3, 3}, 5, 0, 1},
                                            {{0, 3}, 0, 0, 1},
                                            {{2, 2}, 0, 1, 0}}) {
    taken.push_back(cases_of(diagonal)(shape, offset, a, b));
    placed.push_back(
        cases_of(place_diagonal)(diagonal(Tensor::zeros(shape), offset, a, b).shape(), shape, offset, a, b));
  }
  return {operation("diagonal", taken), operation("place_diagonal", placed)};
}

}  // namespace

std::vector<CaseRow> shape_cases() {
  auto reshaped = cases_of(reshape);
  auto transposed = cases_of(transpose);
  auto permuted = cases_of(permute);
  auto moved = cases_of(movedim);
  auto squeezed = cases_of(squeeze), unsqueezed = cases_of(unsqueeze);
  auto sliced = cases_of(slice);
  auto placed = cases_of(place);
  auto narrowed = cases_of(narrow);
  auto selected = cases_of(select);
  auto flipped = cases_of(flip);
  auto rolled = cases_of(roll);
  auto unfolded = cases_of(unfold);
  auto folded = cases_of(fold);
  using Sizes = std::vector<int64_t>;
  auto pieces = [](const Shape& x, const Sizes& sizes, int64_t axis) {
    return on(to_string(x) + " " + to_string(Dims(sizes)) + " " + word(axis), x,
              [=](In in) { return shuffled(split(in[0], sizes, axis), axis); });
  };
  auto chunks = cases_of(+[](const Variable& x, int64_t n, int64_t axis) { return shuffled(chunk(x, n, axis), axis); });
  auto slices = cases_of(+[](const Variable& x, int64_t axis) { return shuffled(unstack(x, axis), axis, stack); });
  std::vector<CaseRow> rows = {
      operation("reshape", {reshaped({}, {1}), reshaped({4}, {2, 2}), reshaped({2, 3}, {3, 2}), reshaped({2, 3}, {-1}),
                            reshaped({2, 3, 2}, {2, -1}), reshaped({1}, {}), reshaped({2, 0, 3}, {0})}),
      operation("transpose", {transposed({2, 3}, 0, 1), transposed({3, 3}, -1, -2), transposed({2, 3, 2}, 0, 2),
                              transposed({4}, 0, 0), transposed({2, 0, 3}, 1, 2)}),
      operation("permute", {permuted({}, {}), permuted({2, 3}, {1, 0}), permuted({2, 3, 4}, {2, 0, 1}),
                            permuted({2, 1, 3, 2}, {-1, 1, 0, 2}), permuted({2, 0, 3}, {1, 2, 0})}),
      operation("movedim", {moved({2, 3, 4}, 0, 2), moved({2, 3, 4}, -1, 0), moved({2, 2}, 1, 0), moved({4}, 0, 0),
                            moved({2, 0, 3}, 0, -1)}),
      operation("squeeze", {squeezed({1}, 0), squeezed({2, 1, 3}, 1), squeezed({2, 3, 1}, -1), squeezed({0, 1}, 1)}),
      operation("unsqueeze", {unsqueezed({}, 0), unsqueezed({4}, -1), unsqueezed({2, 3}, 1), unsqueezed({0}, 0)}),
      operation("contiguous", each_shape(usual_shapes(), [](In in) { return contiguous(in[0]); })),
      operation("slice", {sliced({5}, 0, 1, 4, 1), sliced({2, 5}, 1, 0, 5, 2), sliced({5, 2}, 0, 1, 5, 3),
                          sliced({4}, 0, -3, -1, 1), sliced({4}, 0, 2, 2, 1), sliced({4}, 0, 4, 4, 2),
                          sliced({2, 0, 3}, 2, 1, 3, 1), sliced({3, 3}, -1, 0, 3, 1)}),
      operation("narrow", {narrowed({5}, 0, 1, 3), narrowed({2, 5}, 1, -3, 2), narrowed({3, 3}, -2, 0, 3),
                           narrowed({4}, 0, 4, 0), narrowed({2, 0, 3}, 2, 1, 2)}),
      operation("select",
                {selected({4}, 0, 2), selected({2, 3}, 1, -1), selected({2, 3, 2}, 0, 1), selected({2, 0, 3}, -1, 1)}),
      operation("place", {placed({2}, 0, 1, 2, 5), placed({2, 3}, 1, 0, 1, 3), placed({2, 3}, 0, 1, 3, 6),
                          placed({0}, 0, 1, 1, 3), placed({2, 0, 2}, 2, 0, 2, 3)}),
      operation("concat", {joined({{2}, {3}}, 0, concat), joined({{2, 3}, {2, 1}}, 1, concat),
                           joined({{1, 2}, {0, 2}, {3, 2}}, 0, concat), joined({{2, 3, 2}, {2, 3, 2}}, -1, concat),
                           joined({{2, 3}}, 0, concat), joined({{0}, {0}}, 0, concat),
                           on("x x through one handle", {2, 3},
                              [](In in) {
                                return concat(Parts{in[0], in[0]}, 0);
                              })}),
      operation("stack",
                {joined({{}, {}}, 0, stack), joined({{3}, {3}, {3}}, 0, stack), joined({{2, 3}, {2, 3}}, 1, stack),
                 joined({{2, 3}, {2, 3}}, -1, stack), joined({{0}, {0}}, 0, stack)}),
      operation("split", {pieces({5}, {2, 3}, 0), pieces({2, 5}, {1, 0, 4}, 1), pieces({4, 2, 2}, {2, 2}, -3),
                          pieces({0, 2}, {0, 0}, 0),
                          on("only one of two pieces used", {5},
                             [](In in) {
                               return split(in[0], {2, 3}, 0)[1];
                             })}),
      operation("chunk", {chunks({5}, 2, 0), chunks({2, 6}, 3, 1), chunks({5, 2}, 4, -2), chunks({2, 2}, 5, 0),
                          chunks({0, 2}, 3, 0)}),
      operation("unstack", {slices({3}, 0), slices({2, 3}, 1), slices({2, 3, 2}, -1), slices({2, 0}, 0),
                            on("only one of three slices used", {3, 2}, [](In in) { return unstack(in[0], 0)[1]; })}),
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
      operation("unfold", {unfolded({5}, 0, 2, 1), unfolded({5}, 0, 2, 2), unfolded({2, 7}, 1, 3, 2),
                           unfolded({3, 3}, 1, 2, 1), unfolded({4, 2}, -2, 4, 9), unfolded({3, 2}, 0, 1, 1),
                           unfolded({3}, 0, 0, 1), unfolded({0, 3}, 1, 2, 1)}),
      operation("fold", {folded({4, 2}, 0, 5, 1), folded({2, 2}, 0, 5, 2), folded({2, 3, 3}, -1, 7, 2),
                         folded({1, 2, 4}, 0, 4, 9), folded({0, 2, 2}, 1, 3, 1)}),
  };
  for (CaseRow& row : diagonals()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
