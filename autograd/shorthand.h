// Short forms that many operations share: attaching a linear map, saving an optional value, deviations from a mean, and
// the mean of losses.
#pragma once

#include <optional>

#include "autograd/attach.h"

namespace heed {

// y = A x for a linear map A:  dx = A^T dy, which `transposed` computes. Nothing is saved.
//
//   Variable flip(const Variable& x, const Dims& axes) {
//     return attach_linear("flip", x, flip(x.value(), axes), [=](const Variable& dy) { return flip(dy, axes); });
//   }
template <class F>
Variable attach_linear(const char* name, const Variable& x, const Tensor& y, F transposed) {
  return attach(name, {x}, y, [f = std::move(transposed)](Grads& g, const Variable& dy) { g.add(0, f(dy)); });
}

// save() of something that may be undefined: an optional bias, weight or mask.
//
//   [sm = save_optional(mask)](Grads& g, const Variable& dy) { Tensor m = sm.in(g); ... }
template <class T>
struct SavedOptional {
  std::optional<Saved> saved;
  T in(const Grads& g) const {
    if constexpr (std::is_same_v<T, Tensor>)
      return saved ? g[*saved].value() : Tensor();
    else
      return saved ? g[*saved] : Variable();
  }
};
template <class T>  // Tensor or Variable
SavedOptional<T> save_optional(const T& x) {
  return {x.defined() ? std::optional(save(x)) : std::nullopt};
}

// x - m, where m is the mean over the axes, minus the mean of that, which is the rounding error of m: small deviations
// keep their digits beside a large mean, and a row of equal numbers gives zeros.
Variable centred(const Variable& x, const Dims& axes);

// sum x / n [], for losses that are averaged over n words; right even where their sum leaves the range of the type.
Variable mean_of(const Variable& x, double n);

}  // namespace heed
