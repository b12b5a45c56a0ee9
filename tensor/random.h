// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
//
//   philox(seed, counter) -> four 32-bit words. The seed is the key; different counters give different blocks.
//
// No hidden state: the i-th number depends on (seed, i) alone. So dropout stores 16 bytes instead of a mask, results do
// not depend on the number of threads, and two integers are enough to save the state of a generator exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/scope.h"

namespace heed {

// The four words of block `counter` of stream `seed`.
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter);

// A position in a stream of random numbers. A copy starts at the same position and yields the same numbers.
class Generator {
 public:
  explicit Generator(uint64_t seed = 0, uint64_t offset = 0) : seed_(seed), offset_(offset) {}

  uint64_t seed() const { return seed_; }
  uint64_t offset() const { return offset_; }  // blocks used so far
  uint64_t reserve(uint64_t blocks);  // reserves `blocks` blocks for a kernel and returns the number of the first

  uint32_t next_u32() { return philox(seed_, reserve(1))[0]; }
  double uniform();          // in [0, 1), 53 bits
  double normal();           // mean 0, variance 1 (Box-Muller)
  int64_t below(int64_t n);  // in [0, n), without modulo bias; n >= 1
  template <class Items>
  void shuffle(Items& items) {  // Fisher-Yates
    for (int64_t i = static_cast<int64_t>(items.size()) - 1; i > 0; --i) {
      using std::swap;
      swap(items[static_cast<size_t>(i)], items[static_cast<size_t>(below(i + 1))]);
    }
  }

 private:
  uint64_t seed_, offset_;
};

// The number of blocks that Tensor::uniform and Tensor::normal use for `count` elements: one block gives two.
constexpr uint64_t random_blocks(int64_t count) { return static_cast<uint64_t>(count + 1) / 2; }

// While it lives, it records every draw of this thread from any generator. Logs may be nested; then each one records.
class GeneratorLog {
 public:
  struct Draw {
    uint64_t seed, first, blocks;
  };
  GeneratorLog();
  const std::vector<Draw>& draws() const { return draws_; }

 private:
  friend class Generator;
  ScopedValue<GeneratorLog*> scope_;
  std::vector<Draw> draws_;
};

// While it lives, a computation that is run again draws the recorded numbers in the same order, and the positions of
// the generators do not change. It stores no address of a generator, so the first ones may no longer exist. ValueError
// at a draw that differs from the recorded one.
class GeneratorReplay {
 public:
  explicit GeneratorReplay(const std::vector<GeneratorLog::Draw>& draws);

 private:
  friend class Generator;
  const std::vector<GeneratorLog::Draw>& draws_;
  size_t next_ = 0;
  ScopedValue<GeneratorReplay*> scope_;
};

}  // namespace heed
