#include "tutorials/course/slides.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "tutorials/course/from_zero.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/lesson_page.h"

namespace heed::course {

namespace {

constexpr double kRoom = 12;       // lines of a slide
constexpr std::size_t kWide = 68;  // letters of a line
constexpr double kFew = 4;         // lines of words that need no slide of their own
constexpr double kMost = 20;       // lines of a slide that two lines of words have joined

double lines_in(const std::string& words) { return 0.4 + static_cast<double>(1 + words.size() / kWide); }

bool is_alone(const Node& p, const char* tag) { return p.children.size() == 1 && p.children[0].tag == tag; }

class Cutter {
 public:
  Cutter(const Tree& tree, const LessonFile& lesson, const Chapter& chapter, const Figures* figures)
      : lesson_(lesson), chapter_(chapter), figures_(figures), html_(tree, tree.readme(lesson), true) {
    html_.mark_terms(false);
  }

  std::vector<Slide> cut() {
    begin(report::escaped(lesson_.title));
    slide_.body =
        fmt::format("<p class=\"part\">{} · lesson {}</p>\n<p class=\"lead\">{}</p>\n",
                    report::escaped(parts()[lesson_.part].name), lesson_.number, report::escaped(lesson_.question));
    used_ = kRoom / 2;
    for (std::size_t i = 0; i < chapter_.blocks.size(); ++i) take(i);
    leave();
    if (figures_ && shown_.empty()) {  // the README names no figure: each has a slide
      for (std::size_t k = 0; k < figures_->panels.size(); ++k) {
        begin("Measured");
        show(fmt::format("<div class=\"panels\"><div class=\"place\" data-panel=\"{}\"></div></div>\n", k), kRoom);
      }
      leave();
    }
    join();
    return std::move(slides_);
  }

 private:
  void begin(const std::string& heading) {
    leave();
    slide_.heading = heading;
    first_ = true;
  }

  // Ends the slide; one that shows nothing gives its notes to the slide before it.
  void leave() {
    if (!slide_.body.empty())
      slides_.push_back(slide_), sizes_.push_back({used_, words_});
    else if (!slides_.empty())
      slides_.back().notes += slide_.notes;
    slide_ = {.heading = slide_.heading};
    used_ = 0;
    full_ = false;
    words_ = true;
  }

  // Few words on a slide of their own join the slide of their section before them or after them, the emptier of both,
  // if they fit there; what is large is made a little smaller for them.
  void join() {
    for (std::size_t k = slides_.size() - 1; k > 0; --k) {
      if (!sizes_[k].words || sizes_[k].lines > kFew) continue;
      const double most = sizes_[k].lines < 3 ? kMost : kRoom + 2.5;
      auto room_at = [&](std::size_t i) {
        return i > 0 && i < slides_.size() && slides_[i].heading == slides_[k].heading ? most - sizes_[i].lines : 0;
      };
      if (std::max(room_at(k - 1), room_at(k + 1)) < sizes_[k].lines) continue;
      const std::size_t first = room_at(k - 1) >= room_at(k + 1) ? k - 1 : k;
      slides_[first].body += slides_[first + 1].body, slides_[first].notes += slides_[first + 1].notes;
      sizes_[first] = {sizes_[first].lines + sizes_[first + 1].lines, sizes_[first].words && sizes_[first + 1].words};
      slides_.erase(slides_.begin() + static_cast<std::ptrdiff_t>(first + 1));
      sizes_.erase(sizes_.begin() + static_cast<std::ptrdiff_t>(first + 1));
    }
  }

  // Puts it on the slide, or on a further one if there is no room. A caption stays with what it announces.
  void show(const std::string& html, double lines, bool words = false) {
    const double caption = caption_.empty() ? 0 : lines_in(caption_);
    const bool large = lines > kRoom / 2;
    if (!slide_.body.empty() && (full_ || used_ + caption + lines > kRoom + (large ? 2.5 : 0))) leave();
    slide_.body += caption_ + html;
    words_ = words_ && words;
    caption_.clear();
    used_ += caption + lines;
    full_ = large;
  }

  void note(const std::string& html) { slide_.notes += html; }

  void say(const Node& sentence, const std::string& css) {
    show(fmt::format("<p{}>{}</p>\n", css, html_.inlines(sentence.children)), lines_in(plain_text(sentence)), true);
  }

  void take(std::size_t& i) {
    const Node& node = chapter_.blocks[i].node;
    const std::string& html = chapter_.blocks[i].html;
    if (node.tag == "h2" || node.tag == "h3") {
      section_ = node.tag == "h2" ? trimmed(plain_text(node)) : section_;
      caption_.clear();
      begin(html_.inlines(node.children));
      return;
    }
    if (section_ == "Equation -> file:line" || html.empty()) return;
    if (node.tag == "p") {
      const bool last = i + 1 == chapter_.blocks.size() || chapter_.blocks[i + 1].node.tag == "h2";
      return paragraph(node, html, first_ && last ? 4 * kWide : 90);  // more of it where it is the whole section
    }
    if (node.tag == "ul" || node.tag == "ol") return list(node, html);
    if (node.tag == "table") return show(html, table_lines(node));
    if (node.tag == "pre") return show(html, node.target == "math" ? formula_lines(node.text) : code_lines(node.text));
    if (node.tag == "html" && html.find("<details") != std::string::npos) return box(i);
    if (node.tag == "html" && html.find("data-panel") != std::string::npos) return panels(html);
    if (node.tag == "html" && html.find("<figure class=\"code\"") == 0)
      return show(html, code_lines(html.substr(html.find("<pre"))));
    if (node.tag == "html") {
      if (html.find('<') != std::string::npos) show(html, kRoom);
      return;
    }
    note(html);
  }

  void paragraph(const Node& node, const std::string& html, std::size_t enough) {
    if (is_alone(node, "img")) {
      if (slides_.empty()) leave();  // the title stays alone
      return show(html, kRoom);
    }
    if (is_alone(node, "display")) return show(html, formula_lines(node.children[0].text));
    const std::vector<Node> sentences = sentences_of(node);
    if (sentences.empty()) return;
    const bool point = node.children[0].tag == "strong", first = std::exchange(first_, false);
    const std::string last = plain_text(sentences.back());
    if (section_.empty()) return note(html);  // before the first section: the title shows the question
    caption_.clear();
    if (point && full_) leave();
    if (first || point) {
      Node said{.tag = "p", .line = node.line};
      std::string words;
      for (std::size_t k = 0; k < sentences.size() && words.size() < enough; ++k) {
        if (k + 1 == sentences.size() && last.ends_with(':')) break;  // it is the caption of what follows
        if (k > 0) said.children.push_back({.tag = "text", .text = " ", .line = node.line});
        said.children.insert(said.children.end(), sentences[k].children.begin(), sentences[k].children.end());
        words += plain_text(sentences[k]);
      }
      if (!words.empty()) say(said, point ? " class=\"point\"" : "");
    }
    note(html);
    if (last.ends_with(':')) caption_ = "<p>" + html_.inlines(sentences.back().children) + "</p>\n";
  }

  void list(const Node& node, const std::string& html) {
    Node brief = node;
    double lines = 0;
    bool cut = false;
    for (Node& item : brief.children) {
      std::vector<Node> kept;
      Node words{.tag = "p", .line = item.line};
      for (const Node& child : item.children) {
        if (child.tag == "p" && words.children.empty()) words.children = child.children;
        if (child.tag == "p" || child.tag == "ul" || child.tag == "ol" || child.tag == "pre" || child.tag == "table") {
          cut = cut || child.tag != "p";
          break;
        }
        words.children.push_back(child);
      }
      const std::vector<Node> sentences = sentences_of(words);
      cut = cut || sentences.size() > 1;
      if (!sentences.empty()) kept = sentences.front().children;
      item.children = kept;
      lines += lines_in(plain_text(item));
    }
    show(html_.block(brief), lines);
    if (cut) note(html);
  }

  // <details>: a question of the quiz is a slide; any other box is for readers.
  void box(std::size_t& i) {
    std::string whole = chapter_.blocks[i].html;
    auto count = [&](const char* tag) {
      std::size_t found = 0;
      for (std::size_t at = whole.find(tag); at != std::string::npos; at = whole.find(tag, at + 1)) ++found;
      return found;
    };
    while (count("</details>") < count("<details") && i + 1 < chapter_.blocks.size())  // a table folds its seeds
      whole += chapter_.blocks[++i].html;
    if (section_ != "Quiz") return note(whole);
    question(whole);
  }

  void question(const std::string& html) {
    if (!slide_.body.empty()) leave();
    show(html, kRoom);
  }

  void panels(const std::string& html) {
    static const std::regex place("<div class=\"place\" data-panel=\"(\\d+)\"></div>");
    for (std::sregex_iterator at(html.begin(), html.end(), place), end; at != end; ++at) {
      shown_.insert((*at)[1].str());
      show("<div class=\"panels\">" + (*at)[0].str() + "</div>\n", kRoom);
    }
  }

  static double table_lines(const Node& table) {
    double lines = 0;
    for (const Node& part : table.children) {
      for (const Node& row : part.children)
        lines += std::max(1.0, static_cast<double>(plain_text(row).size()) / double{kWide});
    }
    return lines;
  }
  static double formula_lines(const std::string& latex) {
    double rows = 1.5;
    for (std::size_t at = latex.find("\\\\"); at != std::string::npos; at = latex.find("\\\\", at + 2)) rows += 1.3;
    return rows;
  }
  static double code_lines(const std::string& code) {
    return 1.5 + 0.6 * static_cast<double>(std::count(code.begin(), code.end(), '\n'));
  }

  const LessonFile& lesson_;
  const Chapter& chapter_;
  const Figures* figures_;
  Html html_;
  struct Size {
    double lines;
    bool words;  // and nothing else
  };
  std::vector<Slide> slides_;
  std::vector<Size> sizes_;  // of the slides
  Slide slide_;
  std::string section_, caption_;
  double used_ = 0;
  bool first_ = true, full_ = false, words_ = true;
  std::set<std::string> shown_;
};

}  // namespace

std::vector<Slide> slides_of(const Tree& tree, const LessonFile& lesson, const Chapter& chapter,
                             const Figures* figures) {
  return Cutter(tree, lesson, chapter, figures).cut();
}

SitePage slides_page(const Tree& tree, const LessonFile& lesson, const Chapter& chapter, const Figures* figures) {
  Page page = page_around(lesson, chapter, figures);
  page.title = "Slides: " + titled(lesson);
  page.contents.clear();
  page.css_class = "slides";
  page.styles = {"course/slides.css"};
  page.scripts.emplace_back("course/slides.js");
  page.home = {"index.html", "Contents"};
  page.body.clear();
  std::size_t number = 0;
  for (const Slide& slide : slides_of(tree, lesson, chapter, figures)) {
    const int level = ++number == 1 ? 1 : 2;
    page.body += fmt::format(
        "<section class=\"slide\" id=\"slide-{}\"><div class=\"sheet\"><div "
        "class=\"shown\"><h{}>{}</h{}>\n{}{}</div></div>",
        number, level, slide.heading, level, slide.body,
        level == 1 ? fmt::format("<p class=\"source\"><a href=\"{}.html\">The chapter</a></p>\n", lesson.name) : "");
    if (!slide.notes.empty()) page.body += "<aside class=\"notes\" aria-label=\"Notes\">" + slide.notes + "</aside>";
    page.body += "</section>\n";
  }
  return {lesson.name + "_slides.html", page_of(page)};
}

}  // namespace heed::course
