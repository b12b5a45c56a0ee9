// A tensor whose elements are already in memory that the allocator did not make: pages of a file, for example.
//
//   [ block: Storage, 64 bytes | lead | begin: elements ]
//
// The storage is written to `block`, which is aligned as it is and is memory of this process alone. `release` is called
// when the last handle on the tensor is gone. Blocks are told from others when they are freed, in the path of large
// blocks only, so the result is undefined for a smaller tensor, and where a sanitizer replaces the allocator; the
// caller copies the elements then.
#pragma once

#include <functional>

#include "tensor/tensor.h"

namespace heed {

Tensor placed_tensor(void* block, void* begin, const Shape& shape, DType dtype, std::function<void()> release);

namespace detail {
void* take_placed() noexcept;                     // the block that allocate_large must return; null: it makes one
bool release_placed(const void* block) noexcept;  // false: it is not one of these blocks
}  // namespace detail

}  // namespace heed
