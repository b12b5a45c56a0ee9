// The property of the catalogue that counts multiply-adds (nn/attention/growth.h).
#pragma once

#include "tests/nn/attention/subject.h"

namespace heed::nn_test {

std::vector<Property> growth_properties();

}  // namespace heed::nn_test
