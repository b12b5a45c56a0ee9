// Exercise 28.3: how large is the cache of a decoder, and how long a text fits?
//
// For each layer and each word, a decoder keeps
//
//   heads, groups   a key and a value of width K for each of the G groups of heads       2 G K numbers
//   latent          one row of r numbers, and a rotated key of R numbers for all heads    r + R numbers   (latent > 0)
//
// With a window of W words (window > 0) only the last W words are kept, however long the text is. A number takes
// `bytes` bytes: 4 for f32, 2 for 16-bit numbers.
//
//   cache_bytes(m, T)   bytes after T words, all layers together
//   longest(m, room)    the largest T whose cache fits into `room` bytes; -1 if every T does
//
// DeepSeek-V2 (arXiv:2405.04434), table 1, compares these numbers per word.
#pragma once

#include <cstdint>

namespace mine {

struct Model {
  std::int64_t layers = 1, heads = 1, groups = 1, width = 64;  // width: K of a head
  std::int64_t window = 0;                                     // W; 0: no window
  std::int64_t latent = 0, rotary = 0;                         // r, R; latent 0: keys and values of groups
  std::int64_t bytes = 4;                                      // of a number
};

std::int64_t cache_bytes(const Model& m, std::int64_t words);
std::int64_t longest(const Model& m, std::int64_t room);

}  // namespace mine
