#include "tutorials/course/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/course/html_text.h"

namespace heed::course {

namespace {

// A place in a README that names a file of its lesson, and for what: "code" or "equation".
struct Named {
  const char* what;
  const std::string &file, &folder, &readme;
  std::size_t line;
};

std::vector<std::string> lines_of(const Named& by) {
  std::vector<std::string> lines;
  try {
    std::istringstream in(io::read_file(by.folder + "/" + by.file));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  } catch (const IoError&) {
    refuse_at(by.readme, by.line, fmt::format("{}: the file must exist; got \"{}\"", by.what, by.file));
  }
  return lines;
}

std::string without_indentation(const std::vector<std::string>& lines) {
  std::size_t shared = std::string::npos;
  for (const std::string& line : lines) shared = std::min(shared, line.find_first_not_of(' '));
  std::string text;
  for (const std::string& line : lines) text += line.substr(std::min(shared, line.size())) + "\n";
  return text;
}

}  // namespace

CodeExcerpt excerpt_of(const std::string& directive, const std::string& folder, const std::string& readme,
                       std::size_t line) {
  static const std::regex form("(\\S+)\\s+\"(.*?)\"\\s+\\.\\.\\s+\"(.*)\"");
  std::smatch part;
  if (!std::regex_match(directive, part, form))
    refuse_at(readme, line, fmt::format("code: must be FILE \"first words\" .. \"last words\"; got \"{}\"", directive));
  CodeExcerpt excerpt{.file = part[1].str(), .code = ""};
  const std::vector<std::string> lines = lines_of({"code", excerpt.file, folder, readme, line});
  auto holds = [](const std::string& words) {
    return [words](const std::string& text) { return text.find(words) != std::string::npos; };
  };
  auto first = std::find_if(lines.begin(), lines.end(), holds(part[2].str()));
  if (first == lines.end())
    refuse_at(readme, line,
              fmt::format("code: {} must have a line with the first words; got \"{}\"", excerpt.file, part[2].str()));
  auto last = std::find_if(first, lines.end(), holds(part[3].str()));
  if (last == lines.end()) {
    refuse_at(readme, line,
              fmt::format("code: {} must have the last words on or after line {}; got \"{}\"", excerpt.file,
                          first - lines.begin() + 1, part[3].str()));
  }
  excerpt.first = static_cast<std::size_t>(first - lines.begin()) + 1;
  excerpt.last = static_cast<std::size_t>(last - lines.begin()) + 1;
  excerpt.code = without_indentation({first, last + 1});
  return excerpt;
}

std::size_t only_line_with(const std::string& words, const std::string& file, const std::string& folder,
                           const std::string& readme, std::size_t line) {
  const std::vector<std::string> lines = lines_of({"equation", file, folder, readme, line});
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(words) != std::string::npos) found.push_back(i + 1);
  }
  if (found.size() != 1)
    refuse_at(
        readme, line,
        fmt::format("equation: one line of {} must contain \"{}\"; got {}", file, words,
                    found.empty() ? "none; copy words of the line as it is now"
                                  : fmt::format("lines {}; write more words of the line", fmt::join(found, ", "))));
  return found[0];
}

}  // namespace heed::course
