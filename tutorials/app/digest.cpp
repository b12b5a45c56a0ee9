#include "tutorials/app/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace heed::app {
namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2), and of the square
// roots of the first eight (5.3.3).
constexpr std::array<uint32_t, 64> kCubeRoots = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr std::array<uint32_t, 8> kSquareRoots = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr std::array<uint32_t, 8> kSha1Begin = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

uint32_t word_at(const unsigned char* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
}

}  // namespace

Digest::Digest(Kind kind) : kind_(kind), state_(kind == sha256 ? kSquareRoots : kSha1Begin) {}

void Digest::add(std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size(), have = length_ % 64;
  length_ += left;
  if (have > 0) {
    const size_t n = std::min(left, 64 - have);
    std::copy_n(p, n, begun_.data() + have);
    p += n, left -= n, have += n;
    if (have < 64) return;
    mix(begun_.data());
  }
  for (; left >= 64; p += 64, left -= 64) mix(p);
  std::copy_n(p, left, begun_.data());
}

std::string Digest::digits() const {
  Digest last = *this;
  const uint64_t bits = length_ * 8;
  std::string end = "\x80";
  end.append((119 - length_ % 64) % 64, '\0');  // to 8 bytes before the end of a block
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xff);
  last.add(end);
  std::string out;
  for (size_t i = 0; i < (kind_ == sha256 ? 8U : 5U); ++i) out += fmt::format("{:08x}", last.state_[i]);
  return out;
}

void Digest::mix(const unsigned char* block) {
  std::array<uint32_t, 80> w;
  for (size_t i = 0; i < 16; ++i) w[i] = word_at(block + 4 * i);
  if (kind_ == sha256)
    mix256(w);
  else
    mix1(w);
}

void Digest::mix256(std::array<uint32_t, 80>& w) {  // 6.2.2
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[i - 7] +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kCubeRoots[i] + w[i];
    const uint32_t t = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + s, d = c, c = b, b = a, a = s + t;
  }
  const std::array<uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
}

void Digest::mix1(std::array<uint32_t, 80>& w) {  // 6.1.2
  for (size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3], e = state_[4];
  for (size_t i = 0; i < 80; ++i) {
    uint32_t f = b ^ c ^ d, k = i < 40 ? 0x6ed9eba1 : 0xca62c1d6;
    if (i < 20) f = (b & c) | (~b & d), k = 0x5a827999;
    if (i >= 40 && i < 60) f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
    const uint32_t t = std::rotl(a, 5) + f + e + k + w[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = t;
  }
  const std::array<uint32_t, 5> mixed = {a, b, c, d, e};
  for (size_t i = 0; i < 5; ++i) state_[i] += mixed[i];
}

}  // namespace heed::app
