#include "autograd/ops_sort.h"

#include "autograd/ops_index.h"

namespace heed {

Sorted sort(const Variable& x, int64_t axis, const SortOptions& options) {
  Tensor at = argsort(x.value(), axis, options);
  return {gather(x, axis, at), at};
}

Sorted topk(const Variable& x, int64_t k, int64_t axis, const TopKOptions& options) {
  Tensor at = argtopk(x.value(), k, axis, options);
  return {gather(x, axis, at), at};
}

}  // namespace heed
