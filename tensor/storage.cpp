#include "tensor/storage.h"

#include <new>

#include "tensor/allocator.h"

namespace heed {
namespace {
thread_local int64_t live = 0;
}

Ref<Storage> Storage::make(size_t bytes) {
  auto* storage = new (allocate(sizeof(Storage) + bytes)) Storage;
  storage->bytes = bytes;
  ++live;
  return Ref<Storage>(storage);
}

void Storage::destroy(Storage* storage) noexcept {
  --live;
  deallocate(storage, sizeof(Storage) + storage->bytes);
}

int64_t live_storages() { return live; }

}  // namespace heed
