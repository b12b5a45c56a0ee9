#include "tutorials/common/show.h"

#include <fmt/format.h>

#include <sstream>

#include "tensor/error.h"
#include "tutorials/common/output.h"
#include "tutorials/report/width.h"
#include "tutorials/report/wrap.h"

namespace heed::app {

void heading(const std::string& text) { tell("\n{}\n\n", text); }

io::Console console() {
  io::Console c = io::console(1);
  c.width -= 3;
  return c;
}

void show(const report::Lines& lines) {
  for (const std::string& line : lines) fmt::print("{}{}\n", line.empty() ? "" : "   ", line);
}

report::Lines lines_of(const report::TablePanel& panel, const io::Console& console) {
  report::Lines lines;
  std::string text = panel.text;
  std::erase(text, '`');  // of the page's code
  for (const std::string& part : {panel.title, text}) {
    std::istringstream wide(report::wrapped("", report::clean(part, console.unicode), console.width));
    for (std::string line; std::getline(wide, line);) lines.push_back(line);
  }
  lines.emplace_back();
  for (std::string& line : report::table(panel.header, panel.rows, console)) lines.push_back(std::move(line));
  return lines;
}

void show(const report::TablePanel& panel) { show(lines_of(panel, console())); }

void show(Lesson& lesson, const report::TablePanel& panel) {
  show(panel);
  lesson.report().table(panel);
}

std::string item_text(const std::string& label, const std::string& sentence, int width) {
  std::istringstream words(sentence);
  std::string text;
  for (std::string word; words >> word; text += word) text += text.empty() ? "" : " ";
  return report::wrapped("   " + label + "  ", text, width);
}

void item(const std::string& label, const std::string& sentence) {
  fmt::print("{}\n", item_text(label, sentence, io::console(1).width));
}

report::Matrix matrix_of(const Tensor& t) {
  if (t.rank() != 2) throw ShapeError("matrix_of: needs a matrix; got " + to_string(t.shape()));
  return {static_cast<std::size_t>(t.size(0)), static_cast<std::size_t>(t.size(1)), t.to_vector()};
}

}  // namespace heed::app
