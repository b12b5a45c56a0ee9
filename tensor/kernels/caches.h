// The sizes of this processor's caches, and the blocks of a matrix product that follow from them.
#pragma once

#include <cstdint>

namespace heed {

// Data caches that a core reads through, in bytes.
struct Caches {
  int64_t l1 = 32 << 10, l2 = 512 << 10, l3 = 4 << 20;  // where the system does not tell
};
const Caches& caches();  // read from the system once

// For tests: other sizes from now on. No thread may be computing. The bits of a product do not depend on them.
void set_caches(const Caches& other);

// The part of B that is packed at a time: `depth` of its rows, `strips` strips of its columns.
struct ProductBlock {
  int64_t depth, strips;
};

// While a block of B stays in L2, each row of A and of C passes by once: `depth` elements of A and `columns` of C, for
// depth columns multiply-adds. C is read and written, so its elements count more, and depth < columns:
//
//   depth columns = 3/4 of L2,   depth = 3/4 columns,   depth <= half of L1 / a row of the panel of A
//
// in elements of `bytes` bytes. The rest of L2 is for A and C on their way. A panel is `rows` rows of A; columns is a
// number of strips of `width`, and depth a multiple of 16.
ProductBlock product_block(const Caches& c, int64_t bytes, int64_t rows, int64_t width);
template <class T>
const ProductBlock& product_block();  // of this processor, float or double

}  // namespace heed
