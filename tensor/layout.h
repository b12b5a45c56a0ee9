// Layout: the shape and strides of a tensor, with what follows from them. Immutable, and shared by all tensors that are
// laid out alike, so that a Tensor is small and comparing two shapes is usually comparing two addresses.
//
//   element (i, j, k) is number  offset + i stride[0] + j stride[1] + k stride[2]  of the storage
//
// Each thread keeps the layouts that it used last in a small table. A layout that left the table lives as
// long as its tensors, so a program that meets ever new shapes does not grow.
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
extern const Layout kScalarLayout;  // shape [], also what an undefined tensor says it has

}  // namespace heed
