#include "autograd/ops_index.h"

#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_shape.h"
#include "tensor/elementwise.h"
#include "tensor/half_matrix.h"

namespace heed {

Variable index_select(const Variable& table, const Tensor& index) {
  if (table.rank() == 0) throw ShapeError("index_select: the table needs at least one axis; got []");
  return index_select(table, 0, index);
}

Variable index_select(const Variable& x, int64_t axis_, const Tensor& index) {
  int axis = normal_axis("index_select", axis_, x.rank());
  return attach("index_select", {x}, index_select(x.value(), axis, index),
                [si = save(index), axis, size = x.shape()[axis]](Grads& g, const Variable& dy) {
                  Tensor at = g[si].value();
                  if (axis == 0) return g.add(0, index_add(dy, at, size));
                  // dy [A.., index.., D..] -> [index.., A.., D..], added up by rows, and back.
                  Dims front;
                  for (int i = 0; i < at.rank(); ++i) front.push_back(axis + i);
                  for (int i = 0; i < dy.rank(); ++i)
                    if (i < axis || i >= axis + at.rank()) front.push_back(i);
                  g.add(0, movedim(index_add(permute(dy, front), at, size), 0, axis));
                });
}

Variable index_add(const Variable& x, const Tensor& index, int64_t size) {
  Shape shape{size};
  for (int i = index.rank(); i < x.rank(); ++i) shape.push_back(x.shape()[i]);
  Tensor y = Tensor::zeros(shape, x.dtype());
  index_add_into(y, index, x.value());
  return attach("index_add", {x}, y,
                [si = save(index)](Grads& g, const Variable& dy) { g.add(0, index_select(dy, g[si].value())); });
}

Variable gather(const Variable& x, int64_t axis_, const Tensor& index) {
  int axis = normal_axis("gather", axis_, x.rank());
  return attach("gather", {x}, gather(x.value(), axis, index),
                [si = save(index), axis, shape = x.shape()](Grads& g, const Variable& dy) {
                  g.add(0, scatter_add(Tensor::zeros(shape, dy.dtype()), axis, g[si].value(), dy));
                });
}

Variable scatter_add(const Variable& x, int64_t axis_, const Tensor& index, const Variable& src) {
  int axis = normal_axis("scatter_add", axis_, x.rank());
  Variable part = src;  // the part of src that the index reaches
  for (int i = 0; src.rank() == index.rank() && i < src.rank(); ++i)
    if (index.shape()[i] < part.shape()[i]) part = narrow(part, i, 0, index.shape()[i]);
  Tensor y = x.value().clone();
  scatter_add_into(y, axis, index, part.value());
  return attach("scatter_add", {x, part}, y, [si = save(index), axis](Grads& g, const Variable& dy) {
    g.add(0, dy);
    if (g.needs(1)) g.add(1, gather(dy, axis, g[si].value()));
  });
}

Variable gather(const Variable& x, const Tensor& index) {
  Tensor y = gather_last(x.value(), index);  // before x.size(-1): it refuses a scalar in its own name
  return attach("gather", {x}, y, [si = save(index), n = x.size(-1)](Grads& g, const Variable& dy) {
    g.add(0, scatter_add(dy, g[si].value(), n));
  });
}

Variable scatter_add(const Variable& x, const Tensor& index, int64_t size) {
  if (x.rank() == 0) throw ShapeError("scatter_add: needs at least one axis; got []");
  Shape shape = x.shape();
  shape[shape.rank() - 1] = size;
  Tensor y = Tensor::zeros(shape, x.dtype());
  scatter_add_last_into(y, index, x.value());
  return attach("scatter_add", {x}, y,
                [si = save(index)](Grads& g, const Variable& dy) { g.add(0, gather(dy, g[si].value())); });
}

Variable embedding(const Variable& table, const Tensor& ids, int64_t padding) {
  if (table.rank() != 2 || padding >= table.size(0))
    throw ShapeError(fmt::format("embedding: needs a table [V, D] that has the row of padding; got {} and padding {}",
                                 to_string(table.shape()), padding));
  if (const HalfMatrix* half = HalfMatrix::behind(table.value())) return Variable(half->rows(ids));
  if (padding < 0) return index_select(table, ids);
  return attach("embedding", {table}, index_select(table.value(), ids),
                [si = save(ids), padding, rows = table.size(0)](Grads& g, const Variable& dy) {
                  Tensor at = g[si].value(), is_padding = equal(at, static_cast<double>(padding)).unsqueeze(-1);
                  g.add(0, index_add(masked_fill(dy, is_padding, 0), at, rows));
                });
}

Sorted sort(const Variable& x, int64_t axis, const SortOptions& options) {
  Tensor at = argsort(x.value(), axis, options);
  return {gather(x, axis, at), at};
}

Sorted topk(const Variable& x, int64_t k, int64_t axis, const TopKOptions& options) {
  Tensor at = argtopk(x.value(), k, axis, options);
  return {gather(x, axis, at), at};
}

}  // namespace heed
