// Scopes that are a question about two places: may the word at place i attend to the word at place j?
//
//   allowed[b, t, s] = allows(b, place of query t, place of key s)
//
// The result is a mask and the list of its blocks of 64 x 64 in which some pair is allowed. The tiled evaluator
// computes only these blocks, so a pattern with few allowed pairs costs only the products of these blocks. The mask
// itself has T S bytes and is written anew at each call. b sentence, T queries, S keys.
#pragma once

#include <functional>

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

using PlacePattern = std::function<bool(int64_t sentence, int64_t i, int64_t j)>;

// `sentences` > 1: a mask for each sentence of the batch, also where their places are counted alike. ValueError or
// ShapeError, naming `operation`, for impossible places.
Restriction pattern(const char* operation, const Places& places, const PlacePattern& allows, int64_t sentences = 1);

}  // namespace heed::nn
