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

Tensor placed_tensor(void* block, void* begin, const Shape& shape, DType dtype, std::function<void()> release) {
  const auto width = static_cast<int64_t>(size_of(dtype)), count = Layout::row_major(shape)->count;
  const int64_t between = static_cast<char*>(begin) - static_cast<char*>(block) - static_cast<int64_t>(sizeof(Storage));
  const int64_t lead = between / width;  // elements between the storage and `begin`
  if (!detail::kCaching || between % width != 0 || static_cast<size_t>(count * width) < detail::kLargeBlock) return {};
  {
    std::lock_guard lock(placed().mutex);
    placed().releases.emplace(block, std::move(release));
    ++blocks_placed;
  }
  next_block = block;
  return Tensor::empty({lead + count}, dtype).slice(0, lead, lead + count).view(shape);
}

}  // namespace heed
