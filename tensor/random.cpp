#include "tensor/random.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tensor/error.h"

namespace heed {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter) {
  constexpr uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;  // multipliers and Weyl constants of the paper, table 2
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  auto lo = [](uint64_t v) { return static_cast<uint32_t>(v); };
  auto hi = [](uint64_t v) { return static_cast<uint32_t>(v >> 32); };
  uint32_t c0 = lo(counter), c1 = hi(counter), c2 = 0, c3 = 0, k0 = lo(seed), k1 = hi(seed);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = kMul0 * c0, p1 = kMul1 * c2;
    uint32_t n0 = hi(p1) ^ c1 ^ k0, n2 = hi(p0) ^ c3 ^ k1;
    c0 = n0, c1 = lo(p1), c2 = n2, c3 = lo(p0);
    k0 += kWeyl0, k1 += kWeyl1;
  }
  return {c0, c1, c2, c3};
}

namespace {
constinit thread_local GeneratorLog* innermost_log = nullptr;
constinit thread_local GeneratorReplay* innermost_replay = nullptr;
}  // namespace

uint64_t Generator::reserve(uint64_t blocks) {
  uint64_t first = offset_;
  if (GeneratorReplay* replay = innermost_replay) {
    bool noted = replay->next_ < replay->draws_.size();
    GeneratorLog::Draw draw = noted ? replay->draws_[replay->next_++] : GeneratorLog::Draw{};
    if (!noted || draw.seed != seed_ || draw.blocks != blocks)
      throw ValueError("random: the second run of a computation must draw what its first run drew; got another draw");
    first = draw.first;
  } else {
    offset_ += blocks;
  }
  for (GeneratorLog* log = innermost_log; log; log = log->scope_.outer()) log->draws_.push_back({seed_, first, blocks});
  return first;
}

GeneratorLog::GeneratorLog() : scope_(innermost_log, this) {}
GeneratorReplay::GeneratorReplay(const std::vector<GeneratorLog::Draw>& draws)
    : draws_(draws), scope_(innermost_replay, this) {}

double Generator::uniform() {
  auto w = philox(seed_, reserve(1));
  uint64_t bits = (static_cast<uint64_t>(w[0]) << 21) ^ (w[1] >> 11);  // 53 bits
  return static_cast<double>(bits) * 0x1.0p-53;
}

double Generator::normal() {
  double u = 1.0 - uniform(), v = uniform();  // u in (0, 1]: its logarithm is finite
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

int64_t Generator::below(int64_t n) {
  if (n < 1) throw ValueError(fmt::format("below: n must be at least 1; got {}", n));
  auto range = static_cast<uint64_t>(n), limit = UINT64_MAX - UINT64_MAX % range;
  for (;;) {
    auto w = philox(seed_, reserve(1));
    uint64_t bits = (static_cast<uint64_t>(w[0]) << 32) | w[1];
    if (bits < limit) return static_cast<int64_t>(bits % range);
  }
}

}  // namespace heed
