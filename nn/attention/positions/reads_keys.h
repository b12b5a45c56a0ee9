// Marks a position scheme that adds a second bias, made from the keys instead of the queries:
//
//   e_ts <- e_ts + bias_of_keys(k, places)          k [B, H, S, K], as the score prepared them -> [B, H, T, S]
//
// Its score must compare keys as they are (Score::any_width): one that projects them may give them another width.
#pragma once

#include "autograd/variable.h"
#include "nn/attention/places.h"

namespace heed::nn {

struct ReadsKeys {
  virtual ~ReadsKeys() = default;
  ReadsKeys() = default;
  ReadsKeys(ReadsKeys&&) = default;
  ReadsKeys& operator=(ReadsKeys&&) = default;
  // The last argument is the score's product_scale, as in HeadPosition::bias.
  virtual Variable bias_of_keys(const Variable& keys, const Places& places, double scale) const = 0;
};

}  // namespace heed::nn
