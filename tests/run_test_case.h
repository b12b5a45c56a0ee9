// Runs a test case of this program inside the one that is running: its assertions count there, and fail it.
#pragma once

#include <string>

bool run_test_case(const std::string& name);  // false: this program has none of this name
