#include "tensor/row_places.h"

namespace heed {

namespace {
constinit thread_local RowPlaces rows_now = {};
}  // namespace

RowPlaces row_places() { return rows_now; }
RowScope::RowScope(const RowPlaces& places) : scope_(rows_now, places) {}

bool RowPlaces::fit(const Shape& shape) const {
  return rows > 0 && axis < shape.rank() && shape[axis] > 0 && shape[axis] % rows == 0;
}

int64_t RowPlaces::whole_count(const Shape& shape) const {
  int64_t count = 1;
  for (int i = 0; i < shape.rank(); ++i) count *= i == axis && fit(shape) ? whole(shape[i]) : shape[i];
  return count;
}

}  // namespace heed
