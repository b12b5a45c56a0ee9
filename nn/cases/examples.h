// Inputs and results that several families of cases share.
#pragma once

#include <vector>

#include "nn/attention/structures/multi_head.h"
#include "nn/cases/build.h"

namespace heed {

inline Variable both(const nn::MultiHeadOutput& seen) {
  return seen.weights.defined() ? nn::together({seen.output, seen.weights}) : seen.output;
}
inline Variable both(const nn::Attended& seen) { return nn::together({seen.context, seen.weights}); }
// Sentences of 3 and of 2 words. In no_words, the second sentence has none.
inline Tensor words() { return Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}); }
inline Tensor no_words() { return Tensor::from_bools({1, 0, 1, 0, 0, 0}, {2, 3}); }
inline Tensor ids(const std::vector<int64_t>& values, const Shape& shape) { return Tensor::from(values, shape); }

}  // namespace heed
