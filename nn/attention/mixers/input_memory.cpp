#include "nn/attention/mixers/input_memory.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

void InputMemory::append(const HeadMemory& words) {
  const Variable& x = words.keys;
  bool inputs = x.rank() == 4 && x.size(1) == 1 && !words.values.defined();
  bool fits = inputs && (!inputs_.defined() || (x.size(0) == inputs_.size(0) && x.size(3) == inputs_.size(3) &&
                                                x.dtype() == inputs_.dtype()));
  if (!fits)
    throw ShapeError(
        fmt::format("InputMemory: needs inputs [B, 1, n, D] that fit those that are kept, {}, and no values; got {}{}",
                    inputs_.defined() ? to_string(inputs_.shape()) : "none", to_string(x.shape()),
                    words.values.defined() ? " with values" : ""));
  inputs_ = inputs_.defined() ? concat({inputs_, x}, 2) : x;
}

HeadMemory InputMemory::view() const { return {inputs_, {}}; }

void InputMemory::keep(const Tensor& rows) {
  if (inputs_.defined()) inputs_ = index_select(inputs_, 0, rows);
}

int64_t InputMemory::bytes() const {
  return inputs_.defined() ? inputs_.value().count() * (inputs_.dtype() == DType::f64 ? 8 : 4) : 0;
}

}  // namespace heed::nn
