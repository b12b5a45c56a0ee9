// Creates an optional part of a model if the options ask for it:
//   std::optional<Linear> bridge = made_if<Linear>(wanted, ..);
#pragma once

#include <optional>
#include <utility>

#include "tensor/random.h"

namespace heed::nn {

template <class M>
std::optional<M> made_if(bool wanted, const typename M::Options& options, Generator& rng) {
  if (!wanted) return std::nullopt;
  return std::optional<M>(std::in_place, options, rng);
}

}  // namespace heed::nn
