#include "tutorials/course/exercises.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "nn/io/file.h"
#include "tutorials/course/html_text.h"

namespace heed::course {

int ExerciseFile::minutes() const {
  return static_cast<int>(5 * std::lround((10 + 2 * static_cast<double>(filled.size())) / 5));
}

bool ExerciseFile::is_shown_by(const std::string& text) const {
  return std::any_of(filled.begin(), filled.end(), [&](const std::string& line) {
    return line.size() >= 30 && text.find(line) != std::string::npos;
  });
}

std::vector<ExerciseFile> exercises_of(const Tree& tree, const LessonFile& lesson) {
  std::vector<ExerciseFile> all;
  const std::string folder = tree.root + "/tutorials/" + lesson.name + "/exercises";
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const std::filesystem::path path = entry->path();
    const std::string name = path.stem().string();
    if (path.extension() != ".cpp" || name.ends_with("_check")) continue;
    ExerciseFile one{.number = name.substr(0, name.find('_')), .title = name.substr(name.find('_') + 1)};
    std::istringstream lines(io::read_file(path.string()));
    bool filled = false;
    for (std::string line; std::getline(lines, line);) {  // the marks are those of tutorials/common/cut.awk
      const std::string words = trimmed(line);
      if (words.starts_with("// ---- filled")) filled = true;
      if (words.starts_with("// ---- end of ")) filled = false;
      if (filled && !words.empty() && !words.starts_with("//")) one.filled.push_back(words);
    }
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const ExerciseFile& a, const ExerciseFile& b) { return a.number < b.number; });
  return all;
}

}  // namespace heed::course
