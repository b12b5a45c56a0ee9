// A small thread pool. parallel_for cuts [begin, end) into pieces, which the threads take as they become free; the
// caller works too.
//
// A piece has about `grain` items or more. The caller finishes a smaller one before another thread has woken up. A
// range of at most `grain` items stays on the calling thread. How the range is cut never changes a result: every kernel
// computes each output entirely inside one piece. A nested call runs on the calling thread. If f throws, the caller
// gets the exception. Pieces must not wait for each other: one thread may compute all of them.
//
// Several threads of a program may call it at once. Each works on its own loop, and the workers of the pool help all of
// them. No more threads compute at a time than thread_count(): n callers leave that number minus n for workers.
//
// If the system refuses a thread (memory, `ulimit -u`), fewer are used, and a note on standard error says how many.
#pragma once

#include <cstdint>

namespace heed {

int thread_count();            // threads that parallel_for may use, the calling one included; processors.h at first
void set_thread_count(int n);  // 1 to 256; ValueError otherwise

// Seconds that callers waited for the last piece of another thread, and seconds that the other threads worked, while a
// LoopClock exists anywhere (profile.h has one).
struct LoopTimes {
  double waited = 0, helped = 0;
};
LoopTimes loop_times();
class LoopClock {
 public:
  LoopClock();
  ~LoopClock();
  LoopClock(const LoopClock&) = delete;
  LoopClock& operator=(const LoopClock&) = delete;
};

using RangeFunction = void (*)(void* context, int64_t begin, int64_t end);
void parallel_ranges(int64_t begin, int64_t end, int64_t grain, RangeFunction call, void* context);

template <class F>  // F: void(int64_t begin, int64_t end)
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  if (end - begin <= grain || thread_count() == 1) {
    if (begin < end) f(begin, end);
    return;
  }
  auto call = [](void* context, int64_t b, int64_t e) { (*static_cast<const F*>(context))(b, e); };
  parallel_ranges(begin, end, grain, call, const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace heed
