// Large blocks: cut from chunks of the system's memory, and merged again with free neighbours when they are freed.
//
// clang-format off
//   chunk               [h|block 1 ][h|free    ][h|block 2 ][h|free     ]
//   block 2 is freed    [h|block 1 ][h|free                             ]
//                       h: 64 bytes, the sizes of this block and of the one before it
// clang-format on
//
// Steps of a training differ in length, and so in the sizes of their tensors. Free lists by size (allocator.h) would
// keep blocks of every size that any step has used; here the free bytes of one step serve the next, whatever its sizes.
// A request takes the smallest free block that fits (best fit, with boundary tags: Knuth, The Art of Computer
// Programming 1, section 2.5) and leaves the rest. All threads share the chunks, behind a lock: what takes 256 KiB is
// worth its 0.1 us.
#pragma once

#include <cstddef>

namespace heed::detail {

constexpr size_t kLargeBlock = size_t{256} << 10;  // blocks of at least so many bytes come from here

size_t arena_block_bytes(size_t bytes);  // what a block of so many bytes takes, its header included
// 64-byte aligned; null where the system has no more memory. `asked` becomes true if the system was asked for a chunk.
void* arena_allocate(size_t bytes, bool& asked);
void arena_free(void* block) noexcept;
void arena_trim();      // gives chunks that are wholly free back to the system
size_t arena_bytes();   // of all chunks
size_t arena_in_use();  // of them, in blocks

}  // namespace heed::detail
