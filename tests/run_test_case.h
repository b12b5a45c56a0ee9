// Runs a test case of this program inside the one that is running: its assertions count there, and fail it.
#pragma once

#include <functional>
#include <string>

bool run_test_case(const std::string& name);  // false: this program has none of this name
// Those of the files whose path contains `folder`, if `wanted`.
void run_test_cases_of(const std::string& folder, const std::function<bool(const std::string& name)>& wanted);
