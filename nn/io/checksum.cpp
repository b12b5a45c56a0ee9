#include "nn/io/checksum.h"

#include <fmt/format.h>

#include <cstring>

namespace heed::io {
namespace {

constexpr uint64_t kPrime = 0x100000001b3;

uint64_t with_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * kPrime;
  return hash ^ hash >> 32;
}

}  // namespace

void Checksum::add_byte(unsigned char byte) {
  begun_ |= uint64_t{byte} << 8 * have_;
  if (++have_ < 8) return;
  hash_ = with_word(hash_, begun_);
  begun_ = have_ = 0;
}

void Checksum::add(const void* data, size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  const unsigned char* end = p + bytes;
  while (have_ > 0 && p < end) add_byte(*p++);
  uint64_t hash = hash_, word;
  for (; end - p >= 8; p += 8) {
    std::memcpy(&word, p, 8);
    hash = with_word(hash, word);
  }
  hash_ = hash;
  while (p < end) add_byte(*p++);
}

std::string Checksum::digits() const { return fmt::format("{:016x}", have_ > 0 ? with_word(hash_, begun_) : hash_); }

size_t checksum_at(std::string_view header) {
  std::string key = fmt::format("\"{}\":\"", kChecksum);
  size_t at = header.find(key);
  if (at == std::string_view::npos || header.size() < at + key.size() + 16) return std::string_view::npos;
  return at + key.size();
}

}  // namespace heed::io
