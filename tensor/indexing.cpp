#include "tensor/indexing.h"

#include <fmt/format.h>

#include <cstring>

#include "tensor/elementwise.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

void require_indices(const char* operation, const Tensor& index, int64_t limit) {
  if (index.dtype() != DType::i64)
    throw DTypeError(
        fmt::format("{}: indices must be i64; got {} {}", operation, name_of(index.dtype()), to_string(index.shape())));
  const int64_t* p = index.data<int64_t>();
  for (int64_t i = 0, n = index.count(); i < n; ++i)
    if (p[i] < 0 || p[i] >= limit)
      throw IndexError(
          fmt::format("{}: an index must lie in [0, {}); got {} at position {}", operation, limit, p[i], i));
}

int64_t row_size(const Tensor& table) { return table.size(0) ? table.count() / table.size(0) : 0; }

// Sizes of index and x must agree on all axes but the last.
void require_same_lead(const char* operation, const Tensor& x, const Tensor& index) {
  bool same = x.rank() == index.rank() && x.rank() > 0;
  for (int i = 0; same && i + 1 < x.rank(); ++i) same = x.shape()[i] == index.shape()[i];
  if (!same)
    throw ShapeError(fmt::format("{}: all axes but the last must agree; got x {} and index {}", operation,
                                 to_string(x.shape()), to_string(index.shape())));
}

}  // namespace

Tensor index_select(const Tensor& table, const Tensor& index_) {
  if (table.rank() == 0) throw ShapeError("index_select: the table needs at least one axis; got []");
  Tensor rows = table.contiguous(), index = index_.contiguous();
  require_indices("index_select", index, table.size(0));
  Shape out = index.shape();
  for (int i = 1; i < table.rank(); ++i) out.push_back(table.shape()[i]);
  Kernel kernel("index_select", element_count(out));
  Tensor y = Tensor::empty(out, table.dtype());
  int64_t width = row_size(table), n = index.count();
  const int64_t* at = index.data<int64_t>();
  dispatch(table.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = rows.data<T>();
    T* to = y.data<T>();
    parallel_for(0, n, std::max<int64_t>(1, 32768 / std::max<int64_t>(width, 1)), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) std::copy(from + at[i] * width, from + (at[i] + 1) * width, to + i * width);
    });
  });
  return y;
}

void index_add_into(Tensor& dtable, const Tensor& index_, const Tensor& dy_) {
  Tensor index = index_.contiguous(), dy = dy_.contiguous();
  require_same_dtype("index_add_into", dtable, dy);
  require_indices("index_add_into", index, dtable.size(0));
  int64_t width = row_size(dtable), n = index.count();
  if (!dtable.is_contiguous() || dy.count() != n * width)
    throw ShapeError(
        fmt::format("index_add_into: needs a contiguous table [V, D] and dy [index.., D]; got {}, {} and {}",
                    to_string(dtable.shape()), to_string(index.shape()), to_string(dy.shape())));
  Kernel kernel("index_add", dy.count());
  const int64_t* at = index.data<int64_t>();
  dispatch_number(dtable.dtype(), "index_add_into", [&](auto zero) {
    using T = decltype(zero);
    const T* from = dy.data<T>();
    T* to = dtable.data<T>();
    parallel_for(0, width, std::max<int64_t>(64, 65536 / std::max<int64_t>(n, 1)), [&](int64_t b, int64_t e) {
      for (int64_t i = 0; i < n; ++i)  // columns are shared out, rows are added in order
        for (int64_t j = b; j < e; ++j) to[at[i] * width + j] += from[i * width + j];
    });
  });
  dtable.mark_written("index_add_into");
}

Tensor gather_last(const Tensor& x_, const Tensor& index_) {
  require_same_lead("gather", x_, index_);
  Tensor x = x_.contiguous(), index = index_.contiguous();
  int64_t n = x.size(-1), m = index.size(-1), rows = m ? index.count() / m : 0;
  require_indices("gather", index, n);
  Tensor y = Tensor::empty(index.shape(), x.dtype());
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < m; ++i) y.data<T>()[r * m + i] = x.data<T>()[r * n + index.data<int64_t>()[r * m + i]];
  });
  return y;
}

void scatter_add_last_into(Tensor& dx, const Tensor& index_, const Tensor& dy_) {
  require_same_lead("scatter_add", dx, index_);
  require_same_dtype("scatter_add", dx, dy_);
  Tensor index = index_.contiguous(), dy = dy_.contiguous();
  int64_t n = dx.size(-1), m = index.size(-1), rows = m ? index.count() / m : 0;
  require_indices("scatter_add", index, n);
  if (!dx.is_contiguous() || !(dy.shape() == index.shape()))
    throw ShapeError(
        fmt::format("scatter_add: index and values must have one shape, the target be contiguous; got {} and {}",
                    to_string(index.shape()), to_string(dy.shape())));
  dispatch_number(dx.dtype(), "scatter_add", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < m; ++i) dx.data<T>()[r * n + index.data<int64_t>()[r * m + i]] += dy.data<T>()[r * m + i];
  });
  dx.mark_written("scatter_add");
}

Tensor concat(const std::vector<Tensor>& parts, int64_t axis_) {
  if (parts.empty()) throw ValueError("concat: needs at least one tensor; got none");
  int axis = normal_axis("concat", axis_, parts[0].rank());
  Shape out = parts[0].shape();
  out[axis] = 0;
  for (const Tensor& p : parts) {
    require_same_dtype("concat", parts[0], p);
    Shape same = p.shape(), first = parts[0].shape();
    if (same.rank() == first.rank()) {
      out[axis] += same[axis];
      same[axis] = first[axis];
    }
    if (!(same == first))
      throw ShapeError(fmt::format("concat: all sizes but that of axis {} must agree; got {} and {}", axis,
                                   to_string(first), to_string(p.shape())));
  }
  Tensor y = Tensor::empty(out, parts[0].dtype());
  int64_t at = 0;
  for (const Tensor& p : parts) {
    Tensor place = y.slice(axis, at, at + p.shape()[axis]);
    copy_into(place, p);
    at += p.shape()[axis];
  }
  return y;
}

Tensor stack(const std::vector<Tensor>& parts, int64_t axis) {
  std::vector<Tensor> lifted;
  for (const Tensor& p : parts) lifted.push_back(p.unsqueeze(axis));
  if (parts.empty()) throw ValueError("stack: needs at least one tensor; got none");
  return concat(lifted, normal_axis("stack", axis, parts[0].rank() + 1));
}

Tensor one_hot(const Tensor& index_, int64_t classes, DType dtype) {
  Tensor index = index_.contiguous();
  require_indices("one_hot", index, classes);
  Shape out = index.shape();
  out.push_back(classes);
  Tensor y = Tensor::zeros(out, dtype);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < index.count(); ++i) y.data<T>()[i * classes + index.data<int64_t>()[i]] = T(1);
  });
  return y;
}

}  // namespace heed
