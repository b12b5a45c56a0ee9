// The caching allocator: freed blocks wait in lists by size, so that a training step after the first asks the operating
// system for nothing.
//
// Sizes are rounded up to geometric classes, four to an octave (64, 80, 96, 112, 128, 160, ...), at most 25 % waste.
// Lists are thread-local. What waits is capped; trim() gives it back. Under sanitizers caching is off, since a recycled
// block would blind them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

void* allocate(size_t bytes);                         // 64-byte aligned, never null (throws std::bad_alloc)
void deallocate(void* block, size_t bytes) noexcept;  // `bytes` as asked for
void trim();                                          // give this thread's waiting blocks back to the system

struct AllocatorStats {
  uint64_t system_allocations = 0;  // times the system was asked, over the life of this thread
  uint64_t total_bytes = 0;         // ever handed out, in class sizes
  uint64_t live_bytes = 0;          // handed out and not yet returned, in class sizes
  uint64_t peak_bytes = 0;          // highest live_bytes since reset_peak()
  uint64_t cached_bytes = 0;        // waiting in the lists
};
AllocatorStats allocator_stats();
void reset_peak();
void set_cache_limit(size_t bytes);  // default 2 GiB a thread

}  // namespace heed
