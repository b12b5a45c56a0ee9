// Test cases of this program that others run.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

// TEST_CASE("what it shows" * holds("name")) is the check of that property of the catalogue of attention.
using holds = doctest::description;

// Runs a test case inside the one that is running: its assertions count there, and fail it.
std::map<std::string, std::function<void()>> test_cases_that_hold();  // by the property
// Those of the files whose path contains `folder`, if `wanted`.
void run_test_cases_of(const std::string& folder, const std::function<bool(const std::string& name)>& wanted);
