// catalogue.html: every entry of the catalogue of attention as a page of a textbook has it.
#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/growth.h"
#include "nn/catalogue/catalogue.h"
#include "tutorials/course/entry_lessons.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/site.h"
#include "tutorials/league/results/rows.h"
#include "tutorials/report/page.h"

namespace heed::course {
namespace {

std::string row(const char* name, const std::string& html) {
  return html.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>", name, html);
}

std::string code(const std::string& text) { return "<code>" + escaped_whole(text) + "</code>"; }

std::string lesson_link(const Tree& tree, const std::string& number) {
  const LessonFile* lesson = number.empty() ? nullptr : tree.lesson(number);
  return lesson ? fmt::format("<a href=\"{}.html\">{} · {}</a>", lesson->name, lesson->number,
                              report::escaped(lesson->title))
                : "";
}

std::string in_words(const std::vector<std::string>& properties) {
  std::string list = fmt::format("{}", fmt::join(properties, "; "));
  std::replace(list.begin(), list.end(), '_', ' ');
  return report::escaped(list);
}

// Which query may attend to which key: eight by eight squares.
std::string picture_of(const nn::CatalogueEntry& e) {
  if (!e.picture) return "";
  constexpr int64_t size = 8, side = 14;
  const Tensor shares = e.picture({.queries = size, .keys = size});
  std::string squares;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j)
      squares += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.2f}\"/>",
                             j * side + 1, i * side + 1, side - 2, side - 2, 0.08 + 0.85 * shares.at({i, j}));
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {0}\" width=\"{0}\" height=\"{0}\" fill=\"currentColor\" role=\"img\" aria-label=\"{1}: "
      "a "
      "row for each query, a column for each key\">{2}</svg>",
      size * side, report::escaped(e.name), squares);
}

std::string section_of(const Tree& tree, const nn::CatalogueEntry& e, const std::vector<league::Results>& results) {
  std::string html = fmt::format("<h3 id=\"{}\">{} {}</h3>\n", e.id, e.id, report::escaped(e.name));
  html += fmt::format("<p>{}</p>\n", escaped_words(e.idea));
  html += "<dl class=\"entry\">";
  html += row("formula", code(e.formula)) + row("paper", report::escaped(e.paper));
  html += row("pitfall", escaped_words(e.wrong));
  html += row("shapes", code(e.shapes)) + row("cost", escaped_words(nn::cost_in_words(e)));
  html += row("also called", report::escaped(fmt::format("{}", fmt::join(e.also, "; "))));
  html += row("which keys", picture_of(e));
  html += row("properties", in_words(nn::properties_of(e)));
  const std::vector<std::string> league = league::lines_about(e.id, results);
  if (!league.empty())
    html += row("league",
                "<a href=\"league.html\">Exact</a>: " + escaped_words(fmt::format("{}", fmt::join(league, "; "))));
  html += row("file", code(e.file)) + row("lesson", lesson_link(tree, lesson_of(e.id)));
  return html + "</dl>\n";
}

}  // namespace

SitePage catalogue_page(const Tree& tree) {
  const std::vector<league::Results> results = league::recorded_results(tree.root);
  Page page{
      .title = "The catalogue of attention · heed",
      .description = "Every variant of attention in the library: idea, formula, paper, cost, and tested properties.",
      .body =
          "<header class=\"chapter\"><h1>The catalogue of attention</h1></header>\n"
          "<p>Every variant of attention in the library. Each property that is listed is checked by a test. "
          "<code>./heed attention NAME</code> prints the same, and " +
          code("./heed attention --compare --variants NAME") + " trains it beside others.</p>\n"};
  page.home = {"index.html", "Contents"};
  page.css_class = "lesson";
  std::string family;
  for (const nn::CatalogueEntry& e : nn::catalogue()) {
    if (e.family != family) {
      family = e.family;
      std::string anchor = "family-" + family;
      std::replace(anchor.begin(), anchor.end(), ' ', '-');
      page.body += fmt::format("<h2 id=\"{}\" class=\"family\">{}</h2>\n", anchor, report::escaped(family));
      page.contents.push_back({.level = 2, .anchor = anchor, .text = family});
    }
    page.body += section_of(tree, e, results);
  }
  return {"catalogue.html", page_of(page)};
}

}  // namespace heed::course
