// Pages that are neither chapters nor lists: study plans, and what goes round on the web.
#include <fmt/format.h>

#include <filesystem>

#include "nn/io/file.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/site.h"
#include "tutorials/report/page.h"

namespace heed::course {

namespace {

std::string file_of(const Note& note) { return fmt::format("tutorials/course/{}.md", note.name); }

// The document without its title, which is the first node; InputError if it is not a title.
Node read_note(const Tree& tree, const Note& note, std::string& title) {
  Node document = parse_markdown(io::read_file(tree.root + "/" + file_of(note)));
  if (document.children.empty() || document.children.front().tag != "h1")
    refuse_at(file_of(note), 1, "course: a note must begin with its title, # Title; got something else");
  title = trimmed(plain_text(document.children.front()));
  document.children.erase(document.children.begin());
  return document;
}

bool is_there(const Tree& tree, const Note& note) { return std::filesystem::exists(tree.root + "/" + file_of(note)); }

}  // namespace

std::vector<SitePage> note_pages(const Tree& tree) {
  std::vector<SitePage> pages;
  for (const Note& note : notes()) {
    if (!is_there(tree, note)) continue;
    std::string title;
    const Node document = read_note(tree, note, title);
    Page page{.title = title + " · heed", .description = title, .body = {}};
    page.home = {"index.html", "Contents"};
    page.css_class = "lesson";
    Html html(tree, file_of(note), true);
    page.body =
        "<header class=\"chapter\"><h1>" + report::escaped(title) + "</h1></header>\n" + html.blocks(document.children);
    page.contents = html.headings();
    pages.push_back({fmt::format("{}.html", note.name), page_of(page)});
  }
  return pages;
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
