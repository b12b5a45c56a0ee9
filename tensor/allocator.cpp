#include "tensor/allocator.h"

#include <new>
#include <utility>

#include "tensor/thread_end.h"

namespace heed {

using detail::blocks;

void trim() {
  for (auto& list : blocks.lists)
    while (list) std::free(std::exchange(list, list->next));
  blocks.stats.cached_bytes = 0;
}

// Called before the first block enters empty free lists: makes the thread return its cached blocks when it ends. A
// thread that only frees memory of others therefore leaks nothing.
void detail::watch_thread_end() {
  static const ThreadEnd give_back([](void*) {
    trim();
    blocks.closed = true;
  });
  give_back.watch();
}

void* detail::from_system(size_t bytes, size_t class_size) {
  constexpr size_t kAlign = 64;
  ++blocks.stats.system_allocations;
  // Sanitized builds allocate the exact size, rounded up to the alignment, so that the sanitizer sees an overrun.
  size_t request = kCaching ? class_size : std::max(bytes, size_t{1});
  void* block = std::aligned_alloc(kAlign, (request + kAlign - 1) / kAlign * kAlign);
  if (!block) {
    blocks.stats.total_bytes -= class_size;
    blocks.stats.live_bytes -= class_size;
    throw std::bad_alloc();
  }
  return block;
}

AllocatorStats allocator_stats() { return blocks.stats; }
void reset_peak() { blocks.stats.peak_bytes = blocks.stats.live_bytes; }
void set_cache_limit(size_t bytes) { blocks.limit = bytes; }

}  // namespace heed
