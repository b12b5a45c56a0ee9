// Where the heads of keys are of other words (memories/forgetting.h), Places::key_at is [B, G, S], and a scheme that
// knows one place for each key is asked once for each key-value head, as if it were a sentence of its own:
//
//   f(x, places)                      places of key-value head g in row b G + g of a batch of B G sentences
//   -> [B G, H, T, N] -> [B, H, T, N]   of each of them, the H/G heads that read it
//
// It is used where a decoder reads one word, so T is 1. B batch, T queries, S keys, H heads, G key-value heads.
#pragma once

#include <functional>

#include "autograd/variable.h"
#include "nn/attention/places.h"

namespace heed::nn {

bool differ_by_head(const Places& places);
// x [B, ..], the result [B or 1, H or 1, T, N]; f may return nothing.
using OfPlaces = std::function<Variable(const Variable& x, const Places& places)>;
Variable by_key_head(const Variable& x, const Places& places, int64_t heads, const OfPlaces& f);
// f returns a mask [T, S] or [B, T, S]: -> [B, H, T, S] where places differ by head; undefined: all.
using MaskOfPlaces = std::function<Tensor(const Places& places)>;
Tensor mask_by_key_head(const Places& places, int64_t heads, const MaskOfPlaces& f);

}  // namespace heed::nn
