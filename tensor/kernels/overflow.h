// Softmax of scores that overflowed: 1e30 times 1e30 is +inf in f32.
//
//   softmax(r)_i = exp(r_i - m) / Z,   m = max r       if m = +inf, r_i - m is inf - inf = NaN at every such score
//
// The rule here: the scores that overflowed share the weight equally, and all others get 0. That is the limit of the
// formula when these scores grow together. Which of them was the largest is no longer known.
//
//   scores            2    +inf   -7    +inf
//   without_overflow  -inf    0   -inf    0        the new maximum is 0
//   softmax           0     1/2   0     1/2
//
//   log softmax       -inf  -log 2  -inf  -log 2   so cross-entropy is 0 where the target alone overflowed
//
// Softmax, log-softmax and cross-entropy (softmax.cpp) and both passes of tiled attention (tiled_attention.h) use it,
// so that dense and tiled attention agree.
#pragma once

#include <cstdint>
#include <limits>

namespace heed {

// x [n] is a row whose maximum is +inf. Replaces each +inf by 0 and every other score by -inf; a NaN stays. Returns the
// new maximum, 0. Such rows are rare, so this is kept out of the loops around it.
template <class T>
[[gnu::cold, gnu::noinline]] T without_overflow(T* x, int64_t n) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < n; ++i)
    if (x[i] == x[i]) x[i] = x[i] == inf ? T{0} : -inf;
  return 0;
}

}  // namespace heed
