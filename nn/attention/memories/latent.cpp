#include "nn/attention/memories/latent.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "autograd/ops.h"

namespace heed::nn {

LatentMemory::LatentMemory(const Variable& up_keys, const Variable& up_values, int64_t heads, int64_t rotary)
    : up_keys_(up_keys), up_values_(up_values), heads_(heads), rotary_(rotary) {
  bool matrices = up_keys.rank() == 2 && up_values.rank() == 2 && up_keys.size(0) == up_values.size(0);
  if (!matrices || heads < 1 || up_keys.size(1) % heads != 0 || up_values.size(1) % heads != 0)
    throw ShapeError(fmt::format("LatentMemory: needs matrices [r, G K] and [r, G V] for G heads; got {} and {} for {}",
                                 to_string(up_keys.shape()), to_string(up_values.shape()), heads));
}

void LatentMemory::append(const HeadMemory& words) {
  const Variable& c = words.keys;
  int64_t width = rank() + rotary_;
  if (c.rank() != 4 || c.size(1) != 1 || c.size(3) != width || words.values.defined())
    throw ShapeError(fmt::format("LatentMemory: needs rows [B, 1, n, {}] and no values; got {}{}", width,
                                 to_string(c.shape()), words.values.defined() ? " with values" : ""));
  // A graph may keep the rows of one step, so those of the next must not be written beside them.
  if (grad_enabled() || joined_.defined()) {
    joined_ = this->words() > 0 ? concat({rows(), c}, 2) : c;
    return;
  }
  narrow_.append({c, Variable(Tensor::empty({c.size(0), 1, c.size(2), 0}, c.dtype()))});
}

Variable LatentMemory::rows() const { return joined_.defined() ? joined_ : narrow_.view().keys; }

// c [B, 1, S, r] -> [B, G, S, width of a head]
Variable LatentMemory::widened(const Variable& c, const Variable& up) const {
  Variable all = matmul(squeeze(c, 1), up);
  return transpose(reshape(all, {all.size(0), all.size(1), heads_, all.size(2) / heads_}), 1, 2);
}

HeadMemory LatentMemory::view() const {
  if (words() == 0) return {};
  if (!up_keys_.defined()) return {rows(), {}};
  int64_t r = rank();
  Variable all = rows(), c = slice(all, -1, 0, r), keys = widened(c, up_keys_);
  if (rotary_ > 0) {
    Variable shared = slice(all, -1, r, r + rotary_);
    keys = concat({keys, expand(shared, {all.size(0), heads_, all.size(2), rotary_})}, -1);
  }
  return {keys, widened(c, up_values_)};
}

void LatentMemory::keep(const Tensor& rows) {
  if (joined_.defined())
    joined_ = index_select(joined_, 0, rows);
  else
    narrow_.keep(rows);
}

int64_t LatentMemory::bytes() const {
  if (!joined_.defined()) return narrow_.bytes();
  return joined_.value().count() * (joined_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
