#include "tensor/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tensor/profile.h"
#include "tensor/rearrange.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

constexpr int64_t kAll = -1;

// a before b in ascending order, NaN last.
template <class T>
bool before(T a, T b) {
  return a < b || (b != b && a == a);
}

// The first k positions (all, if k is kAll) of the order of each row. Equal elements: the lower position first, in both
// directions.
Tensor first_places(const char* name, const Tensor& x, int64_t k, int64_t axis_, bool descending) {
  int axis = normal_axis(name, axis_, x.rank());
  int64_t n = x.shape()[axis];
  if (k == kAll) k = n;
  if (k > n)
    throw ValueError(
        fmt::format("{}: k must lie in [0, {}]; got {} on axis {} of {}", name, n, k, axis, to_string(x.shape())));
  Tensor rows = movedim(x, axis, -1).contiguous();  // [.., n]
  Shape out = rows.shape();
  out[out.rank() - 1] = k;
  Kernel kernel(name, x.count());
  Tensor places = Tensor::empty(out, DType::i64);
  int64_t* to = places.data<int64_t>();
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = rows.data<T>();
    parallel_for(0, n ? x.count() / n : 0, std::max<int64_t>(1, 2048 / std::max<int64_t>(n, 1)),
                 [&](int64_t b, int64_t e) {
                   std::vector<int64_t> order(static_cast<size_t>(n));
                   for (int64_t r = b; r < e; ++r) {
                     const T* row = from + r * n;
                     std::iota(order.begin(), order.end(), 0);
                     auto comes_first = [&](int64_t i, int64_t j) {
                       if (before(row[i], row[j])) return !descending;
                       if (before(row[j], row[i])) return descending;
                       return i < j;
                     };
                     if (k == n)
                       std::sort(order.begin(), order.end(), comes_first);
                     else
                       std::partial_sort(order.begin(), order.begin() + k, order.end(), comes_first);
                     std::copy(order.begin(), order.begin() + k, to + r * k);
                   }
                 });
  });
  return movedim(places, -1, axis);
}

}  // namespace

Tensor argsort(const Tensor& x, int64_t axis, const SortOptions& options) {
  return first_places("argsort", x, kAll, axis, options.descending);
}

Tensor argtopk(const Tensor& x, int64_t k, int64_t axis, const TopKOptions& options) {
  if (k < 0) throw ValueError(fmt::format("topk: k must not be negative; got {}", k));
  return first_places("topk", x, k, axis, options.largest);
}

}  // namespace heed
