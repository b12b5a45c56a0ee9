#include "tutorials/course/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <utility>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/course/excerpt.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/mathml.h"

namespace heed::course {

namespace fs = std::filesystem;

namespace {

std::string wrapped(const std::string& tag, const std::string& inside) {
  return "<" + tag + ">" + inside + "</" + tag + ">";
}

bool starts(const std::string& text, std::string_view head) { return text.compare(0, head.size(), head) == 0; }

// A cell with the numbers of three seeds, "96.6 / 96.8 / 97.0 %", as the middle one, which unfolds to all; "" if it has
// no such numbers.
std::string of_three_seeds(const std::string& cell) {
  static const std::regex form("([-0-9.,e]+) / ([-0-9.,e]+) / ([-0-9.,e]+)( ?[^0-9/]*)");
  std::smatch found;
  if (!std::regex_match(cell, found, form)) return "";
  std::vector<std::string> three{found[1], found[2], found[3]};
  std::sort(three.begin(), three.end(), [](std::string a, std::string b) {
    std::erase(a, ','), std::erase(b, ',');
    return std::strtod(a.c_str(), nullptr) < std::strtod(b.c_str(), nullptr);
  });
  const std::string unit = report::escaped(found[4].str());
  return "<details class=\"seeds\"><summary title=\"the middle of three seeds\">" + three[1] + unit +
         "</summary><span>" + three[0] + " to " + three[2] + unit +
         "; in the order of the seeds: " + escaped_whole(cell) + "</span></details>";
}

}  // namespace

Html::Html(const Tree& tree, std::string file, bool linked)
    : tree_(tree), file_(std::move(file)), folder_(fs::path(file_).parent_path().string()), linked_(linked) {}

std::string Html::blocks(const std::vector<Node>& nodes) {
  std::string html;
  for (const Node& node : nodes) html += block(node);
  return html;
}

std::string Html::inlines(const std::vector<Node>& nodes) {
  std::string html;
  for (const Node& node : nodes) html += inline_node(node);
  return html;
}

std::string Html::code_block(const std::string& code, const std::string& language) const {
  return "<pre class=\"scroll\"><code>" + highlighted(code, language) + "</code></pre>\n";
}

std::string Html::heading(const Node& node) {
  std::string words = trimmed(plain_text(node)), anchor = anchor_of(words);
  if (int again = anchors_[anchor]++; again > 0) anchor += "-" + std::to_string(again);
  int level = node.tag[1] - '0';
  headings_.push_back({level, anchor, readable_text(node)});
  seen_.clear();
  bool marks = std::exchange(marks_terms_, false);
  std::string inside = inlines(node.children);
  marks_terms_ = marks;
  return fmt::format(
      "<h{} id=\"{}\">{} <a class=\"here\" href=\"#{}\" aria-label=\"Link to this heading\">#</a></h{}>\n", level,
      anchor, inside, anchor, level);
}

std::string Html::block(const Node& node) {
  const std::string& tag = node.tag;
  if (tag[0] == 'h' && tag.size() == 2 && tag != "hr") return heading(node);
  if (tag == "hr") return "<hr>\n";
  if (tag == "html") return raw(node);
  if (tag == "pre")
    return node.target == "math" ? formula(node.text, true, node.line) : code_block(node.text, node.target);
  if (tag == "p") {
    bool alone = node.children.size() == 1;
    if (alone && node.children[0].tag == "img") return picture(node.children[0]);
    if (alone && node.children[0].tag == "display") return formula(node.children[0].text, true, node.line);
    return wrapped("p", inlines(node.children)) + "\n";
  }
  if (tag == "table") return "<div class=\"scroll\"><table>" + blocks(node.children) + "</table></div>\n";
  if (tag == "th" || tag == "td") {
    bool right = node.target == "right";
    std::string scope = tag == "th" ? " scope=\"col\"" : "";
    const bool words = node.children.size() == 1 && node.children[0].tag == "text";
    const std::string seeds = words && tag == "td" ? of_three_seeds(node.children[0].text) : "";
    return "<" + tag + scope + (right ? " class=\"number\"" : "") + ">" +
           (seeds.empty() ? inlines(node.children) : seeds) + "</" + tag + ">";
  }
  if (tag == "ol") return "<ol start=\"" + node.target + "\">" + blocks(node.children) + "</ol>\n";
  if (tag == "li") {
    std::string html;
    for (const Node& child : node.children) {
      bool is_block = child.tag == "p" || child.tag == "ul" || child.tag == "ol" || child.tag == "pre" ||
                      child.tag == "table" || child.tag == "blockquote" || child.tag == "html" ||
                      (child.tag[0] == 'h' && child.tag.size() == 2);
      html += is_block && !(child.tag == "html" && child.children.empty() && child.text.find('\n') == std::string::npos)
                  ? block(child)
                  : inline_node(child);
    }
    return wrapped("li", html) + "\n";
  }
  if (tag == "tr" && !node.target.empty()) return "<tr id=\"" + node.target + "\">" + blocks(node.children) + "</tr>\n";
  if (tag == "ul" || tag == "blockquote" || tag == "thead" || tag == "tbody" || tag == "tr")
    return wrapped(tag, blocks(node.children)) + "\n";
  return inline_node(node);
}

std::string Html::inline_node(const Node& node) {
  if (node.tag == "text") return text(node.text);
  if (node.tag == "entity") return node.text;
  if (node.tag == "code") return wrapped("code", escaped_whole(node.text));
  if (node.tag == "br") return "<br>\n";
  if (node.tag == "softbreak") return "\n";
  if (node.tag == "math" || node.tag == "display") return formula(node.text, node.tag == "display", node.line);
  if (node.tag == "a") return link(node);
  if (node.tag == "img") return picture(node);
  if (node.tag == "html") return raw(node);
  return wrapped(node.tag, inlines(node.children));
}

std::string Html::formula(const std::string& latex, bool display, std::size_t line) const {
  try {
    std::string math = mathml(latex, display);
    return display ? "<div class=\"math scroll\">" + math + "</div>\n" : math;
  } catch (const MathError& error) { refuse_at(file_, line + error.line, error.what()); }
}

std::string Html::raw(const Node& node) {
  static constexpr std::array allowed{"details", "summary", "sub", "sup",    "br",  "kbd",
                                      "b",       "i",       "em",  "strong", "code"};
  static const std::regex comment("<!--[\\s\\S]*?-->"), tag("</?([A-Za-z][A-Za-z0-9]*)");
  std::string html = std::regex_replace(node.text, comment, "");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    bool known = false;
    for (const char* name : allowed) known = known || (*at)[1].str() == name;
    if (!known)
      refuse_at(
          file_, node.line,
          fmt::format("html: a tag must be details, summary, sub, sup, br, kbd, b, i, em, strong or code; got <{}>",
                      (*at)[1].str()));
  }
  return summaries(html);
}

// Markdown does not look into blocks of HTML, but what a <summary> says is a line as any other: with `code` and
// $formulas$.
std::string Html::summaries(const std::string& html) {
  static const std::regex summary("<summary>([\\s\\S]*?)</summary>");
  const bool marks = std::exchange(marks_terms_, false), linked = std::exchange(linked_, false);
  std::string out;
  auto from = html.cbegin();
  for (std::sregex_iterator at(html.begin(), html.end(), summary), end; at != end; ++at) {
    out.append(from, html.cbegin() + at->position());
    out += "<summary>";
    for (const Node& line : parse_markdown((*at)[1].str()).children) out += inlines(line.children);
    out += "</summary>";
    from = html.cbegin() + at->position() + at->length();
  }
  marks_terms_ = marks, linked_ = linked;
  return out.append(from, html.cend());
}

// Words with the numbers of other lessons as links.
std::string Html::plain(const std::string& words) const {
  static const std::regex number("([Ll]essons?) (\\d\\d)\\b");
  if (!linked_) return escaped_words(words);
  std::string html;
  auto from = words.cbegin();
  for (std::sregex_iterator at(words.begin(), words.end(), number), end; at != end; ++at) {
    const LessonFile* lesson = tree_.lesson((*at)[2].str());
    if (!lesson || starts(file_, "tutorials/" + lesson->name + "/")) continue;
    html += escaped_words(std::string(from, (*at)[0].first));
    html += fmt::format("<a class=\"lesson\" href=\"{}.html\" title=\"{}\">{}</a>", lesson->name,
                        report::escaped(lesson->title), (*at)[0].str());
    from = (*at)[0].second;
  }
  return html + escaped_words(std::string(from, words.cend()));
}

std::string Html::text(const std::string& words) {
  if (!marks_terms_) return plain(words);
  std::string html;
  std::size_t from = 0;
  for (auto hit = tree_.glossary.find(words, 0, seen_); hit.term; hit = tree_.glossary.find(words, from, seen_)) {
    seen_.insert(hit.term->name);
    html += plain(words.substr(from, hit.begin - from));
    const std::string word = report::escaped(words.substr(hit.begin, hit.size)), tip = report::escaped(hit.term->plain);
    html += linked_ ? fmt::format("<a class=\"term\" href=\"glossary.html#{}\" data-tip=\"{}\">{}</a>",
                                  hit.term->anchor, tip, word)
                    : fmt::format("<span class=\"term\" tabindex=\"0\" data-tip=\"{}\">{}</span>", tip, word);
    from = hit.begin + hit.size;
  }
  return html + plain(words.substr(from));
}

std::string Html::path_in_tree(const std::string& target, std::size_t line) const {
  std::string path = (fs::path(folder_) / target).lexically_normal().string();
  if (!path.empty() && path.back() == '/') path.pop_back();
  if (starts(path, "..") || !io::exists(tree_.root + "/" + path))
    refuse_at(file_, line, fmt::format("link: the file must exist; got \"{}\"", target));
  return path;
}

std::string Html::link(const Node& node) {
  bool marks = std::exchange(marks_terms_, false);
  bool linked = std::exchange(linked_, false);  // no link inside a link
  std::string inside = inlines(node.children);
  linked_ = linked;
  marks_terms_ = marks;
  const std::string& target = node.target;
  if (starts(target, "http://") || starts(target, "https://"))
    return fmt::format("<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>", report::escaped(target), inside);
  if (starts(target, "#")) return fmt::format("<a href=\"{}\">{}</a>", report::escaped(target), inside);
  std::string anchor = target.find('#') == std::string::npos ? "" : target.substr(target.find('#'));
  std::string path = path_in_tree(target.substr(0, target.size() - anchor.size()), node.line);
  const LessonFile* lesson = nullptr;
  for (const LessonFile& other : tree_.lessons) {
    if (path == "tutorials/" + other.name || path == tree_.readme(other)) lesson = &other;
  }
  if (lesson && linked_)
    return fmt::format("<a href=\"{}.html{}\">{}</a>", lesson->name, report::escaped(anchor), inside);
  if (path == "tutorials/course/glossary.md" && linked_)
    return fmt::format("<a href=\"glossary.html{}\">{}</a>", report::escaped(anchor), inside);
  for (const Note& note : notes()) {
    if (linked_ && path == note.file)
      return fmt::format("<a href=\"{}.html{}\">{}</a>", note.name, report::escaped(anchor), inside);
  }
  if (inside.find("<code>") != std::string::npos)
    return fmt::format("<span class=\"source\" title=\"{}\">{}</span>", report::escaped(path), inside);
  bool is_name = inside.find(' ') == std::string::npos;
  return fmt::format("<{} class=\"source\" title=\"{}\">{}</{}>", is_name ? "code" : "span", report::escaped(path),
                     inside, is_name ? "code" : "span");
}

std::string Html::picture(const Node& node) {
  std::string alternative = trimmed(plain_text(Node{.tag = "", .children = node.children}));
  if (alternative.empty())
    refuse_at(file_, node.line,
              fmt::format("picture: a drawing must have an alternative text; got none for \"{}\"", node.target));
  if (node.target.size() < 4 || node.target.substr(node.target.size() - 4) != ".svg")
    refuse_at(file_, node.line, fmt::format("picture: a drawing must be an SVG file; got \"{}\"", node.target));
  std::string path = path_in_tree(node.target, node.line);
  return "<figure class=\"drawing scroll\">" +
         inline_svg(io::read_file(tree_.root + "/" + path), alternative, fmt::format("d{}-", ++drawings_)) +
         "</figure>\n";
}

std::string inline_svg(const std::string& svg, const std::string& alternative, const std::string& prefix) {
  std::size_t begin = svg.find("<svg");
  if (begin == std::string::npos) throw InputError("picture: a drawing must hold an <svg> element; got none");
  std::string text = svg.substr(begin);
  static const std::regex own("(<svg[^>]*?) (?:role|aria-label)=\"[^\"]*\""), id("\\bid=\"([^\"]+)\""),
      use("url\\(#([^)]+)\\)"), reference("href=\"#([^\"]+)\""), labelled("aria-(labelledby|describedby)=\"([^\"]+)\"");
  std::size_t head = text.find('>');
  std::string open = text.substr(0, head), rest = text.substr(head);
  for (std::string before; before != open;) {
    before = open;
    open = std::regex_replace(open, own, "$1");
  }
  open = std::regex_replace(open, std::regex(" aria-(labelledby|describedby)=\"[^\"]*\""), "");
  text = "<svg role=\"img\" aria-label=\"" + report::escaped(alternative) + "\"" + open.substr(4) + rest;
  text = std::regex_replace(text, id, "id=\"" + prefix + "$1\"");
  text = std::regex_replace(text, use, "url(#" + prefix + "$1)");
  text = std::regex_replace(text, reference, "href=\"#" + prefix + "$1\"");
  return trimmed(text) + "\n";
}

}  // namespace heed::course
