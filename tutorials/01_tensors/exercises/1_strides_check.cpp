// Hints, common mistakes and checks of exercise 01.1.
#include "tutorials/01_tensors/exercises/1_strides.h"

#include "tensor/rearrange.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::View;
using Sizes = std::vector<int64_t>;

View view_of(const Tensor& t) {
  View v{{}, {}, t.offset()};
  for (int axis = 0; axis < t.rank(); ++axis) v.shape.push_back(t.size(axis)), v.strides.push_back(t.strides()[axis]);
  return v;
}

// The five functions.
struct Answer {
  decltype(&mine::transpose) transpose;
  decltype(&mine::slice) slice;
  decltype(&mine::select) select;
  decltype(&mine::expand) expand;
  decltype(&mine::diagonal) diagonal;
};

View without(View v, size_t axis) {
  v.shape.erase(v.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  v.strides.erase(v.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return v;
}
View taken(View v, size_t axis, int64_t size, int64_t stride, int64_t moved) {
  v.shape[axis] = size, v.strides[axis] = stride, v.offset += moved;
  return v;
}
int64_t rounded_up(int64_t n, int64_t step) { return (n + step - 1) / step; }

const Answer kRight{[](View v, size_t a, size_t b) {
                      std::swap(v.shape[a], v.shape[b]), std::swap(v.strides[a], v.strides[b]);
                      return v;
                    },
                    [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
                      const int64_t stride = v.strides[axis];
                      return taken(v, axis, rounded_up(end - begin, step), stride * step, begin * stride);
                    },
                    [](View v, size_t axis, int64_t index) {
                      v.offset += index * v.strides[axis];
                      return without(v, axis);
                    },
                    [](View v, const Sizes& shape) {
                      for (size_t axis = 0; axis < shape.size(); ++axis)
                        if (v.shape[axis] != shape[axis]) v.strides[axis] = 0;
                      return View{shape, v.strides, v.offset};
                    },
                    [](View v) {
                      return View{{v.shape[0]}, {v.strides[0] + v.strides[1]}, v.offset};
                    }};

template <class Part>
Answer with(Part Answer::*part, std::type_identity_t<Part> wrong) {
  Answer answer = kRight;
  answer.*part = wrong;
  return answer;
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"transpose is still open: it returns the tensor itself",
     with(&Answer::transpose, [](View v, size_t, size_t) { return v; })},
    {"transpose exchanges the sizes only: the strides of the two axes must be exchanged too",
     with(&Answer::transpose,
          [](View v, size_t a, size_t b) {
            std::swap(v.shape[a], v.shape[b]);
            return v;
          })},
    {"transpose exchanges the strides only: the sizes of the two axes must be exchanged too",
     with(&Answer::transpose,
          [](View v, size_t a, size_t b) {
            std::swap(v.strides[a], v.strides[b]);
            return v;
          })},
    {"slice is still open: it returns the tensor itself",
     with(&Answer::slice, [](View v, size_t, int64_t, int64_t, int64_t) { return v; })},
    {"slice rounds the size down: with 5 indices and a step of 2 it keeps the indices 0, 2 and 4, which are three",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            const int64_t stride = v.strides[axis];
            return taken(v, axis, (end - begin) / step, stride * step, begin * stride);
          })},
    {"slice ignores the step in the size: only every step-th index is kept, so divide end - begin by step, rounded up",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            const int64_t stride = v.strides[axis];
            return taken(v, axis, end - begin, stride * step, begin * stride);
          })},
    {"slice keeps the stride: the next element of the view is `step` strides away",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            const int64_t stride = v.strides[axis];
            return taken(v, axis, rounded_up(end - begin, step), stride, begin * stride);
          })},
    {"slice keeps the offset: the view starts at index `begin`, which is begin strides after the start of the tensor",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            return taken(v, axis, rounded_up(end - begin, step), v.strides[axis] * step, 0);
          })},
    {"slice adds `begin` to the offset: one index is one stride in memory, so add begin * stride",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            return taken(v, axis, rounded_up(end - begin, step), v.strides[axis] * step, begin);
          })},
    {"slice moves the offset by the new stride: multiply `begin` by the stride before it is multiplied by `step`",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            const int64_t stride = v.strides[axis] * step;
            return taken(v, axis, rounded_up(end - begin, step), stride, begin * stride);
          })},
    {"slice replaces the offset: the tensor may be a view itself, so add begin * stride to the offset that it has",
     with(&Answer::slice,
          [](View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
            const int64_t stride = v.strides[axis];
            return taken(v, axis, rounded_up(end - begin, step), stride * step, begin * stride - v.offset);
          })},
    {"select is still open: it returns the tensor itself",
     with(&Answer::select, [](View v, size_t, int64_t) { return v; })},
    {"select keeps the axis, with size 1: remove it from the shape and from the strides",
     with(&Answer::select, [](View v, size_t axis,
                              int64_t index) { return taken(v, axis, 1, v.strides[axis], index * v.strides[axis]); })},
    {"select keeps the offset: the view starts at the selected index, so add index * stride",
     with(&Answer::select, [](View v, size_t axis, int64_t) { return without(v, axis); })},
    {"select adds the index to the offset: one index is one stride in memory, so add index * stride",
     with(&Answer::select,
          [](View v, size_t axis, int64_t index) {
            v.offset += index;
            return without(v, axis);
          })},
    {"expand is still open: it returns the tensor itself",
     with(&Answer::expand, [](View v, const Sizes&) { return v; })},
    {"expand changes the shape only: a repeated axis needs the stride 0, or the view reads past the tensor",
     with(&Answer::expand,
          [](View v, const Sizes& shape) {
            return View{shape, v.strides, v.offset};
          })},
    {"expand sets all strides to 0: only the axes whose size changes are repeated, the others keep their stride",
     with(&Answer::expand,
          [](View v, const Sizes& shape) {
            return View{shape, Sizes(shape.size(), 0), v.offset};
          })},
    {"diagonal is still open: it returns the matrix itself", with(&Answer::diagonal, [](View v) { return v; })},
    {"diagonal steps down a row only: from (i, i) to (i + 1, i + 1) is one row and one column",
     with(&Answer::diagonal,
          [](View v) {
            return View{{v.shape[0]}, {v.strides[0]}, v.offset};
          })},
    {"diagonal takes n + 1 as its stride, which is right for a contiguous matrix only: add the two strides",
     with(&Answer::diagonal,
          [](View v) {
            return View{{v.shape[0]}, {v.shape[0] + 1}, v.offset};
          })},
    {"diagonal drops the offset: the matrix may be a view that does not start at 0",
     with(&Answer::diagonal,
          [](View v) {
            return View{{v.shape[0]}, {v.strides[0] + v.strides[1]}, 0};
          })},
};

// The functions are checked one after the other: what follows the first wrong one is not looked at.
void examine(app::Exercise& e, const Answer& a) {
  auto text = [](const View& v) {
    return "shape " + to_string(Dims(v.shape)) + " strides " + to_string(Dims(v.strides)) + " offset " +
           std::to_string(v.offset);
  };
  auto same = [&](const char* what, const View& yours, const Tensor& t) {
    return e.check(what, text(yours), text(view_of(t)));
  };
  const Tensor x = Tensor::arange(0, 120).view({4, 5, 6}), later = x.slice(0, 1, 4);  // later starts at offset 30
  const Tensor matrix = Tensor::arange(0, 49).view({7, 7});
  const Tensor square = Tensor::arange(0, 98).view({7, 14}).slice(1, 1, 14, 2);  // [7, 7], strides [14, 2], offset 1
  const Tensor columns = Tensor::arange(0, 6).view({3, 1, 2});

  if (!same("transpose(0, 2)", a.transpose(view_of(x), 0, 2), x.transpose(0, 2))) return;
  bool right = same("slice(1, 1, 5, 2)", a.slice(view_of(x), 1, 1, 5, 2), x.slice(1, 1, 5, 2));
  right = same("slice(2, 0, 6, 4)", a.slice(view_of(x), 2, 0, 6, 4), x.slice(2, 0, 6, 4)) && right;
  right = same("slice(1, 2, 5, 2) of a view with offset 30", a.slice(view_of(later), 1, 2, 5, 2),
               later.slice(1, 2, 5, 2)) &&
          right;
  if (!right || !same("select(1, 3)", a.select(view_of(x), 1, 3), x.select(1, 3))) return;
  right = same("expand [3, 1, 2] to [3, 4, 2]", a.expand(view_of(columns), {3, 4, 2}), columns.expand({3, 4, 2}));
  right = same("expand [4, 5, 6] to [4, 5, 6]", a.expand(view_of(x), {4, 5, 6}), x) && right;
  if (!right) return;
  right = same("diagonal", a.diagonal(view_of(matrix)), diagonal(matrix));
  right = same("diagonal of a view with strides [14, 2]", a.diagonal(view_of(square)), diagonal(square)) && right;
  if (!right) return;
  const Tensor chain = x.transpose(0, 1).slice(0, 1, 5, 3).select(1, 2);
  same("transpose, slice, select", a.select(a.slice(a.transpose(view_of(x), 0, 1), 0, 1, 5, 3), 1, 2), chain);
  same("diagonal of a transposed matrix", a.diagonal(a.transpose(view_of(square), 0, 1)),
       diagonal(square.transpose(0, 1)));
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("01", 1, "Shape, strides and offset of a view");
  e.hint("transpose exchanges two sizes and two strides; the offset stays the same.");
  e.hint("slice moves the offset by begin * stride, multiplies the stride by the step, and rounds the size up.");
  e.hint("select is a slice of one index whose axis is then removed: v.shape.erase(v.shape.begin() + axis).");
  e.hint("expand gives every axis whose size changes the stride 0: moving along it stays at the same element.");
  e.hint("diagonal has the stride strides[0] + strides[1], because each step moves by one row and one column.");
  e.insight(
      "A view costs a few numbers, whatever the size of the tensor: transposing a matrix of a gigabyte moves nothing.\n"
      "The price is paid later, by loops that read memory in strides instead of in order.",
      "./heed exercise 01 2");
  const Answer yours{mine::transpose, mine::slice, mine::select, mine::expand, mine::diagonal};
  return e.run(argc, argv, yours, examine, mistakes);
}
