#include "tutorials/course/chapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "nn/io/file.h"
#include "tutorials/course/equations.h"
#include "tutorials/course/excerpt.h"
#include "tutorials/course/exercises.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/walk.h"

namespace heed::course {

namespace {

struct Directive {
  std::string name, argument;
  std::size_t line;
};

// Comments of the form <!-- name: argument -->, one per line. `lost`: the first line beside them that is no comment.
std::vector<Directive> directives_of(const Node& node, std::size_t* lost = nullptr) {
  static const std::regex form("\\s*<!--\\s*(play|panel|code|walk):\\s*(.*?)\\s*-->\\s*"),
      nothing("\\s*(<!--.*-->\\s*)?");
  std::vector<Directive> found;
  std::istringstream lines(node.text);
  std::size_t line = node.line;
  std::smatch part;
  for (std::string text; std::getline(lines, text); ++line) {
    if (std::regex_match(text, part, form))
      found.push_back({part[1].str(), part[2].str(), line});
    else if (lost && *lost == 0 && !std::regex_match(text, nothing))
      *lost = line;
  }
  return found;
}

// The picture before a drawing that is walked is for readers of the README alone.
bool is_picture(const Node& node) {
  return node.tag == "p" && node.children.size() == 1 && node.children[0].tag == "img";
}
bool is_walk(const Node& node) {
  if (node.tag != "html") return false;
  const std::vector<Directive> list = directives_of(node);
  return !list.empty() && list[0].name == "walk";
}

class Writer {
 public:
  Writer(const Tree& tree, const LessonFile& lesson, const ChapterOptions& options)
      : tree_(tree),
        lesson_(lesson),
        options_(options),
        file_(tree.readme(lesson)),
        html_(tree, file_, options.linked) {}

  Chapter write() {
    Node document = parse_markdown(io::read_file(tree_.root + "/" + file_));
    count_panels(document);
    Chapter chapter{.title = lesson_.title};
    std::string section, quiz;
    bool lead = true, in_quiz = false;
    chapter.body = header();
    for (std::size_t i = 1; i < document.children.size(); ++i) {
      const Node& node = document.children[i];
      if (node.tag == "h2") {
        chapter.body += close_panels() + (lead ? "" : "</section>\n");
        chapter.body += more_after(section, false);
        section = trimmed(plain_text(node));
        in_quiz = section == "Quiz";
        lead = false;
        std::string heading = html_.heading(node);
        chapter.body += fmt::format("<section class=\"{}\">\n{}", anchor_of(section), heading);
        chapter.blocks.push_back({node, std::move(heading)});
        continue;
      }
      if (i + 1 < document.children.size() && is_walk(document.children[i + 1]) && is_picture(node)) continue;
      const bool equations = node.tag == "table" && section == "Equation -> file:line";
      chapter.body += close_panels_before(node);  // not a part of the block, whose first tag is rewritten below
      std::string block = equations ? equation_table(node, chapter) : written(node, chapter);
      if (lead && node.tag == "p" && !lead_shown_) {
        block = "<p class=\"lead\">" + block.substr(3);
        lead_shown_ = true;
      }
      if (!in_quiz && node.tag == "p" && !node.children.empty() && node.children[0].tag == "strong") {
        chapter.points.push_back(point_of(node, chapter.points.size() + 1));
        block = "<p id=\"" + chapter.points.back().anchor + "\"" + block.substr(2);
      }
      if (in_quiz && !options_.solutions) block = question_alone(node, block);
      if (in_quiz) quiz += block;
      chapter.body += block;
      chapter.blocks.push_back({node, std::move(block)});
    }
    chapter.body += close_panels() + (lead ? "" : "</section>\n") + more_after(section, true);
    if (options_.figures) chapter.body += claims_html(options_.figures->claims);
    chapter.quiz = quiz;
    chapter.headings = html_.headings();
    return chapter;
  }

 private:
  std::string header() const {
    std::string top =
        fmt::format("<header class=\"chapter\"><p class=\"part\">{} · lesson {}</p>\n<h1>{}</h1></header>\n",
                    report::escaped(parts()[lesson_.part].name), lesson_.number, report::escaped(lesson_.title));
    const std::string run = "<code>./heed run " + lesson_.number + "</code>";
    if (options_.shortened) {
      top +=
          "<p class=\"note\">The figures on this page are those of a shortened run (<code>--quick</code>): fewer steps "
          "and smaller data than the text describes. For the full run leave out <code>--quick</code>.</p>\n";
    } else if (!options_.figures) {
      top += "<p class=\"note\">The measured figures appear in <code>out/" + lesson_.name +
             "/report.html</code> after " + run + ".</p>\n";
    }
    if (!options_.linked && options_.figures && !options_.figures->subtitle.empty())
      top += "<p class=\"run\">" + report::escaped(options_.figures->subtitle) + "</p>\n";
    return top;
  }

  void count_panels(const Node& document) {
    for (const Node& node : document.children) {
      if (node.tag != "html") continue;
      for (const Directive& d : directives_of(node)) any_named_ = any_named_ || d.name == "panel";
    }
  }

  // Neighbouring panels stand in one group, so that a wide screen can show them side by side.
  std::string close_panels() { return std::exchange(group_open_, false) ? "</div>\n" : ""; }
  std::string close_panels_before(const Node& node) {
    bool panels = false;
    if (node.tag == "html") {
      for (const Directive& d : directives_of(node)) panels = panels || d.name == "panel";
    }
    return panels ? "" : close_panels();
  }

  std::string written(const Node& node, Chapter& chapter) {
    if (node.tag != "html") return html_.block(node);
    std::size_t lost = 0;
    std::vector<Directive> list = directives_of(node, &lost);
    if (list.empty()) return html_.block(node);
    if (lost != 0)
      refuse_at(file_, lost, "chapter: beside a directive this line would be lost; hint: an empty line between");
    std::string html;
    for (const Directive& d : list) {
      if (d.name == "panel") {
        html += panel(d);
      } else if (d.name == "code") {
        html += close_panels() + excerpt(d);
      } else if (d.name == "walk") {
        html += close_panels() + walk_of(tree_, lesson_, {d.argument, file_, d.line, options_.linked});
        chapter.walks = true;
      } else {
        html += close_panels() + play(d, chapter);
      }
    }
    return html;
  }

  static BoldPoint point_of(const Node& paragraph, std::size_t number) {
    const std::string words = readable_text(paragraph.children[0]);
    std::string more = readable_text(paragraph).substr(words.size());
    std::size_t end = std::min<std::size_t>(more.size(), 400);
    while (end < more.size() && end > 0 && more[end] != ' ') --end;
    const bool stop = !words.empty() && words.back() == '.';
    return {words.substr(0, words.size() - stop), trimmed(more.substr(0, end)), fmt::format("point-{}", number)};
  }

  // The table with the line of each row, and an anchor, so that the search can lead to it.
  std::string equation_table(Node table, Chapter& chapter) {
    const std::string folder = "tutorials/" + lesson_.name;
    for (Node& row : table.children.at(1).children) {
      row.target = fmt::format("equation-{}", chapter.equations.size() + 1);
      chapter.equations.push_back(
          {readable_text(row.children.at(0)), with_line(row, folder, tree_.root, file_), row.target});
      if (solved_by(plain_text(row.children.at(2)))) row.children.at(2).children.clear();
      row.children.at(0).children = with_symbols(row.children.at(0).children);
    }
    return html_.block(table);
  }
  // Of the quiz without its answers: the summary of an answer's box.
  std::string question_alone(const Node& node, const std::string& block) {
    const std::size_t begin = block.find("<summary>"), end = block.find("</summary>");
    if (node.tag == "html" && begin < end && end != std::string::npos) {
      in_answer_ = true;
      return "<p class=\"question\">" + block.substr(begin + 9, end - begin - 9) + "</p>\n";
    }
    const bool answer = in_answer_;
    if (node.tag == "html" && block.find("</details>") != std::string::npos) in_answer_ = false;
    return answer ? "" : block;
  }

  // In an edition without solutions: which exercise of the lesson the text solves in part, or nullptr.
  const ExerciseFile* solved_by(const std::string& text) {
    if (options_.solutions) return nullptr;
    if (exercises_.empty()) exercises_ = exercises_of(tree_, lesson_);
    const auto one = std::find_if(exercises_.begin(), exercises_.end(),
                                  [&](const ExerciseFile& exercise) { return exercise.is_shown_by(text); });
    return one == exercises_.end() ? nullptr : &*one;
  }

  std::string excerpt(const Directive& d) {
    CodeExcerpt e = excerpt_of(d.argument, tree_.root + "/tutorials/" + lesson_.name, file_, d.line);
    if (const ExerciseFile* one = solved_by(e.code))
      return fmt::format(
          "<p class=\"absent\">Here the whole course shows lines of <code>{}</code> that solve exercise {}.{}.</p>\n",
          report::escaped(e.file), lesson_.number, one->number);
    std::string lines =
        e.first == e.last ? fmt::format("line {}", e.first) : fmt::format("lines {} to {}", e.first, e.last);
    return fmt::format("<figure class=\"code\"><figcaption><code>{}</code>, {}</figcaption>\n{}</figure>\n",
                       report::escaped(e.file), lines, html_.code_block(e.code, language_of(e.file)));
  }

  std::string play(const Directive& d, Chapter& chapter) {
    if (!has_page_file("play/" + d.argument + ".js"))
      refuse_at(file_, d.line,
                fmt::format("play: tutorials/course/play/{}.js must exist; got no such file", d.argument));
    chapter.plays.push_back(d.argument);
    return fmt::format("<div data-play=\"{}\" class=\"wide\"></div>\n", report::escaped(d.argument));
  }

  std::string panel(const Directive& d) {
    if (!options_.figures) {
      return close_panels() +
             fmt::format("<p class=\"absent\">{}: this figure is measured by <code>./heed run {}</code>.</p>\n",
                         report::escaped(d.argument), lesson_.number);
    }
    std::size_t index = options_.figures->find(d.argument);
    if (index == options_.figures->panels.size()) {
      if (options_.shortened || !options_.linked)
        return close_panels() + fmt::format("<p class=\"absent\">{}: this run did not measure this figure.</p>\n",
                                            report::escaped(d.argument));
      refuse_at(file_, d.line,
                fmt::format("panel: the title must be one of the lesson's figures.json; got \"{}\"", d.argument));
    }
    named_.insert(index);
    std::string html = std::exchange(group_open_, true) ? "" : "<div class=\"panels\">\n";
    return html + place(index);
  }
  static std::string place(std::size_t index) {
    return fmt::format("<div class=\"place\" data-panel=\"{}\"></div>\n", index);
  }

  // The panels that no directive names: after the section that says what was measured, or at the end.
  std::string more_after(const std::string& section, bool at_end) {
    bool measured = section == "What was measured" || section == "What you should see";
    if (!options_.figures || more_shown_ || !(at_end || (measured && !any_named_))) return "";
    more_shown_ = true;
    std::string inside;
    std::size_t count = 0;
    for (std::size_t i = 0; i < options_.figures->panels.size(); ++i) {
      if (named_.count(i)) continue;
      inside += place(i);
      ++count;
    }
    if (count == 0) return "";
    return fmt::format(
        "<details class=\"more\"{}><summary>{} ({})</summary>\n<div class=\"panels\">\n{}</div></details>\n",
        any_named_ ? "" : " open", any_named_ ? "More measurements" : "Measurements", count, inside);
  }

  const Tree& tree_;
  const LessonFile& lesson_;
  const ChapterOptions& options_;
  std::string file_;
  Html html_;
  std::set<std::size_t> named_;
  std::vector<ExerciseFile> exercises_;
  bool any_named_ = false, group_open_ = false, more_shown_ = false, lead_shown_ = false, in_answer_ = false;
};

}  // namespace

Chapter chapter_of(const Tree& tree, const LessonFile& lesson, const ChapterOptions& options) {
  return Writer(tree, lesson, options).write();
}

}  // namespace heed::course
