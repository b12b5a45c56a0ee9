// The one translation unit with doctest's main: compiled once, linked into every test program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/run_test_case.h"

// Whoever reads through a pipe, as ./heed test does, learns of a failure when it happens.
[[maybe_unused]] const int by_lines = std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);

std::map<std::string, std::function<void()>> test_cases_that_hold() {
  std::map<std::string, std::function<void()>> out;
  for (const auto& test : doctest::detail::getRegisteredTests())
    if (test.m_description) out[test.m_description] = test.m_test;
  return out;
}

void run_test_cases_of(const std::string& folder, const std::function<bool(const std::string&)>& wanted) {
  for (const auto& test : doctest::detail::getRegisteredTests())
    if (std::string(test.m_file.c_str()).find(folder) != std::string::npos && wanted(test.m_name)) test.m_test();
}
