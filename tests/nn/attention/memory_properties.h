// The parts of memory_properties() and memory_subject_of() (memory_properties.cpp, memory_subjects.cpp).
#pragma once

#include "nn/padding.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {

Subject other_keys_subject_of(const nn::CatalogueEntry& entry);
std::vector<Property> joint_properties();
std::vector<Property> set_properties();
std::vector<Property> past_properties();
std::vector<Property> other_keys_properties();

// Lengths and the mask of an Ask as one mask, or undefined.
inline Tensor allowed_by(const Ask& ask) {
  return ask.lengths.defined() ? nn::length_mask(ask.lengths, ask.keys.size(1)).unsqueeze(1) : ask.allowed;
}
inline Variable of(const std::vector<double>& values, const Shape& shape) { return {Tensor::from(values, shape)}; }

}  // namespace heed::nn_test
