// The tables "equation -> file:line" of the lessons stay right. A link [name:12](path) in a lesson's README must lead
// to a line of that file that exists and is not empty; if the same table row ends with words in backticks, the line
// holds these words. tests/tutorials/readme_lines.sh mends them.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

#include "tests/source_dir.h"

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// What is wrong with the links of one row of a table, "" where nothing is.
std::string fault_of(const std::string& row, const fs::path& folder) {
  static const std::regex link(R"(\[[^\]]*:(\d+)\]\(([^)#]+)[^)]*\))"), words(R"(`([^`]+)`\s*\|\s*$)");
  std::smatch last;
  std::string wanted = std::regex_search(row, last, words) ? last[1].str() : "";
  for (std::sregex_iterator at(row.begin(), row.end(), link), end; at != end; ++at) {
    std::string path = (*at)[2].str();
    size_t number = std::stoul((*at)[1].str());
    std::vector<std::string> lines = lines_of(folder / path);
    if (number == 0 || number > lines.size()) return path + " has no line " + std::to_string(number);
    const std::string& line = lines[number - 1];
    if (line.find_first_not_of(" \t") == std::string::npos) return path + " is empty at line " + std::to_string(number);
    if (wanted.empty() || line.find(wanted) != std::string::npos) continue;
    std::string found;
    for (size_t i = 0; i < lines.size(); ++i)
      if (lines[i].find(wanted) != std::string::npos) found += " " + std::to_string(i + 1);
    return path + " line " + std::to_string(number) + " does not hold \"" + wanted + "\"; it is at line" +
           (found.empty() ? "... nowhere" : found);
  }
  return "";
}

}  // namespace

TEST_CASE("the line numbers in the lessons' tables are right") {
  int links = 0;
  for (const auto& lesson : fs::directory_iterator(source_dir() + "/tutorials")) {
    fs::path readme = lesson.path() / "README.md";
    for (const std::string& row : fs::exists(readme) ? lines_of(readme) : std::vector<std::string>{}) {
      if (row.empty() || row[0] != '|') continue;
      CAPTURE(readme.string());
      CHECK(fault_of(row, readme.parent_path()) == "");
      ++links;
    }
  }
  CHECK(links > 0);
}

TEST_CASE("a wrong line number, a missing line and a missing file are found") {
  fs::path folder = source_dir() + "/tests/tutorials";
  auto fault = [&](const std::string& row) { return fault_of(row, folder); };
  CHECK(fault("| x | [readme_lines_test.cpp:4](readme_lines_test.cpp) | `#include <doctest/doctest.h>` |") == "");
  CHECK(fault("| x | [readme_lines_test.cpp:5](readme_lines_test.cpp) | `#include <doctest/doctest.h>` |") != "");
  CHECK(fault("| x | [readme_lines_test.cpp:99999](readme_lines_test.cpp) |") != "");
  CHECK(fault("| x | [gone.cpp:1](gone.cpp) |") != "");
  CHECK(fault("| x | no link here |") == "");
}
