// The digests by which heed get checks what it has downloaded: SHA-256 and SHA-1 (FIPS 180-4). Both cut a message into
// blocks of 64 bytes, of which the last are 1000.. and the length in bits, and mix each block into a state of 32-bit
// words.
//
//   Digest d(Digest::sha256);
//   d.add(bytes);
//   d.digits();                   // 64 hexadecimal digits; SHA-1 has 40
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::app {

class Digest {
 public:
  enum Kind { sha256, sha1 };
  explicit Digest(Kind kind);
  void add(std::string_view bytes);
  std::string digits() const;

 private:
  void mix(const unsigned char* block);
  void mix256(std::array<uint32_t, 80>& w);
  void mix1(std::array<uint32_t, 80>& w);

  Kind kind_;
  std::array<uint32_t, 8> state_ = {};
  std::array<unsigned char, 64> begun_ = {};  // the block that is not full
  uint64_t length_ = 0;                       // bytes so far
};

}  // namespace heed::app
