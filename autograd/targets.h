// Targets of a classification: one class index a row, some of which count for nothing. What cross_entropy and nll_loss
// share.
#pragma once

#include "autograd/variable.h"

namespace heed {

// Which targets count, how many, and indices that are safe to look up (0 where ignored). R rows.
struct Targets {
  Tensor counts, safe;  // [R] bool, [R] i64
  double number = 0;
};

// rows [.., V], targets [..] i64, each in [0, V) or ignore_index. `rows_name` is what errors call the rows.
Targets check_targets(const char* operation, const char* rows_name, const Variable& rows, const Tensor& targets,
                      int64_t ignore_index);

}  // namespace heed
