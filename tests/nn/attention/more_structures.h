// The parts of memory_properties() (memory_properties.cpp), one file each.
#pragma once

#include "tests/nn/attention/subject.h"

namespace heed::nn_test {

std::vector<Property> joint_properties();
std::vector<Property> set_properties();

}  // namespace heed::nn_test
