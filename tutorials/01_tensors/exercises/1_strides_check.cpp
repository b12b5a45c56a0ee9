// Hints and checks of exercise 01.1.
#include "tutorials/01_tensors/exercises/1_strides.h"

#include "tensor/rearrange.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::View;

View view_of(const Tensor& t) {
  View v{{}, {}, t.offset()};
  for (int axis = 0; axis < t.rank(); ++axis) v.shape.push_back(t.size(axis)), v.strides.push_back(t.strides()[axis]);
  return v;
}

// The functions are checked one after the other: what follows the first wrong one is not looked at.
void examine(app::Exercise& e) {
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

  if (!same("transpose(0, 2)", mine::transpose(view_of(x), 0, 2), x.transpose(0, 2))) return;
  bool right = same("slice(1, 1, 5, 2)", mine::slice(view_of(x), 1, 1, 5, 2), x.slice(1, 1, 5, 2));
  right = same("slice(2, 0, 6, 4)", mine::slice(view_of(x), 2, 0, 6, 4), x.slice(2, 0, 6, 4)) && right;
  right = same("slice(1, 2, 5, 2) of a view with offset 30", mine::slice(view_of(later), 1, 2, 5, 2),
               later.slice(1, 2, 5, 2)) &&
          right;
  if (!right || !same("select(1, 3)", mine::select(view_of(x), 1, 3), x.select(1, 3))) return;
  right = same("expand [3, 1, 2] to [3, 4, 2]", mine::expand(view_of(columns), {3, 4, 2}), columns.expand({3, 4, 2}));
  right = same("expand [4, 5, 6] to [4, 5, 6]", mine::expand(view_of(x), {4, 5, 6}), x) && right;
  if (!right) return;
  right = same("diagonal", mine::diagonal(view_of(matrix)), diagonal(matrix));
  right = same("diagonal of a view with strides [14, 2]", mine::diagonal(view_of(square)), diagonal(square)) && right;
  if (!right) return;
  const Tensor chain = x.transpose(0, 1).slice(0, 1, 5, 3).select(1, 2);
  same("transpose, slice, select", mine::select(mine::slice(mine::transpose(view_of(x), 0, 1), 0, 1, 5, 3), 1, 2),
       chain);
  same("diagonal of a transposed matrix", mine::diagonal(mine::transpose(view_of(square), 0, 1)),
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
  return e.run(argc, argv, examine);
}
