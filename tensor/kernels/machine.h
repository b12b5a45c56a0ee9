// Vector code for the registers that this processor has. A kernel is written once, as a template of R, the bytes of a
// register (Lanes<T, R>, simd.h):
//
//   vectorised_for(0, n, grain, [&]<int R>(int64_t begin, int64_t end) { ... load<R>(x + i) ... });
//
// A portable build for x86-64 by GCC compiles it three times, for registers of 16, 32 and 64 bytes: SSE2, AVX2 with
// FMA, and AVX-512. The program asks the processor once which to run. Every other build compiles a kernel once, for
// the processor that the compiler's options name (-march=native; on Arm, NEON with 16 bytes).
//
// Everything that a kernel calls is inlined into it (`flatten`), because code for AVX-512 may not run elsewhere. So a
// kernel is a loop over numbers; a function without visible source, as of the C library, stays a call. Without
// optimisation nothing is inlined, and Clang's `flatten` reaches only the outermost calls: there, portable means SSE2.
#pragma once

#include "tensor/kernels/simd.h"
#include "tensor/thread_pool.h"

namespace heed {

// Body::run<R>(a...), compiled for registers of R bytes. `call` is an ordinary function, to be called or pointed at.
template <class Body, int R, class... A>
struct Compiled {
  static void call(A... a) { Body::template run<R>(a...); }
};

#if defined(__x86_64__) && !defined(__AVX__) && !defined(__clang__)
template <class Body, class... A>
struct Compiled<Body, 32, A...> {
  [[gnu::target("arch=x86-64-v3"), gnu::flatten]] static void call(A... a) { Body::template run<32>(a...); }
};
template <class Body, class... A>
struct Compiled<Body, 64, A...> {
  [[gnu::target("arch=x86-64-v4"), gnu::flatten]] static void call(A... a) { Body::template run<64>(a...); }
};

int register_bytes();          // 16, 32 or 64: what this processor has, or what a test asked for
void set_register_bytes(int);  // for tests: at most what the processor has. No thread may be computing

inline bool fuses_products() { return register_bytes() > 16; }  // is x y + z rounded only once?

// Calls f.operator()<R>(), R the bytes of a register here. f itself is compiled without AVX, so it should only choose.
template <class F>
decltype(auto) with_width(const F& f) {
#if defined(__OPTIMIZE__)
  if (register_bytes() == 64) return f.template operator()<64>();
  if (register_bytes() == 32) return f.template operator()<32>();
#endif
  return f.template operator()<16>();
}
#else
inline constexpr int register_bytes() { return kRegisterBytes; }
inline void set_register_bytes(int) {}
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool fuses_products() { return true; }
#else
inline constexpr bool fuses_products() { return false; }
#endif

template <class F>
decltype(auto) with_width(const F& f) {
  return f.template operator()<kRegisterBytes>();
}
#endif

struct CallWithWidth {
  template <int R, class F, class... A>
  static void run(const F& f, A... a) {
    f.template operator()<R>(a...);
  }
};

// Calls f.operator()<R>(a...), compiled for the registers of this processor.
template <class F, class... A>
void vectorised(const F& f, A... a) {
  with_width([&]<int R> { Compiled<CallWithWidth, R, const F&, A...>::call(f, a...); });
}

// parallel_for whose pieces are computed by f.operator()<R>(begin, end).
template <class F>
void vectorised_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  parallel_for(begin, end, grain, [&](int64_t b, int64_t e) { vectorised(f, b, e); });
}

}  // namespace heed
