#include "tensor/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tensor/elementwise.h"
#include "tensor/kernels/indexed_sums.h"
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

// Visits the entries of an index tensor in row-major order, each with the element of a contiguous x that it selects:
// the element at the entry's own coordinates, with the coordinate along the axis replaced by the index. It runs on one
// thread, so that additions to one element happen in the order of the index.
struct PickLoop {
  Shape shape;      // of the index
  Strides strides;  // of x, in elements; 0 along the axis, whose coordinate is the index
  int64_t limit = 0, step = 0;

  PickLoop(const char* operation, const Tensor& x, int64_t axis_, const Tensor& index) : shape(index.shape()) {
    int axis = normal_axis(operation, axis_, x.rank());
    bool fits = x.rank() == index.rank();
    for (int i = 0; fits && i < x.rank(); ++i) fits = i == axis || shape[i] <= x.shape()[i];
    if (!fits)
      throw ShapeError(
          fmt::format("{}: the index needs as many axes as x, none but axis {} longer; got x {} and index {}",
                      operation, axis, to_string(x.shape()), to_string(shape)));
    strides = contiguous_strides(x.shape());
    limit = x.shape()[axis];
    step = strides[axis];
    strides[axis] = 0;
  }

  template <class F>  // f(position in the index, element of x)
  void run(const int64_t* index, const F& f) const {
    int64_t count = element_count(shape);
    int last = shape.rank() - 1;
    int64_t at[kMaxRank] = {}, row = 0;  // row: the element at the start of this row of the index
    for (int64_t i = 0; i < count;) {
      for (int64_t j = 0; j < shape[last]; ++j, ++i) f(i, row + j * strides[last] + index[i] * step);
      for (int axis = last - 1; axis >= 0; --axis) {
        row += strides[axis];
        if (++at[axis] < shape[axis]) break;
        row -= strides[axis] * shape[axis];
        at[axis] = 0;
      }
    }
  }
};

}  // namespace

Tensor index_select(const Tensor& table, const Tensor& index) {
  if (table.rank() == 0) throw ShapeError("index_select: the table needs at least one axis; got []");
  return index_select(table, 0, index);
}

// x as [A, V, D]: whole runs of D elements are copied, one for each of A and each index.
Tensor index_select(const Tensor& x, int64_t axis_, const Tensor& index_) {
  int axis = normal_axis("index_select", axis_, x.rank());
  Tensor dense = x.contiguous(), index = index_.contiguous();
  int64_t V = x.shape()[axis], D = 1, n = index.count();
  require_indices("index_select", index, V);
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(x.shape()[i]);
  for (int64_t size : index.shape()) out.push_back(size);
  for (int i = axis + 1; i < x.rank(); ++i) out.push_back(x.shape()[i]), D *= x.shape()[i];
  Kernel kernel("index_select", element_count(out));
  Tensor y = Tensor::empty(out, x.dtype());
  int64_t runs = D ? y.count() / D : 0;  // A n
  const int64_t* at = index.data<int64_t>();
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = dense.data<T>();
    T* to = y.data<T>();
    parallel_for(0, runs, std::max<int64_t>(1, 32768 / std::max<int64_t>(D, 1)), [&](int64_t b, int64_t e) {
      for (int64_t r = b; r < e; ++r) {
        const T* run = from + (r / n * V + at[r % n]) * D;
        std::copy(run, run + D, to + r * D);
      }
    });
  });
  return y;
}

void index_add_into(Tensor& dtable, const Tensor& index_, const Tensor& dy_) {
  Tensor index = index_.contiguous(), dy = dy_.contiguous();
  if (&dy.storage() == &dtable.storage()) dy = dy.clone();  // read as it was before the write
  require_same_dtype("index_add_into", dtable, dy);
  require_indices("index_add_into", index, dtable.size(0));
  int64_t width = row_size(dtable), n = index.count();
  Shape wanted = index.shape();
  for (int i = 1; i < dtable.rank(); ++i) wanted.push_back(dtable.shape()[i]);
  if (!dtable.is_contiguous() || !(dy.shape() == wanted))
    throw ShapeError(
        fmt::format("index_add_into: needs a contiguous table [V, D] and dy [index.., D]; got {}, {} and {}",
                    to_string(dtable.shape()), to_string(index.shape()), to_string(dy.shape())));
  Kernel kernel("index_add", dy.count());
  const int64_t* at = index.data<int64_t>();
  Repeated repeated =
      repeated_places(n, n, dtable.size(0), [&](const auto& count) { std::for_each(at, at + n, count); });
  dispatch_number(dtable.dtype(), "index_add_into", [&](auto zero) {
    using T = decltype(zero);
    const T* from = dy.data<T>();
    T* to = dtable.data<T>();
    parallel_for(0, width, std::max<int64_t>(64, 65536 / std::max<int64_t>(n, 1)), [&](int64_t b, int64_t e) {
      auto add_row = [&](int64_t i) {
        for (int64_t j = b; j < e; ++j) to[at[i] * width + j] += from[i * width + j];
      };
      if (repeated.count == 0) {  // each thread has some columns; rows are added in order
        for (int64_t i = 0; i < n; ++i) add_row(i);
        return;
      }
      IndexedSums<T> sums(repeated, e - b);
      for (int64_t i = 0; i < n; ++i) {
        int32_t number = repeated[at[i]];
        number >= 0 ? sums.add(number, from + i * width + b) : add_row(i);
      }
      sums.add_totals_to(to + b, width);
    });
  });
  dtable.mark_written("index_add_into");
}

Tensor gather_last(const Tensor& x, const Tensor& index) {
  require_same_lead("gather", x, index);
  return gather(x, -1, index);
}

void scatter_add_last_into(Tensor& dx, const Tensor& index, const Tensor& dy) {
  require_same_lead("scatter_add", dx, index);
  scatter_add_into(dx, -1, index, dy);
}

Tensor gather(const Tensor& x_, int64_t axis, const Tensor& index_) {
  PickLoop loop("gather", x_, axis, index_);
  Tensor x = x_.contiguous(), index = index_.contiguous();
  require_indices("gather", index, loop.limit);
  Kernel kernel("gather", index.count());
  Tensor y = Tensor::empty(index.shape(), x.dtype());
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    T* to = y.data<T>();
    loop.run(index.data<int64_t>(), [&](int64_t i, int64_t element) { to[i] = from[element]; });
  });
  return y;
}

void scatter_add_into(Tensor& x, int64_t axis, const Tensor& index_, const Tensor& values_) {
  PickLoop loop("scatter_add", x, axis, index_);
  require_same_dtype("scatter_add", x, values_);
  Tensor index = index_.contiguous(), values = values_.contiguous();
  require_indices("scatter_add", index, loop.limit);
  if (&values.storage() == &x.storage()) values = values.clone();  // read as it was before the write
  if (!x.is_contiguous() || !(values.shape() == index.shape()))
    throw ShapeError(
        fmt::format("scatter_add: index and values must have one shape, the target be contiguous; got {} and {}",
                    to_string(index.shape()), to_string(values.shape())));
  Kernel kernel("scatter_add", index.count());
  const int64_t* at = index.data<int64_t>();
  int64_t most = index.count() ? loop.shape[normal_axis("scatter_add", axis, x.rank())] : 0;
  Repeated repeated = repeated_places(index.count(), most, x.count(), [&](const auto& count) {
    loop.run(at, [&](int64_t, int64_t element) { count(element); });
  });
  dispatch_number(x.dtype(), "scatter_add", [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data<T>();
    T* to = x.data<T>();
    if (repeated.count == 0) return loop.run(at, [&](int64_t i, int64_t element) { to[element] += from[i]; });
    IndexedSums<T> sums(repeated, 1);
    loop.run(at, [&](int64_t i, int64_t element) {
      int32_t number = repeated[element];
      number >= 0 ? sums.add(number, from + i) : void(to[element] += from[i]);
    });
    sums.add_totals_to(to, 1);
  });
  x.mark_written("scatter_add");
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
  if (parts.empty()) throw ValueError("stack: needs at least one tensor; got none");
  std::vector<Tensor> lifted;
  for (const Tensor& p : parts) {
    require_same_dtype("stack", parts[0], p);
    if (!(p.shape() == parts[0].shape()))
      throw ShapeError(fmt::format("stack: all must have one shape; got {} and {}", to_string(parts[0].shape()),
                                   to_string(p.shape())));
    lifted.push_back(p.unsqueeze(axis));
  }
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
