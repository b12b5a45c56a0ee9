// Layout: the shape and strides of a tensor, and properties derived from them. A layout is immutable and shared by all
// tensors with the same shape and strides. So a Tensor is small, and two shapes are usually compared by address.
//
//   element (i, j, k) is number  offset + i stride[0] + j stride[1] + k stride[2]  of the storage
//
// Each thread keeps the layouts that it used most recently in a small table. A layout that has been evicted from the
// table lives as long as its tensors, so memory does not grow in a program that sees new shapes all the time.
#pragma once

#include "tensor/ref.h"
#include "tensor/shape.h"

namespace heed {

struct Layout : Counted<Layout> {
  Shape shape;
  Strides strides;
  int64_t count;    // of elements
  bool contiguous;  // row-major without gaps

  Layout(const Shape& shape, const Strides& strides);
  static Ref<const Layout> row_major(const Shape& shape);
  static Ref<const Layout> strided(const Shape& shape, const Strides& strides);
  static void destroy(const Layout* layout) noexcept;
};
using LayoutRef = Ref<const Layout>;
extern const Layout kScalarLayout;  // shape []; also the shape that an undefined tensor reports

}  // namespace heed
