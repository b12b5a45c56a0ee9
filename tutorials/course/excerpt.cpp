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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
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
  std::vector<std::string> lines;
  try {
    lines = lines_of(io::read_file(folder + "/" + excerpt.file));
  } catch (const IoError&) {
    refuse_at(readme, line, fmt::format("code: the file must exist; got \"{}\"", excerpt.file));
  }
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

}  // namespace heed::course
