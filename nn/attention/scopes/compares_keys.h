// A scope that multiplies queries by keys, as a score does, and so needs a score that takes both as they are (dot and
// scaled_dot): it could not read keys that the score has projected.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct ComparesKeys {
  virtual ~ComparesKeys() = default;

 protected:
  ComparesKeys() = default;
  ComparesKeys(ComparesKeys&&) = default;
  ComparesKeys& operator=(ComparesKeys&&) = default;
};

bool compares_keys(const Scope& scope);  // it, or one of those that it joins

}  // namespace heed::nn
