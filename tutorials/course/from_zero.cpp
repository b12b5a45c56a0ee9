#include "tutorials/course/from_zero.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/lesson_page.h"
#include "tutorials/course/markdown.h"
#include "tutorials/report/page.h"

namespace heed::course {

namespace {

constexpr const char* kPage = "from_zero.html";

io::Json link_of(const std::string& href, const std::string& title) {
  return io::Json::object({{"href", href}, {"title", title}});
}

}  // namespace

std::vector<PathStep> path_from_zero(const Tree& tree) {
  std::vector<PathStep> path;
  const std::string file = tree.root + "/tutorials/course/from_zero.md";
  if (!io::exists(file)) return path;
  for (const Node& table : parse_markdown(io::read_file(file)).children) {
    if (table.tag != "table" || table.children.size() < 2) continue;
    for (const Node& row : table.children[1].children) {
      if (row.children.size() < 3) continue;
      const std::string words = plain_text(row.children[0]);
      if (const LessonFile* lesson = tree.lesson(words.substr(0, 2)))
        path.push_back({lesson, std::atoi(plain_text(row.children[1]).c_str()), trimmed(plain_text(row.children[2]))});
    }
  }
  return path;
}

int study_minutes(const std::string& readme) {
  std::istringstream lines(readme.substr(0, readme.find("\n## Exercises")));
  double words = 0, minutes = kFirstExercise;
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (line.starts_with("<!-- play:") || line.starts_with("<!-- walk:")) minutes += 3;
    if (code || line.starts_with("<!--")) continue;
    std::istringstream parts(line);
    for (std::string word; parts >> word;) ++words;
  }
  return static_cast<int>(5 * std::lround((minutes + words / 60) / 5));
}

std::string path_data(const std::vector<PathStep>& path, const LessonFile& lesson) {
  const auto at = std::find_if(path.begin(), path.end(), [&](const PathStep& step) { return step.lesson == &lesson; });
  if (at == path.end()) return "";
  const auto beside = [&](bool there, auto step) {
    return there ? link_of(step->lesson->name + ".html", titled(*step->lesson)) : link_of(kPage, "The path from zero");
  };
  const io::Json data = io::Json::object({{"lesson", lesson.number},
                                          {"previous", beside(at != path.begin(), at - (at != path.begin()))},
                                          {"next", beside(at + 1 != path.end(), at + (at + 1 != path.end()))}});
  return "<script type=\"application/json\" id=\"heed-path\">" + report::inside_script(data.dump()) + "</script>\n";
}

}  // namespace heed::course
