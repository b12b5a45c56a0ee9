#include "autograd/targets.h"

#include <fmt/format.h>

namespace heed {

Targets check_targets(const char* operation, const char* rows_name, const Variable& rows, const Tensor& targets,
                      int64_t ignore_index) {
  Shape expected = rows.shape();
  if (expected.rank()) expected.erase(expected.rank() - 1);
  if (targets.dtype() != DType::i64)
    throw DTypeError(fmt::format("{}: targets must be i64; got {} {}", operation, name_of(targets.dtype()),
                                 to_string(targets.shape())));
  if (rows.rank() == 0 || !(expected == targets.shape()))
    throw ShapeError(fmt::format("{}: {} [.., V] need targets [..]; got {} {} and targets {}", operation, rows_name,
                                 rows_name, to_string(rows.shape()), to_string(targets.shape())));
  dispatch_float(rows.dtype(), operation, [](auto) {});
  int64_t R = targets.count(), V = rows.size(-1);
  if (R > 0 && V == 0)
    throw ShapeError(
        fmt::format("{}: needs at least one class; got {} {}", operation, rows_name, to_string(rows.shape())));
  Targets t{Tensor::empty({R}, DType::boolean), Tensor::empty({R}, DType::i64)};
  Tensor flat = targets.contiguous();
  for (int64_t r = 0; r < R; ++r) {
    int64_t id = flat.data<int64_t>()[r];
    bool ignored = id == ignore_index;
    if (!ignored && (id < 0 || id >= V))
      throw IndexError(
          fmt::format("{}: a target must lie in [0, {}) or be ignored; got {} at position {}", operation, V, id, r));
    t.counts.data<bool>()[r] = !ignored;
    t.safe.data<int64_t>()[r] = ignored ? 0 : id;
    t.number += !ignored;
  }
  return t;
}

}  // namespace heed
