// Large blocks: cut from chunks of the system's memory, and merged again with free neighbours when they are freed.
//
// clang-format off
//   chunk               [h|block 1 ][h|free    ][h|block 2 ][h|free     ]
//   block 2 is freed    [h|block 1 ][h|free                             ]
//                       h: 64 bytes, the sizes of this block and of the one before it
// clang-format on
//
// The sentences of training steps differ in length, and so do the sizes of their tensors. Free lists by size
// (allocator.h) would keep blocks of every size that any step has used; here the next step can use all free bytes. A
// request takes the smallest free block that fits (best fit, with boundary tags: Knuth, The Art of Computer Programming
// 1, section 2.5), and what is left of it becomes a free block. All threads share the chunks, behind a lock. This
// costs 0.1 us, which is little compared with work on 256 KiB.
#pragma once

#include <cstddef>

namespace heed::detail {

constexpr size_t kLargeBlock = size_t{256} << 10;  // blocks of at least this size come from here

size_t arena_block_bytes(size_t bytes);  // the size of a block for `bytes` bytes, with its header
// 64-byte aligned; null if the system has no more memory. `asked` becomes true if the system was asked for a chunk.
void* arena_allocate(size_t bytes, bool& asked);
void arena_free(void* block) noexcept;
void arena_trim();      // gives chunks that are wholly free back to the system
size_t arena_bytes();   // of all chunks
size_t arena_in_use();  // bytes in blocks that are not free

}  // namespace heed::detail
