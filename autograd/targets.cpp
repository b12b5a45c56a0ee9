#include "autograd/targets.h"

#include <fmt/format.h>

namespace heed {

Targets check_targets(const char* operation, const char* rows_name, const Variable& rows, const Tensor& targets,
                      int64_t ignore_index) {
  Shape expected = rows.shape();
  if (expected.rank()) expected.erase(expected.rank() - 1);
  if (rows.rank() == 0 || !(expected == targets.shape()) || targets.dtype() != DType::i64)
    throw ShapeError(fmt::format("{}: {} [.., V] need i64 targets [..]; got {} {} and targets {} {}", operation,
                                 rows_name, rows_name, to_string(rows.shape()), name_of(targets.dtype()),
                                 to_string(targets.shape())));
  int64_t R = targets.count(), V = rows.size(-1);
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
