#include "nn/attention/evaluators/snapkv.h"

#include <fmt/format.h>

#include "tensor/error.h"

namespace heed::nn {

SnapKV::SnapKV(const Settings& s) : settings(s) {
  if (s.window > s.capacity || s.pooled % 2 == 0)
    throw ValueError(
        fmt::format("snapkv: the window must fit into the capacity, and the neighbours that are averaged must be an "
                    "odd number; got {}, {} and {}",
                    s.window, s.capacity, s.pooled));
}

}  // namespace heed::nn
