// Exercise 27.3: the mask of a packed row.
//
// A row holds several sentences one after the other, numbered 1, 2, ..; 0 is padding. In a language model position t
// may attend to position s only if both belong to the same sentence and s <= t. Padding attends to nothing, and nothing
// attends to padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mine {

// segments: the number of the sentence at each position, as in {1, 1, 1, 2, 2, 0}.
bool allowed(const std::vector<int64_t>& segments, std::size_t t, std::size_t s);

}  // namespace mine
