// A tensor whose elements are already in memory that the allocator did not make: pages of a file, for example.
//
//   [ .. | Storage, 64 bytes | lead | elements ]     `begin` points at the elements, `room` bytes of ours before them
//
// The storage is written into the room before the elements, which must be private to this process and hold at least 128
// bytes. `release` is called when the last handle on the tensor is gone. Blocks are told from others when they are
// freed, in the path of large blocks only, so a smaller tensor has an undefined result, as where the allocator is
// replaced by a sanitizer's; the caller copies it.
#pragma once

#include <functional>

#include "tensor/tensor.h"

namespace heed {

Tensor placed_tensor(void* begin, const Shape& shape, DType dtype, std::function<void()> release);

namespace detail {
void* take_placed() noexcept;                     // the block that allocate_large must return; null: it makes one
bool release_placed(const void* block) noexcept;  // false: it is not one of these blocks
}  // namespace detail

}  // namespace heed
