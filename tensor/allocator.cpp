#include "tensor/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace heed {
namespace {

#if defined(HEED_SANITIZED)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

constexpr size_t kAlign = 64;
constexpr int kClasses = 4 * 48;  // four an octave, far past any machine's memory

struct FreeBlock {
  FreeBlock* next;
};

// 64 -> 0, 80 -> 1, 96 -> 2, 112 -> 3, 128 -> 4, 160 -> 5, ...
int class_of(size_t bytes) {
  if (bytes <= 64) return 0;
  int octave = static_cast<int>(std::bit_width(bytes - 1)) - 1;          // 2^octave < bytes <= 2^(octave+1)
  size_t quarter = (bytes - 1 - (size_t{1} << octave)) >> (octave - 2);  // 0..3
  return 4 * (octave - 6) + static_cast<int>(quarter) + 1;
}
size_t class_bytes(int c) {
  if (c == 0) return 64;
  int octave = (c - 1) / 4 + 6;
  auto quarter = static_cast<size_t>((c - 1) % 4) + 1;
  return (size_t{1} << octave) + (quarter << (octave - 2));
}

struct Cache {
  FreeBlock* lists[kClasses] = {};
  AllocatorStats stats;
  size_t limit = size_t{2} << 30;
  ~Cache() { release(); }
  void release() {
    for (auto& list : lists)
      while (list) std::free(std::exchange(list, list->next));
    stats.cached_bytes = 0;
  }
};

// Blocks freed while the thread is being torn down must not touch a dead cache.
thread_local bool cache_alive = false;
struct CacheOwner {
  Cache cache;
  CacheOwner() { cache_alive = true; }
  ~CacheOwner() { cache_alive = false; }
};
Cache& cache() {
  thread_local CacheOwner owner;
  return owner.cache;
}

}  // namespace

void* allocate(size_t bytes) {
  Cache& own = cache();
  int c = class_of(bytes);
  size_t size = class_bytes(c);
  own.stats.total_bytes += size;
  own.stats.live_bytes += size;
  own.stats.peak_bytes = std::max(own.stats.peak_bytes, own.stats.live_bytes);
  if (FreeBlock* block = own.lists[c]) {
    own.lists[c] = block->next;
    own.stats.cached_bytes -= size;
    return block;
  }
  ++own.stats.system_allocations;
  // Sanitized builds ask for what was asked, rounded to the alignment, so that an overrun is seen.
  size_t request = kCaching ? size : (std::max(bytes, size_t{1}) + kAlign - 1) / kAlign * kAlign;
  void* block = std::aligned_alloc(kAlign, (request + kAlign - 1) / kAlign * kAlign);
  if (!block) {
    own.stats.total_bytes -= size;
    own.stats.live_bytes -= size;
    throw std::bad_alloc();
  }
  return block;
}

void deallocate(void* block, size_t bytes) noexcept {
  if (!cache_alive) return std::free(block);
  Cache& own = cache();
  int c = class_of(bytes);
  size_t size = class_bytes(c);
  own.stats.live_bytes -= std::min<uint64_t>(own.stats.live_bytes, size);
  if (!kCaching || own.stats.cached_bytes + size > own.limit) return std::free(block);
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = own.lists[c];
  own.lists[c] = freed;
  own.stats.cached_bytes += size;
}

void trim() { cache().release(); }
AllocatorStats allocator_stats() { return cache().stats; }
void reset_peak() { cache().stats.peak_bytes = cache().stats.live_bytes; }
void set_cache_limit(size_t bytes) { cache().limit = bytes; }

}  // namespace heed
