// The parts of memory_properties() and memory_subject_of() (memory_properties.cpp, memory_subjects.cpp).
#pragma once

#include "tests/nn/attention/subject.h"

namespace heed::nn_test {

Subject further_subject_of(const nn::CatalogueEntry& entry);
std::vector<Property> joint_properties();
std::vector<Property> set_properties();
std::vector<Property> past_properties();
std::vector<Property> further_properties();

}  // namespace heed::nn_test
