// Exercise 12.2: find the fake.
//
// An attention is a function from a query [Q] and keys [S, K] to weights [S]. On how many of its keys does it depend?
// It depends on a key if any weight changes when that key is changed and nothing else is: each of the K features of the
// key may be the one that matters.
//
// Seven attentions are tested. Three of them are fakes: they depend on one key, or on none.
#pragma once

#include <functional>

#include "tensor/tensor.h"

namespace mine {

using Attention = std::function<heed::Tensor(const heed::Tensor& query, const heed::Tensor& keys)>;  // -> [S]

int64_t keys_listened_to(const Attention& attention, const heed::Tensor& query, const heed::Tensor& keys);

}  // namespace mine
