#include "tensor/arena.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include "tensor/allocator.h"

namespace heed::detail {
namespace {

// Precedes each block, free or not. The blocks of a chunk follow each other without gaps.
struct alignas(64) Header {
  size_t size;                        // bytes, of header and block
  size_t before;                      // the size of the block before this one, 0 at the beginning of a chunk
  bool free, last;                    // last: the chunk ends here
  Header *next_free, *previous_free;  // in the list of its size class, if it is free
};
constexpr size_t kHeader = sizeof(Header), kPage = 4096;
constexpr size_t kLeast = size_t{16} << 10;  // a smaller remainder is not split off
constexpr size_t kChunk = size_t{4} << 20;   // minimum size of a chunk
constexpr size_t kShare = 8;                 // a chunk is at least 1/8 of all chunks together, so that they stay few

Header* at(void* p, size_t bytes) { return reinterpret_cast<Header*>(static_cast<char*>(p) + bytes); }

class Arena {
 public:
  void* allocate(size_t bytes, bool& asked) {
    std::lock_guard lock(mutex_);
    size_t size = arena_block_bytes(bytes);
    if (size < bytes) return nullptr;  // the sum has overflowed
    Header* h = smallest_of(size);
    if (!h) asked = true, h = new_chunk(size);
    if (!h) return nullptr;
    unlink(h);
    if (h->size >= size + kLeast) {  // the rest is a free block of its own
      Header* rest = at(h, size);
      *rest = {.size = h->size - size, .before = size, .free = false, .last = h->last, .next_free{}, .previous_free{}};
      if (!rest->last) at(rest, rest->size)->before = rest->size;
      h->size = size, h->last = false;
      link(rest);
    }
    return at(h, kHeader);
  }

  void free(void* block) {
    std::lock_guard lock(mutex_);
    auto* h = reinterpret_cast<Header*>(static_cast<char*>(block) - kHeader);
    if (Header* next = h->last ? nullptr : at(h, h->size); next && next->free) {
      unlink(next);
      h->size += next->size, h->last = next->last;
    }
    if (h->before > 0) {
      auto* previous = reinterpret_cast<Header*>(reinterpret_cast<char*>(h) - h->before);
      if (previous->free) {
        unlink(previous);
        previous->size += h->size, previous->last = h->last;
        h = previous;
      }
    }
    if (!h->last) at(h, h->size)->before = h->size;
    link(h);
  }

  // Gives back the chunks that are wholly free.
  void trim() {
    std::lock_guard lock(mutex_);
    give_back();
  }

  size_t bytes() {
    std::lock_guard lock(mutex_);
    return bytes_;
  }
  size_t in_use() {
    std::lock_guard lock(mutex_);
    return bytes_ - free_;
  }

 private:
  Header* smallest_of(size_t size) {
    for (int c = class_of(size); c < kClasses; ++c) {
      Header* best = nullptr;
      for (Header* h = lists_[c]; h; h = h->next_free)
        if (h->size >= size && (!best || h->size < best->size)) best = h;
      if (best) return best;
    }
    return nullptr;
  }

  // Free chunks that are too small for this block are given back first, because they would only add to the peak.
  Header* new_chunk(size_t size) {
    give_back();
    for (size_t wanted : {std::max({size, kChunk, bytes_ / kShare}), size}) {
      size_t chunk = (wanted + kPage - 1) / kPage * kPage;
      auto* h = static_cast<Header*>(std::aligned_alloc(kHeader, chunk));
      if (!h) continue;
      *h = {.size = chunk, .before = 0, .free = false, .last = true, .next_free{}, .previous_free{}};
      bytes_ += chunk;
      link(h);
      return h;
    }
    return nullptr;
  }

  void give_back() {
    for (Header*& list : lists_)
      for (Header *h = list, *next; h; h = next) {
        next = h->next_free;
        if (h->before > 0 || !h->last) continue;
        unlink(h);
        bytes_ -= h->size;
        std::free(h);
      }
  }

  void link(Header* h) {
    Header*& list = lists_[class_of(h->size)];
    h->free = true, h->next_free = list, h->previous_free = nullptr;
    if (list) list->previous_free = h;
    list = h;
    free_ += h->size;
  }
  void unlink(Header* h) {
    (h->previous_free ? h->previous_free->next_free : lists_[class_of(h->size)]) = h->next_free;
    if (h->next_free) h->next_free->previous_free = h->previous_free;
    h->free = false;
    free_ -= h->size;
  }

  std::mutex mutex_;
  Header* lists_[kClasses] = {};  // free blocks, by the class of their size
  size_t bytes_ = 0, free_ = 0;
};
constinit Arena arena;

}  // namespace

size_t arena_block_bytes(size_t bytes) { return (bytes + kHeader + 63) / 64 * 64; }
void* arena_allocate(size_t bytes, bool& asked) { return arena.allocate(bytes, asked); }
void arena_free(void* block) noexcept { arena.free(block); }
void arena_trim() { arena.trim(); }
size_t arena_bytes() { return arena.bytes(); }
size_t arena_in_use() { return arena.in_use(); }

}  // namespace heed::detail
