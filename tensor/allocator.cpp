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
constexpr int class_of(size_t bytes) {
  if (bytes <= 64) return 0;
  int octave = static_cast<int>(std::bit_width(bytes - 1)) - 1;          // 2^octave < bytes <= 2^(octave+1)
  size_t quarter = (bytes - 1 - (size_t{1} << octave)) >> (octave - 2);  // 0..3
  return 4 * (octave - 6) + static_cast<int>(quarter) + 1;
}
constexpr size_t class_bytes(int c) {
  if (c == 0) return 64;
  int octave = (c - 1) / 4 + 6;
  auto quarter = static_cast<size_t>((c - 1) % 4) + 1;
  return (size_t{1} << octave) + (quarter << (octave - 2));
}

// Small blocks (nodes, handles, short tensors) look their class up.
constexpr size_t kSmall = 1024, kStep = 16;
struct SmallClasses {
  uint8_t of[kSmall / kStep + 1];
};
constexpr SmallClasses small = [] {
  SmallClasses table{};
  for (size_t i = 0; i <= kSmall / kStep; ++i) table.of[i] = static_cast<uint8_t>(class_of(i * kStep));
  return table;
}();
struct ClassBytes {
  size_t of[kClasses];
};
constexpr ClassBytes sizes = [] {
  ClassBytes table{};
  for (int c = 0; c < kClasses; ++c) table.of[c] = class_bytes(c);
  return table;
}();
inline int find_class(size_t bytes) {
  return bytes <= kSmall ? small.of[(bytes + kStep - 1) / kStep] : class_of(bytes);
}

struct Cache {
  FreeBlock* lists[kClasses];
  AllocatorStats stats;
  size_t limit;
  bool closed;  // the thread is being torn down: what is freed now goes straight to the system
};
constinit thread_local Cache own{{}, {}, size_t{2} << 30, false};  // no constructor: no check at each access

void release() {
  for (auto& list : own.lists)
    while (list) std::free(std::exchange(list, list->next));
  own.stats.cached_bytes = 0;
}

// Made by the first request to the system: what the thread leaves behind is given back at its end.
struct AtThreadEnd {
  ~AtThreadEnd() {
    release();
    own.closed = true;
  }
};

void* from_system(size_t bytes, size_t size) {
  thread_local AtThreadEnd give_back;
  static_cast<void>(give_back);
  ++own.stats.system_allocations;
  // Sanitized builds ask for what was asked, rounded to the alignment, so that an overrun is seen.
  size_t request = kCaching ? size : std::max(bytes, size_t{1});
  void* block = std::aligned_alloc(kAlign, (request + kAlign - 1) / kAlign * kAlign);
  if (!block) {
    own.stats.total_bytes -= size;
    own.stats.live_bytes -= size;
    throw std::bad_alloc();
  }
  return block;
}

}  // namespace

void* allocate(size_t bytes) {
  int c = find_class(bytes);
  size_t size = sizes.of[c];
  own.stats.total_bytes += size;
  own.stats.live_bytes += size;
  own.stats.peak_bytes = std::max(own.stats.peak_bytes, own.stats.live_bytes);
  FreeBlock* block = own.lists[c];
  if (!block) return from_system(bytes, size);
  own.lists[c] = block->next;
  own.stats.cached_bytes -= size;
  return block;
}

void deallocate(void* block, size_t bytes) noexcept {
  int c = find_class(bytes);
  size_t size = sizes.of[c];
  own.stats.live_bytes -= std::min<uint64_t>(own.stats.live_bytes, size);
  if (!kCaching || own.closed || own.stats.cached_bytes + size > own.limit) return std::free(block);
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = own.lists[c];
  own.lists[c] = freed;
  own.stats.cached_bytes += size;
}

void trim() { release(); }
AllocatorStats allocator_stats() { return own.stats; }
void reset_peak() { own.stats.peak_bytes = own.stats.live_bytes; }
void set_cache_limit(size_t bytes) { own.limit = bytes; }

}  // namespace heed
