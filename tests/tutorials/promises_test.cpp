// The last column of each table in PROMISES.md names scripts, and test cases by the beginning of their names. All of
// them must exist, so a test cannot be removed or renamed while a promise relies on it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

#include "tests/source_dir.h"

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "matmul: inner sizes" of TEST_CASE("matmul: inner sizes must agree").
std::vector<std::string> names_of_cases() {
  static const std::regex named(R"re(TEST_CASE(?:_FIXTURE|_TEMPLATE)?\((?:\w+,\s*)?"([^"]+)")re");
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir()) / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator m(text.begin(), text.end(), named), end; m != end; ++m) names.push_back((*m)[1]);
  }
  return names;
}

// The names in backticks in the last cell of a row.
std::vector<std::string> tests_of(const std::string& row) {
  static const std::regex quoted("`([^`]+)`");
  const size_t last = row.rfind('|'), before = row.rfind('|', last - 1);
  const std::string cell = row.substr(before, last - before);
  std::vector<std::string> names;
  for (std::sregex_iterator m(cell.begin(), cell.end(), quoted), end; m != end; ++m) names.push_back((*m)[1]);
  return names;
}

}  // namespace

TEST_CASE("promises: each names a test that exists") {
  const std::vector<std::string> cases = names_of_cases();
  REQUIRE(cases.size() > 500);
  std::ifstream page(fs::path(source_dir()) / "PROMISES.md");
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| ", 0) != 0 || line.ends_with("tested by |")) continue;
    CAPTURE(line);
    const std::vector<std::string> names = tests_of(line);
    CHECK_FALSE(names.empty());
    ++rows;
    for (const std::string& name : names) {
      CAPTURE(name);
      if (name.rfind("tests/", 0) == 0)
        CHECK(fs::exists(fs::path(source_dir()) / name));
      else if (name != "tsan")
        CHECK(std::any_of(cases.begin(), cases.end(), [&](const std::string& c) { return c.rfind(name, 0) == 0; }));
    }
  }
  CHECK(rows >= 30);
}
