// The gradient check of a module's row in the case table, made once in a run of the tests: several entries of the
// catalogue may share a row, and one test case walks all rows.
#pragma once

#include <string>

#include "nn/cases/cases.h"

namespace heed::nn_test {

const RowReport* gradients_of_module(const std::string& row);  // null if there is no such row

}  // namespace heed::nn_test
