#include "tensor/placed.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace heed {
namespace {

constinit thread_local void* next_block = nullptr;
std::atomic<size_t> blocks_placed = 0;

struct Placed {
  std::mutex mutex;
  std::unordered_map<const void*, std::function<void()>> releases;
};
Placed& placed() {
  static auto* const all = new Placed;  // never destroyed: static tensors may be freed after everything else
  return *all;
}

}  // namespace

void* detail::take_placed() noexcept { return std::exchange(next_block, nullptr); }

bool detail::release_placed(const void* block) noexcept {
  if (blocks_placed.load(std::memory_order_relaxed) == 0) return false;
  std::function<void()> release;
  {
    std::lock_guard lock(placed().mutex);
    auto found = placed().releases.find(block);
    if (found == placed().releases.end()) return false;
    release = std::move(found->second);
    placed().releases.erase(found);
    --blocks_placed;
  }
  release();
  return true;
}

Tensor placed_tensor(void* begin, const Shape& shape, DType dtype, std::function<void()> release) {
  const auto width = static_cast<int64_t>(size_of(dtype));
  const auto at = reinterpret_cast<uintptr_t>(begin);
  const int64_t count = Layout::row_major(shape)->count;
  if (!detail::kCaching || at % static_cast<uintptr_t>(width) != 0 ||
      static_cast<size_t>(count * width) < detail::kLargeBlock)
    return {};
  const uintptr_t block = (at - sizeof(Storage)) / alignof(Storage) * alignof(Storage);
  const auto lead = static_cast<int64_t>(at - block - sizeof(Storage)) / width;  // elements between storage and begin
  {
    std::lock_guard lock(placed().mutex);
    placed().releases.emplace(reinterpret_cast<void*>(block), std::move(release));
    ++blocks_placed;
  }
  next_block = reinterpret_cast<void*>(block);
  Tensor all = Tensor::empty({lead + count}, dtype);
  return all.slice(0, lead, lead + count).view(shape);
}

}  // namespace heed
