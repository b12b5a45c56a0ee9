#include <algorithm>

#include "tutorials/28_efficient/exercises/3_cache.h"

namespace mine {

std::int64_t cache_bytes(const Model& m, std::int64_t words) {
  const std::int64_t numbers = m.latent > 0 ? m.latent + m.rotary : 2 * m.groups * m.width;
  const std::int64_t kept = m.window > 0 ? std::min(words, m.window) : words;
  return kept * m.layers * numbers * m.bytes;
}

std::int64_t longest(const Model& m, std::int64_t room) {
  if (m.window > 0 && cache_bytes(m, m.window) <= room) return -1;
  return room / cache_bytes(m, 1);
}

}  // namespace mine
