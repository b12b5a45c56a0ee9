#include "nn/io/checksum.h"

#include <fmt/format.h>

namespace heed::io {

std::string Checksum::digits() const { return fmt::format("{:016x}", hash_); }

size_t checksum_at(std::string_view header) {
  std::string key = fmt::format("\"{}\":\"", kChecksum);
  size_t at = header.find(key);
  if (at == std::string_view::npos || header.size() < at + key.size() + 16) return std::string_view::npos;
  return at + key.size();
}

}  // namespace heed::io
