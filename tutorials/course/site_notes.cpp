// Pages that are neither chapters nor lists: study plans, the map of the source, and what goes round on the web.
#include <fmt/format.h>

#include <regex>
#include <utility>

#include "nn/io/file.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/site.h"
#include "tutorials/report/page.h"

namespace heed::course {

namespace {

std::string concept_anchor(std::size_t row) { return fmt::format("concept-{}", row + 1); }

// The document without its title, which is the first node; InputError if it is not a title.
Node read_note(const Tree& tree, const Note& note, std::string& title) {
  Node document = parse_markdown(io::read_file(tree.root + "/" + note.file));
  if (document.children.empty() || document.children.front().tag != "h1")
    refuse_at(note.file, 1, "course: a note must begin with its title, # Title; got something else");
  title = trimmed(plain_text(document.children.front()));
  document.children.erase(document.children.begin());
  return document;
}

bool is_there(const Tree& tree, const Note& note) { return io::exists(tree.root + "/" + note.file); }

// The rows of the table "concept, file, lesson, test", "nullptr" where there is none.
Node* concept_table(Node& document) {
  for (Node& table : document.children) {
    if (table.tag != "table" || table.children.size() < 2) continue;
    const Node& head = table.children[0].children.at(0);
    if (!head.children.empty() && plain_text(head.children[0]) == "concept") return &table.children[1];
  }
  return nullptr;
}

// Every lesson's number in a cell such as "24, 26" or "10 to 16" becomes a link to its chapter.
void link_numbers(const Tree& tree, Node& cell) {
  static const std::regex number("\\d\\d");
  const std::string words = plain_text(cell);
  std::vector<Node> parts;
  auto add = [&](const std::string& text) {
    if (!text.empty()) parts.push_back({.tag = "text", .text = text});
  };
  auto from = words.cbegin();
  for (std::sregex_iterator at(words.begin(), words.end(), number), end; at != end; ++at) {
    const LessonFile* lesson = tree.lesson(at->str());
    if (!lesson) continue;
    add(std::string(from, (*at)[0].first));
    parts.push_back(
        {.tag = "a", .target = lesson->name + "/README.md", .children = {{.tag = "text", .text = at->str()}}});
    from = (*at)[0].second;
  }
  add(std::string(from, words.cend()));
  cell.children = std::move(parts);
}

}  // namespace

std::vector<SitePage> note_pages(const Tree& tree, bool slides) {
  std::vector<SitePage> pages;
  for (const Note& note : notes()) {
    if (!is_there(tree, note)) continue;
    std::string title;
    Node document = read_note(tree, note, title);
    if (Node* rows = concept_table(document)) {
      for (std::size_t i = 0; i < rows->children.size(); ++i) {
        Node& row = rows->children[i];
        row.target = concept_anchor(i);
        if (row.children.size() > 2) link_numbers(tree, row.children[2]);
      }
    }
    Page page{.title = title + " · heed", .description = title, .body = {}};
    page.home = {"index.html", "Contents"};
    page.css_class = "lesson";
    Html html(tree, note.file, true);
    page.body =
        "<header class=\"chapter\"><h1>" + report::escaped(title) + "</h1></header>\n" + html.blocks(document.children);
    page.contents = html.headings();
    if (note.name == std::string("teaching")) {
      page.body += teaching_table(tree, slides);
      page.contents.push_back({2, "minutes", "Minutes"});
    }
    if (note.name == std::string("from_zero")) page.scripts = {"course/from_zero.js"};
    pages.push_back({fmt::format("{}.html", note.name), page_of(page)});
  }
  return pages;
}

std::vector<MapRow> map_rows(const Tree& tree) {
  std::vector<MapRow> rows;
  for (const Note& note : notes()) {
    if (!is_there(tree, note)) continue;
    std::string title;
    Node document = read_note(tree, note, title);
    const Node* table = concept_table(document);
    for (std::size_t i = 0; table && i < table->children.size(); ++i) {
      auto cell = [&](std::size_t k) {
        const std::vector<Node>& cells = table->children[i].children;
        return k < cells.size() ? trimmed(plain_text(cells[k])) : std::string();
      };
      rows.push_back({cell(0), cell(1), cell(2), concept_anchor(i)});
    }
  }
  return rows;
}

std::string note_list(const Tree& tree) {
  std::string items;
  for (const Note& note : notes()) {
    if (!is_there(tree, note)) continue;
    std::string title;
    read_note(tree, note, title);
    items += fmt::format("<li><a href=\"{}.html\">{}</a>: {}</li>", note.name, report::escaped(title), note.what);
  }
  return items;
}

}  // namespace heed::course
