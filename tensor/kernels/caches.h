// The sizes of this processor's caches, and the blocks of a matrix product that follow from them.
#pragma once

#include <cstdint>

namespace heed {

// The sizes of the data caches of a core, in bytes.
struct Caches {
  int64_t l1 = 32 << 10, l2 = 512 << 10;  // if the system does not tell
};
const Caches& caches();  // read from the system once

// For tests: pretends other sizes. No thread may be computing. The bits of a product do not depend on them.
void set_caches(const Caches& other);

// The part of B that is packed at a time: `depth` of its rows, `strips` strips of its columns.
struct ProductBlock {
  int64_t depth, strips;
};

// While a block of B stays in L2, each row of A and of C is used once: `depth` elements of A and `columns` of C, for
// depth x columns multiply-adds. Numbers of C are read and written, so they cost more than those of A: depth < columns.
//
//   depth x columns = 3/4 of L2,   depth = 3/4 columns,   depth x rows <= half of L1
//
// in elements of `bytes` bytes. The rest of L2 is for the parts of A and C in use. The last rule keeps a panel of A
// (`rows` of its rows) in L1. Then columns is rounded to whole strips of `width`, and depth down to a multiple of 16.
ProductBlock product_block(const Caches& c, int64_t bytes, int64_t rows, int64_t width);
template <class T>
const ProductBlock& product_block();  // of this processor, float or double

}  // namespace heed
