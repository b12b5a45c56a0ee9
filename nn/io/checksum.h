// A checksum in the metadata of models and checkpoints, so that a flipped bit is detected when they are loaded.
//
//   "__metadata__": {"heed.checksum2": "9f3c...", "heed.kind": ...}     16 hexadecimal digits
//
// It covers the header, in which the 16 digits count as zeros, and then the elements, as words of 8 bytes; zeros fill
// up the last word. From h = 0xcbf29ce484222325, for each word: h = (h xor word) * 0x100000001b3, h = h xor (h >> 32).
// That is FNV-1a (Fowler, Noll and Vo, 1991; draft-eastlake-fnv) on words instead of bytes, which takes an eighth of
// the steps, and a shift, because a multiplication carries no high bit into a low one. Every step is invertible, so a
// change of a single word always changes the result. It detects damage, but not a deliberate change: anybody can
// compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::io {

constexpr const char* kChecksum = "heed.checksum2";
constexpr const char* kNoChecksum = "0000000000000000";

class Checksum {
 public:
  void add(const void* data, size_t bytes);
  std::string digits() const;

 private:
  void add_byte(unsigned char byte);

  uint64_t hash_ = 0xcbf29ce484222325, begun_ = 0;  // begun_: the first bytes of a word
  unsigned have_ = 0;                               // their number
};

// Where the digits are in a header that we wrote; npos if there are none. A quotation mark inside a JSON string has a
// backslash before it, so no name or text can look like this key.
size_t checksum_at(std::string_view header);

}  // namespace heed::io
