// A checksum in the metadata of models and checkpoints, so that a flipped bit is detected when they are loaded.
//
//   "__metadata__": {"heed.checksum": "9f3c...", "heed.kind": ...}     16 hexadecimal digits
//
// FNV-1a with 64 bits (Fowler, Noll and Vo, 1991; draft-eastlake-fnv): h = (h xor byte) * 0x100000001b3 for each byte,
// from h = 0xcbf29ce484222325. It covers the header, in which the 16 digits count as zeros, and the elements. Every
// step is invertible, so a change of a single byte always changes the result. It detects damage, but not a change on
// purpose: anybody can compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::io {

constexpr const char* kChecksum = "heed.checksum";
constexpr const char* kNoChecksum = "0000000000000000";

class Checksum {
 public:
  void add(const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ p[i]) * 0x100000001b3u;
  }
  std::string digits() const;

 private:
  uint64_t hash_ = 0xcbf29ce484222325u;
};

// Where the digits are in a header that we wrote; npos if there are none. A quotation mark inside a JSON string has a
// backslash before it, so no name or text can look like this key.
size_t checksum_at(std::string_view header);

}  // namespace heed::io
