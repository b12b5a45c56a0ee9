// The links of the documents lead somewhere, as they are read on a page of the repository: a relative link to a file or
// folder that exists, an anchor to a heading of it; and a path of a source that is quoted in backticks exists, too.
// (The links of the course's pages: course_test.cpp. Lines of equations: readme_lines_test.cpp. Excerpts: heed course
// refuses one that is not in its file, and course_test.sh makes the whole course.)
#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <vector>

#include "tests/source_dir.h"

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// The lines outside of code blocks.
Words prose_of(const fs::path& file) {
  std::ifstream in(file);
  Words lines;
  bool fence = false;
  for (std::string line; std::getline(in, line);) {
    bool mark = line.rfind("```", 0) == 0;
    fence = fence != mark;
    lines.push_back(fence || mark ? "" : line);
  }
  return lines;
}

// "## How to add a score" -> "how-to-add-a-score": lower case, spaces as hyphens, no punctuation. Bytes of other
// alphabets stay.
std::string anchor_of(const std::string& heading) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  std::string anchor;
  for (char c : std::regex_replace(heading.substr(heading.find_first_not_of("# ")), link, "$1")) {
    bool word = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || static_cast<signed char>(c) < 0;
    if (word) anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

bool has_anchor(const fs::path& file, const std::string& wanted) {
  std::set<std::string> anchors;
  for (const std::string& line : prose_of(file)) {
    if (line.rfind('#', 0) != 0) continue;
    std::string anchor = anchor_of(line), unique = anchor;
    for (int i = 1; !anchors.insert(unique).second; ++i) unique = anchor + "-" + std::to_string(i);
  }
  return anchors.count(wanted) == 1;
}

// What is wrong in one line of a document, "" where nothing is. Counts the links.
std::string fault_of(const std::string& line, const fs::path& document, const fs::path& root, int& links) {
  static const std::regex code("`[^`]*`"), link(R"(\]\(([^)\s]+)(?:\s+"[^"]*")?\))"),
      source("`((?:tensor|autograd|nn|distributed|tutorials|tests)/[A-Za-z0-9_/.]+\\.(?:h|cpp|sh|js|py|md))`");
  for (std::sregex_iterator at(line.begin(), line.end(), source), end; at != end; ++at)
    if (!fs::exists(root / (*at)[1].str())) return "there is no " + (*at)[1].str();
  const std::string words = std::regex_replace(line, code, "");
  for (std::sregex_iterator at(words.begin(), words.end(), link), end; at != end; ++at) {
    std::string target = (*at)[1].str(), path = target.substr(0, target.find('#'));
    if (target.find("://") != std::string::npos || target.rfind("mailto:", 0) == 0) continue;
    ++links;
    fs::path file = path.empty() ? document : document.parent_path() / path;
    if (!fs::exists(file)) return "there is no " + target;
    if (path.size() == target.size()) continue;
    if (!has_anchor(file, target.substr(path.size() + 1))) return "there is no heading " + target;
  }
  return "";
}

}  // namespace

TEST_CASE("every link and path in the documents leads somewhere") {
  const fs::path root = source_dir();
  std::vector<fs::path> documents{root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const char* folder : {"tutorials", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
  int links = 0;
  for (const fs::path& document : documents) {
    Words lines = prose_of(document);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string fault = fault_of(lines[i], document, root, links);
      if (!fault.empty()) FAIL_CHECK(document.string() << ":" << i + 1 << ": " << fault);
    }
  }
  CHECK(links > 400);
}

TEST_CASE("a link to nothing is found") {
  const fs::path root = source_dir(), document = root / "tutorials/map.md";
  int links = 0;
  auto fault = [&](const std::string& line) { return fault_of(line, document, root, links); };
  CHECK(fault("[a](../README.md), [b](../README.md#three-commands), [c](https://x.org/gone), `[d](gone.md)`") == "");
  CHECK(links == 2);
  CHECK(fault("[a](gone.md)") != "");
  CHECK(fault("[a](../README.md#gone)") != "");
  CHECK(fault("[a](#gone)") != "");
  CHECK(fault("![a](gone.svg \"a title\")") != "");
  CHECK(fault("`nn/attention/gone.h`") != "");
  CHECK(fault("`nn/observe.h`, `out/gone.h`") == "");
  CHECK(anchor_of("## Equation -> file:line") == "equation---fileline");
}
