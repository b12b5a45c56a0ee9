// What a training step costs, counted: the most bytes alive, and the multiply-adds of its matrix products.
//
// Both are counts of the library, not estimates: the allocator adds up what is alive (tensor/allocator.h), and every
// matrix product reports its multiply-adds to a Profile (tensor/profile.h).
#pragma once

#include <chrono>
#include <functional>

#include "autograd/variable.h"
#include "tensor/allocator.h"
#include "tensor/profile.h"

namespace scale {

struct Cost {
  double bytes = 0;     // most bytes alive during the step, in addition to those before it
  double products = 0;  // multiply-adds
  double seconds = 0;   // shown, never claimed
};

inline Cost cost_of(const std::function<void()>& step) {
  using Clock = std::chrono::steady_clock;
  heed::Profile profile;
  auto before = static_cast<double>(heed::allocator_stats().live_bytes);
  heed::reset_peak();
  Clock::time_point start = Clock::now();
  step();
  Cost cost{.seconds = std::chrono::duration<double>(Clock::now() - start).count()};
  cost.bytes = static_cast<double>(heed::allocator_stats().peak_bytes) - before;
  for (const heed::ProfileRow& row : profile.rows())
    if (row.is_product) cost.products += row.work;
  return cost;
}

// Bytes of one tensor of this shape, as the allocator counts them.
inline double bytes_of(const heed::Shape& shape) {
  auto before = static_cast<double>(heed::allocator_stats().live_bytes);
  heed::Tensor one = heed::Tensor::zeros(shape);
  return static_cast<double>(heed::allocator_stats().live_bytes) - before;
}

}  // namespace scale
