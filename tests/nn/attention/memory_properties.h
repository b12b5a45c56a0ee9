// What the properties of structures with a memory share.
#pragma once

#include "nn/padding.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {

Subject other_keys_subject_of(const nn::CatalogueEntry& entry);

// Lengths and the mask of an Ask as one mask, or undefined.
inline Tensor allowed_by(const Ask& ask) {
  return ask.lengths.defined() ? nn::length_mask(ask.lengths, ask.keys.size(1)).unsqueeze(1) : ask.allowed;
}
inline Variable of(const std::vector<double>& values, const Shape& shape) { return {Tensor::from(values, shape)}; }

}  // namespace heed::nn_test
