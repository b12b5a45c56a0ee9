// The caching allocator: freed blocks are kept in free lists by size. After the first training step, the next ones find
// all their memory there and ask the operating system for none.
//
// Sizes are rounded up to geometric size classes, four per power of two (64, 80, 96, 112, 128, 160, ...), which wastes
// at most 25 %. The free lists are thread-local. Their total size is limited, and trim() empties them. Blocks of 256
// KiB and more come from chunks that all threads share (arena.h). Under sanitizers caching is off, because a reused
// block would hide errors from them.
//
// allocate and deallocate are inline: a small operation needs three blocks, most of them of a size that the compiler
// knows, so it can compute the size class at compile time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tensor/arena.h"

namespace heed {

struct AllocatorStats {
  uint64_t system_allocations = 0;  // calls to the operating system, over the life of this thread
  uint64_t total_bytes = 0;         // allocated so far, in class sizes (of large blocks: their own)
  uint64_t live_bytes = 0;          // allocated and not yet freed, in the same sizes
  uint64_t peak_bytes = 0;          // highest live_bytes since reset_peak()
  uint64_t cached_bytes = 0;        // in the free lists
  uint64_t arena_bytes = 0;         // of the chunks of large blocks, used and free, of all threads
};

namespace detail {

#if defined(HEED_SANITIZED)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

// Four per power of two, more than any machine's memory needs: up to 2 GiB where addresses have 32 bits (WebAssembly).
constexpr int kClasses = 4 * (sizeof(size_t) == 8 ? 48 : 25);

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

// Small blocks (nodes, handles, short tensors) find their class in a table.
constexpr size_t kSmall = 1024, kStep = 16;
struct ClassTables {
  uint8_t small[kSmall / kStep + 1];  // class of i * kStep bytes
  size_t bytes[kClasses];             // of class c
};
inline constexpr ClassTables classes = [] {
  ClassTables t{};
  for (size_t i = 0; i <= kSmall / kStep; ++i) t.small[i] = static_cast<uint8_t>(class_of(i * kStep));
  for (int c = 0; c < kClasses; ++c) t.bytes[c] = class_bytes(c);
  return t;
}();
inline int find_class(size_t bytes) {
  return bytes <= kSmall ? classes.small[(bytes + kStep - 1) / kStep] : class_of(bytes);
}

struct FreeBlock {
  FreeBlock* next;
};
struct BlockCache {
  FreeBlock* lists[kClasses];
  AllocatorStats stats;
  size_t limit;
  bool closed;  // the thread is ending: blocks freed from now on go straight to the system
};
inline constinit thread_local BlockCache blocks{{}, {}, size_t{2} << 30, false};

void* from_system(size_t bytes, size_t class_size);
void* allocate_large(size_t bytes);
void deallocate_large(void* block, size_t bytes) noexcept;
void watch_thread_end();

}  // namespace detail

inline void* allocate(size_t bytes) {  // 64-byte aligned, never null (throws std::bad_alloc)
  if (detail::kCaching && bytes >= detail::kLargeBlock) return detail::allocate_large(bytes);
  detail::BlockCache& own = detail::blocks;
  int c = detail::find_class(bytes);
  size_t size = detail::classes.bytes[c];
  own.stats.total_bytes += size;
  own.stats.live_bytes += size;
  own.stats.peak_bytes = std::max(own.stats.peak_bytes, own.stats.live_bytes);
  detail::FreeBlock* block = own.lists[c];
  if (!block) return detail::from_system(bytes, size);
  own.lists[c] = block->next;
  own.stats.cached_bytes -= size;
  return block;
}

inline void deallocate(void* block, size_t bytes) noexcept {  // `bytes` as passed to allocate
  if (detail::kCaching && bytes >= detail::kLargeBlock) return detail::deallocate_large(block, bytes);
  detail::BlockCache& own = detail::blocks;
  int c = detail::find_class(bytes);
  size_t size = detail::classes.bytes[c];
  own.stats.live_bytes -= std::min<uint64_t>(own.stats.live_bytes, size);
  if (!detail::kCaching || own.closed || own.stats.cached_bytes + size > own.limit) return std::free(block);
  if (own.stats.cached_bytes == 0) detail::watch_thread_end();
  auto* freed = static_cast<detail::FreeBlock*>(block);
  freed->next = own.lists[c];
  own.lists[c] = freed;
  own.stats.cached_bytes += size;
}

void trim();  // returns this thread's cached blocks, and free chunks of large blocks, to the system
AllocatorStats allocator_stats();
void reset_peak();
void set_cache_limit(size_t bytes);  // of a thread's free lists; default: 2 GiB

}  // namespace heed
