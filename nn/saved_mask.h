// A mask that a fused operation keeps for its backward pass; undefined where everything is allowed. Reading it checks,
// as for any saved value, that nobody has overwritten it since (GraphError).
#pragma once

#include <optional>

#include "autograd/attach.h"

namespace heed::nn {

class SavedMask {
 public:
  explicit SavedMask(const Tensor& mask) {
    if (mask.defined()) saved_ = save(mask);
  }
  Tensor read(const Grads& grads) const { return saved_ ? grads[*saved_].value() : Tensor(); }

 private:
  std::optional<Saved> saved_;
};

}  // namespace heed::nn
