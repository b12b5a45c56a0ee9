#include "tensor/allocator.h"

#include <new>
#include <utility>

#include "tensor/placed.h"
#include "tensor/thread_end.h"

namespace heed {

using detail::blocks;

namespace {
void empty_lists() {
  for (auto& list : blocks.lists)
    while (list) std::free(std::exchange(list, list->next));
  blocks.stats.cached_bytes = 0;
}
}  // namespace

void trim() {
  empty_lists();
  detail::arena_trim();
}

// Called before the first block enters empty free lists: makes the thread return its cached blocks when it ends. A
// thread that only frees memory of others therefore leaks nothing.
void detail::watch_thread_end() {
  static const ThreadEnd give_back([](void*) {
    empty_lists();
    blocks.closed = true;
  });
  give_back.watch();
}

void* detail::from_system(size_t bytes, size_t class_size) {
  constexpr size_t kAlign = 64;
  ++blocks.stats.system_allocations;
  // Sanitized builds allocate the exact size, rounded up to the alignment, so that the sanitizer sees an overrun.
  size_t request = kCaching ? class_size : std::max(bytes, size_t{1});
  request = (request + kAlign - 1) / kAlign * kAlign;
  void* block = std::aligned_alloc(kAlign, request);
  if (!block) {
    arena_trim();
    block = std::aligned_alloc(kAlign, request);
  }
  if (!block) {
    blocks.stats.total_bytes -= class_size;
    blocks.stats.live_bytes -= class_size;
    throw std::bad_alloc();
  }
  return block;
}

void* detail::allocate_large(size_t bytes) {
  if (void* placed = take_placed()) return placed;
  bool asked = false;
  void* block = arena_allocate(bytes, asked);
  AllocatorStats& stats = blocks.stats;
  stats.system_allocations += asked;
  if (!block) throw std::bad_alloc();
  size_t size = arena_block_bytes(bytes);
  stats.total_bytes += size;
  stats.live_bytes += size;
  stats.peak_bytes = std::max(stats.peak_bytes, stats.live_bytes);
  return block;
}

void detail::deallocate_large(void* block, size_t bytes) noexcept {
  if (release_placed(block)) return;
  blocks.stats.live_bytes -= std::min<uint64_t>(blocks.stats.live_bytes, arena_block_bytes(bytes));
  arena_free(block);
}

AllocatorStats allocator_stats() {
  AllocatorStats stats = blocks.stats;
  stats.arena_bytes = detail::arena_bytes();
  return stats;
}
void reset_peak() { blocks.stats.peak_bytes = blocks.stats.live_bytes; }
void set_cache_limit(size_t bytes) { blocks.limit = bytes; }

}  // namespace heed
