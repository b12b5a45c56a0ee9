#include "tensor/kernels/machine.h"

#include <algorithm>

#if defined(__x86_64__) && !defined(__AVX__) && !defined(__clang__)
namespace heed {
namespace {

// The other parts of x86-64-v3 and x86-64-v4 have come with these in every processor so far.
int widest() {
#if defined(__OPTIMIZE__)
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
            __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? 64 : v3 ? 32 : 16;
#else
  return 16;
#endif
}

int& chosen() {
  static int bytes = widest();
  return bytes;
}

}  // namespace

int register_bytes() { return chosen(); }
void set_register_bytes(int bytes) { chosen() = std::min(bytes, widest()); }

}  // namespace heed
#endif
