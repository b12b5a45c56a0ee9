// Marks a position scheme that turns each head in a way of its own. Where several heads of queries share a head of
// keys, they must be turned as it is.
#pragma once

#include <cstdint>

namespace heed::nn {

struct TurnsByHead {
  virtual ~TurnsByHead() = default;
  TurnsByHead() = default;
  TurnsByHead(TurnsByHead&&) = default;
  TurnsByHead& operator=(TurnsByHead&&) = default;
  virtual void share(int64_t kv_heads) = 0;  // before any call: so many heads of keys, a divisor of the heads
};

}  // namespace heed::nn
