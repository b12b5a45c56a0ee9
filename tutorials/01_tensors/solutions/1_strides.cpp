// Solution of exercise 01.1: shape, strides and offset of a view.
//
//   place of element (i, j, ...) = offset + i * strides[0] + j * strides[1] + ...
//
// Each function gets the three of a tensor and gives those of a view of it. Nothing else is needed: no view copies an
// element. slice takes begin, begin + step, ... before end; select takes one index and drops the axis; expand repeats
// an axis of size 1 (here the number of axes stays); diagonal is [n] of a matrix [n, n]: element i is (i, i).
#include <vector>

#include "tensor/rearrange.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct View {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};

View transpose(View v, size_t a, size_t b) {
  std::swap(v.shape[a], v.shape[b]);
  std::swap(v.strides[a], v.strides[b]);
  return v;
}
View slice(View v, size_t axis, int64_t begin, int64_t end, int64_t step) {
  v.offset += begin * v.strides[axis];
  v.shape[axis] = (end - begin + step - 1) / step;
  v.strides[axis] *= step;
  return v;
}
View select(View v, size_t axis, int64_t index) {
  v.offset += index * v.strides[axis];
  v.shape.erase(v.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  v.strides.erase(v.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return v;
}
View expand(View v, const std::vector<int64_t>& shape) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (v.shape[axis] != shape[axis]) v.strides[axis] = 0;
  v.shape = shape;
  return v;
}
View diagonal(View v) { return {{v.shape[0]}, {v.strides[0] + v.strides[1]}, v.offset}; }

int main(int argc, char** argv) {
  app::Exercise e("01", 1, "Shape, strides and offset of a view");
  e.hint("transpose swaps two sizes and two strides; the offset stays.");
  e.hint("slice: the offset moves by begin * stride, the stride becomes step * stride; round the size up.");
  e.hint("expand: an axis whose size changes gets the stride 0. diagonal: one step is a row and a column.");
  return e.run(argc, argv, [&] {
    auto view_of = [](const Tensor& t) {
      View v{{}, {}, t.offset()};
      for (int axis = 0; axis < t.rank(); ++axis) {
        v.shape.push_back(t.size(axis));
        v.strides.push_back(t.strides()[axis]);
      }
      return v;
    };
    auto text = [](const View& v) {
      return "shape " + to_string(Dims(v.shape)) + " strides " + to_string(Dims(v.strides)) + " offset " +
             std::to_string(v.offset);
    };
    auto same = [&](const char* what, const View& yours, const Tensor& t) {
      e.check(what, text(yours), text(view_of(t)));
    };
    Tensor x = Tensor::arange(0, 120).view({4, 5, 6}), square = Tensor::arange(0, 49).view({7, 7});
    Tensor column = Tensor::arange(0, 3).view({3, 1});
    same("transpose(0, 2)", transpose(view_of(x), 0, 2), x.transpose(0, 2));
    same("slice(1, 1, 5, 2)", slice(view_of(x), 1, 1, 5, 2), x.slice(1, 1, 5, 2));
    same("slice(2, 0, 6, 4)", slice(view_of(x), 2, 0, 6, 4), x.slice(2, 0, 6, 4));
    same("select(1, 3)", select(view_of(x), 1, 3), x.select(1, 3));
    same("expand [3, 1] to [3, 4]", expand(view_of(column), {3, 4}), column.expand({3, 4}));
    same("expand [3, 1] to [3, 1]", expand(view_of(column), {3, 1}), column.expand({3, 1}));
    same("diagonal", diagonal(view_of(square)), diagonal(square));
    Tensor chain = x.transpose(0, 1).slice(0, 1, 5, 3).select(1, 2);
    same("transpose, slice, select", select(slice(transpose(view_of(x), 0, 1), 0, 1, 5, 3), 1, 2), chain);
    same("diagonal of a transposed slice", diagonal(transpose(slice(view_of(square), 0, 0, 7, 1), 0, 1)),
         diagonal(square.transpose(0, 1)));
  });
}
