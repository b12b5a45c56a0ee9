#include "autograd/ops_index.h"

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed {

Variable index_select(const Variable& table, const Tensor& index) {
  return attach("index_select", {table}, index_select(table.value(), index),
                [si = save(index), rows = table.size(0)](Grads& g, const Variable& dy) {
                  g.add(0, index_add(dy, g[si].value(), rows));
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

Variable gather(const Variable& x, const Tensor& index) {
  return attach("gather", {x}, gather_last(x.value(), index),
                [si = save(index), n = x.size(-1)](Grads& g, const Variable& dy) {
                  g.add(0, scatter_add(dy, g[si].value(), n));
                });
}

Variable scatter_add(const Variable& x, const Tensor& index, int64_t size) {
  Shape shape = x.shape();
  shape[shape.rank() - 1] = size;
  Tensor y = Tensor::zeros(shape, x.dtype());
  scatter_add_last_into(y, index, x.value());
  return attach("scatter_add", {x}, y,
                [si = save(index)](Grads& g, const Variable& dy) { g.add(0, gather(dy, g[si].value())); });
}

Variable embedding(const Variable& table, const Tensor& ids, int64_t padding) {
  if (padding < 0) return index_select(table, ids);
  return attach("embedding", {table}, index_select(table.value(), ids),
                [si = save(ids), padding, rows = table.size(0)](Grads& g, const Variable& dy) {
                  Tensor at = g[si].value();
                  Tensor is_padding =
                      equal(at, Tensor::full({}, static_cast<double>(padding), DType::i64)).unsqueeze(-1);
                  g.add(0, index_add(masked_fill(dy, is_padding, 0), at, rows));
                });
}

}  // namespace heed
