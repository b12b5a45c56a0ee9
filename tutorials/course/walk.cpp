#include "tutorials/course/walk.h"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <sstream>

#include "nn/io/file.h"
#include "tutorials/course/excerpt.h"
#include "tutorials/course/html.h"
#include "tutorials/course/html_text.h"
#include "tutorials/report/page.h"

namespace heed::course {

namespace {

std::set<std::string> parts_of(const std::string& svg) {
  static const std::regex form("data-part=\"([^\"]+)\"");
  std::set<std::string> names;
  for (std::sregex_iterator at(svg.begin(), svg.end(), form), end; at != end; ++at) names.insert((*at)[1].str());
  return names;
}

// The sections of the file with the blocks, as articles.
class Blocks {
 public:
  Blocks(const Tree& tree, const LessonFile& lesson, std::string file, bool linked)
      : tree_(tree),
        folder_(tree.root + "/tutorials/" + lesson.name),
        file_(std::move(file)),
        html_(tree, file_, linked) {
    html_.mark_terms(false);
  }

  std::string write(std::set<std::string> wanted) {
    std::string all;
    for (const Node& node : parse_markdown(io::read_file(tree_.root + "/" + file_)).children) {
      if (node.tag == "h2") {
        all += end();
        begin(node);
        if (wanted.erase(name_) == 0)
          refuse_at(file_, line_, fmt::format("walk: the drawing must have the block {}, once; got none", name_));
      } else if (!name_.empty()) {
        add(node);
      }
    }
    all += end();
    if (!wanted.empty())
      refuse_at(file_, 1,
                fmt::format("walk: each block of the drawing needs a section; got none for {}", *wanted.begin()));
    return all;
  }

 private:
  void begin(const Node& heading) {
    const std::string words = trimmed(plain_text(heading));
    const std::size_t colon = words.find(": ");
    line_ = heading.children.empty() ? heading.line : heading.children[0].line;
    if (colon == std::string::npos)
      refuse_at(file_, line_, fmt::format("walk: a section's title is \"## NAME: Title\"; got \"{}\"", words));
    name_ = words.substr(0, colon), title_ = words.substr(colon + 2), body_ = "";
    shape_ = formula_ = code_ = false;
  }

  void add(const Node& node) {
    static const std::regex directive("\\s*<!--\\s*code:\\s*(.*?)\\s*-->\\s*");
    std::smatch part;
    const std::string words = node.tag == "p" ? trimmed(plain_text(node)) : "";
    if (node.tag == "html" && std::regex_match(node.text, part, directive)) {
      const CodeExcerpt e = excerpt_of(part[1].str(), folder_, file_, node.line);
      body_ += fmt::format("<figure class=\"code\"><figcaption><code>{}</code>, line{} {}</figcaption>\n{}</figure>\n",
                           report::escaped(e.file.substr(e.file.find_first_not_of("./"))), e.first == e.last ? "" : "s",
                           e.first == e.last ? fmt::format("{}", e.first) : fmt::format("{} to {}", e.first, e.last),
                           html_.code_block(e.code, language_of(e.file)));
      code_ = true;
    } else if (words.starts_with("Shape: ")) {
      body_ += "<p class=\"shape\"><span>shape</span> <code>" + report::escaped(words.substr(7)) + "</code></p>\n";
      shape_ = true;
    } else {
      const std::string html = html_.block(node);
      formula_ = formula_ || html.find("<math display=\"block\"") != std::string::npos;
      body_ += html;
    }
  }

  std::string end() {
    if (name_.empty()) return "";
    if (!shape_ || !formula_ || !code_)
      refuse_at(file_, line_,
                fmt::format("walk: the block {} needs a shape, a formula and code; it lacks {}", name_,
                            !shape_     ? "a shape"
                            : !formula_ ? "a formula"
                                        : "code"));
    return fmt::format("<article class=\"block\" id=\"block-{0}\" data-part=\"{0}\">\n<h3>{1}</h3>\n{2}</article>\n",
                       report::escaped(name_), report::escaped(title_), body_);
  }

  const Tree& tree_;
  std::string folder_, file_;
  Html html_;
  std::string name_, title_, body_;
  std::size_t line_ = 1;
  bool shape_ = false, formula_ = false, code_ = false;
};

}  // namespace

std::string walk_of(const Tree& tree, const LessonFile& lesson, const WalkDirective& directive) {
  std::istringstream words(directive.argument);
  std::string drawing, blocks, rest;
  const std::string folder = "tutorials/" + lesson.name + "/";
  if (!(words >> drawing >> blocks) || words >> rest || !io::exists(tree.root + "/" + folder + drawing) ||
      !io::exists(tree.root + "/" + folder + blocks))
    refuse_at(directive.file, directive.line,
              fmt::format("walk: needs a drawing and a file with its blocks; got \"{}\"", directive.argument));
  const std::string svg = io::read_file(tree.root + "/" + folder + drawing);
  static const std::regex title("<title[^>]*>([^<]*)</title>");
  std::smatch part;
  std::regex_search(svg, part, title);
  Blocks all(tree, lesson, folder + blocks, directive.linked);
  const std::string articles = all.write(parts_of(svg));
  return "<div class=\"walk\" data-walk>\n<div class=\"map\">" + inline_svg(svg, part[1].str(), "walk-") +
         "</div>\n<div class=\"blocks\">\n" + articles + "</div>\n</div>\n";
}

}  // namespace heed::course
