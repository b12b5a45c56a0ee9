// Storage: a block of memory that several tensors can share.
//
//   [ header, 64 bytes | elements, 64-byte aligned ]      one allocation
//
// The version counts in-place writes, and the header remembers the last writer. When a gradient needs a value that has
// been overwritten, the error names both operations. Views share the storage, and with it the version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "tensor/allocator.h"
#include "tensor/ref.h"
#include "tensor/scope.h"

namespace heed {

struct alignas(64) Storage : Counted<Storage> {
  size_t bytes = 0;
  uint32_t version = 0;
  PathId writer_path = 0;
  const char* writer = "";  // a string literal: the last operation that wrote in place

  void* data() { return this + 1; }
  static Ref<Storage> make(size_t bytes);
  static void destroy(Storage* storage) noexcept;
};

namespace detail {
inline constinit thread_local int64_t live_storages = 0;
}
inline int64_t live_storages() { return detail::live_storages; }  // of this thread, for LeakCheck

inline Ref<Storage> Storage::make(size_t bytes) {
  auto* storage = new (allocate(sizeof(Storage) + bytes)) Storage;
  storage->bytes = bytes;
  ++detail::live_storages;
  return Ref<Storage>::made(storage);
}
inline void Storage::destroy(Storage* storage) noexcept {
  --detail::live_storages;
  deallocate(storage, sizeof(Storage) + storage->bytes);
}
int64_t copies_made();  // number of calls of contiguous() and reshape() that had to copy; used by lessons

}  // namespace heed
