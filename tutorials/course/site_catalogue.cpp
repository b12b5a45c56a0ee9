// catalogue.html, a list of all entries of the catalogue of attention to search, filter and sort; and entry_ID.html, a
// page for each of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nn/attention/growth.h"
#include "nn/catalogue/catalogue.h"
#include "nn/io/file.h"
#include "tutorials/course/drawings/drawings.h"
#include "tutorials/course/entry_lessons.h"
#include "tutorials/course/formula.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/properties.h"
#include "tutorials/course/site.h"
#include "tutorials/league/results/rows.h"
#include "tutorials/report/page.h"

namespace heed::course {

std::string anchor_of_family(const std::string& family) { return "family-" + anchor_of(family); }

namespace {

using nn::CatalogueEntry;

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

// Which query may attend to which key: eight by eight squares.
std::string picture_of(const CatalogueEntry& e) {
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
      "a row for each query, a column for each key\">{2}</svg>",
      size * side, report::escaped(e.name), squares);
}

// % of the sequences exact, by entry, then by architecture and task.
using Exact = std::map<std::string, std::map<std::pair<std::string, std::string>, double>>;
Exact exact_of(const std::vector<league::Results>& results) {
  Exact exact;
  for (const league::Results& some : results)
    for (const std::string& task : league::tasks_in(some.rows))
      for (const league::Seeds& seeds : league::by_entrant(some.rows, task)) {
        const league::Entrant& e = seeds.first().entrant;
        exact[e.id].emplace(std::pair{e.architecture, task}, seeds.mean(&league::Row::inside_exact));
      }
  return exact;
}

// The entry and at most four of its family with results, two before it and two after it in the catalogue; and what a
// model reaches whose weights are all equal.
std::vector<const CatalogueEntry*> relatives_of(const CatalogueEntry& e, const Exact& exact) {
  std::vector<const CatalogueEntry*> family;
  std::ptrdiff_t own = 0;
  for (const CatalogueEntry& other : nn::catalogue()) {
    if (other.id == e.id) own = std::ssize(family);
    if (other.id == e.id || (other.family == e.family && exact.contains(other.id))) family.push_back(&other);
  }
  const auto first = family.begin() + std::max<std::ptrdiff_t>(own - 2, 0);
  std::vector<const CatalogueEntry*> near(first, std::min(first + 5, family.end()));
  if (e.id != "Z1") near.push_back(&nn::catalogue_entry("Z1"));
  return near;
}

std::string bar(double share) {
  return fmt::format(
      "<svg viewBox=\"0 0 100 8\" width=\"60\" height=\"8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
      "width=\"100\" height=\"8\" fill=\"currentColor\" fill-opacity=\"0.12\"/><rect width=\"{:.0f}\" height=\"8\" "
      "fill=\"currentColor\" fill-opacity=\"0.6\"/></svg> ",
      share);
}

std::string league_of(const CatalogueEntry& e, const Exact& exact) {
  const auto own = exact.find(e.id);
  if (own == exact.end()) return "";
  std::string head, body;
  for (const auto& [column, share] : own->second)
    head += fmt::format("<th scope=\"col\">{}<br>{}</th>", report::escaped(column.second),
                        column.first == "seq2seq" ? "recurrent" : "transformer");
  for (const CatalogueEntry* one : relatives_of(e, exact)) {
    body += fmt::format("<tr{}><th scope=\"row\"><a href=\"entry_{}.html\">{}</a></th>",
                        one->id == e.id ? " aria-current=\"true\"" : "", one->id, report::escaped(one->name));
    for (const auto& column : own->second) {
      const auto other = exact.find(one->id);
      const auto share = other == exact.end() ? own->second.end() : other->second.find(column.first);
      const bool known = other != exact.end() && share != other->second.end();
      body += known ? fmt::format("<td class=\"number\">{}<span class=\"share\">{:.1f}</span></td>", bar(share->second),
                                  share->second)
                    : "<td></td>";
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<section><h2 id=\"league\">In the league, beside its relatives</h2>\n<p>Sequences in which every symbol is "
      "right, in %. The <a href=\"league.html\">league</a> trains all variants in the same small models. The last row "
      "is a control that weighs all words alike.</p>\n<div class=\"scroll\"><table><thead><tr><th "
      "scope=\"col\">variant</th>{}</tr></thead><tbody>\n{}</tbody></table></div></section>\n",
      head, body);
}

std::string list_of(const char* anchor, const char* heading, const std::string& items) {
  return items.empty() ? ""
                       : fmt::format("<section><h2 id=\"{}\">{}</h2>\n<ul>{}</ul></section>\n", anchor, heading, items);
}

std::string properties(const CatalogueEntry& e) {
  std::string held, exempt;
  for (const std::string& property : nn::properties_of(e))
    held += "<li>" + escaped_words(sentence_of(property)) + "</li>\n";
  for (const auto& [property, reason] : e.exempt)
    exempt += fmt::format("<li>{} Not here: {}.</li>\n", escaped_words(sentence_of(property)), escaped_words(reason));
  return list_of("properties", "What a test checks", held) +
         list_of("exempt", "What does not hold for it, and why", exempt);
}

SitePage entry_page(const Tree& tree, const CatalogueEntry& e, const Exact& exact) {
  Page page{.title = fmt::format("{} {} · heed", e.id, e.name),
            .description = fmt::format("{}: idea, formula, cost and tested properties.", e.name)};
  page.body = fmt::format("<header class=\"chapter\"><h1>{} {}</h1></header>\n<p>{}</p>\n", e.id,
                          report::escaped(e.name), escaped_words(e.idea));
  page.body += formula_html(e.formula);
  std::string facts = row("paper", report::escaped(e.paper)) + row("pitfall", escaped_words(e.wrong)) +
                      row("shapes", code(e.shapes)) + row("cost", escaped_words(nn::cost_in_words(e))) +
                      row("also called", report::escaped(fmt::format("{}", fmt::join(e.also, "; ")))) +
                      row("which keys", picture_of(e));
  for (const nn::OptionField& s : e.settings)
    facts += row("setting", code(s.name) + escaped_words(fmt::format(" = {}: {}", number_of(s), s.help)));
  facts += row("family", fmt::format("<a href=\"catalogue.html#{}\">{}</a>", anchor_of_family(e.family),
                                     report::escaped(e.family))) +
           row("file", code(e.file)) + row("lesson", lesson_link(tree, lesson_of(e.id)));
  page.body += "<dl class=\"entry\">" + facts + "</dl>\n";
  page.body += league_of(e, exact) + properties(e);
  page.home = {"index.html", "Contents"};
  page.css_class = "lesson";
  const auto& all = nn::catalogue();
  const auto at = std::find_if(all.begin(), all.end(), [&](const CatalogueEntry& one) { return one.id == e.id; });
  auto link_to = [](const CatalogueEntry& to) { return PageLink{"entry_" + to.id + ".html", to.id + " " + to.name}; };
  if (at != all.begin()) page.previous = link_to(*std::prev(at));
  if (std::next(at) != all.end()) page.next = link_to(*std::next(at));
  return {"entry_" + e.id + ".html", page_of(page)};
}

std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

// Where the page of the league has the curves of a family, if they differ.
std::string curves_of(const std::string& family, const SitePage& league) {
  const std::string anchor = anchor_of_family(family);
  const bool drawn = league.html.find(fmt::format("id=\"{}\"", anchor)) != std::string::npos;
  return drawn ? fmt::format("{}#{}", league.file, anchor) : "";
}

SitePage list_page(const Exact& exact, const SitePage& league) {
  Page page{.title = "The catalogue of attention · heed",
            .description = "Every variant of attention in the library, to search, filter and sort."};
  std::string rows, family;
  for (const CatalogueEntry& e : nn::catalogue()) {
    const bool is_first = e.family != family;
    family = e.family;
    const std::string anchor = anchor_of_family(family);
    if (is_first) page.contents.push_back({.level = 2, .anchor = anchor, .text = family});
    const std::string curves = curves_of(family, league);
    const std::string linear = nn::cost_is_counted(e) ? nn::cost_is_linear(e) ? "linear" : "quadratic" : "";
    rows += fmt::format(
        "<tr id=\"{0}\"><td>{1}{0}</td><th scope=\"row\"><a href=\"entry_{0}.html\">{2}</a></th><td "
        "class=\"idea\">{3}</td><td>{4}</td><td>{5}</td><td>{6}</td><td>{7}</td></tr>\n",
        e.id, is_first ? fmt::format("<span id=\"{}\"></span>", anchor) : "", report::escaped(e.name),
        escaped_words(first_sentence(e.idea)), report::escaped(family), e.year, linear,
        !exact.contains(e.id) ? ""
        : curves.empty()      ? "yes"
                              : fmt::format("<a href=\"{}\" title=\"curves of the family\">yes</a>", curves));
  }
  page.body = fmt::format(
      "<header class=\"chapter\"><h1>The catalogue of attention</h1></header>\n"
      "<p>{} entries. Each has a page with its formula, its pitfall, its cost, and properties that tests check. "
      "<code>./heed attention NAME</code> prints the same.</p>\n"
      "<form class=\"catalogue\" hidden><label>Find <input type=\"search\" name=\"words\"></label> <label>family "
      "<select name=\"family\"><option value=\"\">all</option></select></label> <label>from <input type=\"number\" "
      "name=\"from\" min=\"1900\" max=\"2100\" placeholder=\"year\"></label> <label>cost <select name=\"cost\"><option "
      "value=\"\">any</option><option>linear</option><option>quadratic</option></select></label> <label><input "
      "type=\"checkbox\" name=\"league\"> in the league</label> <output></output></form>\n"
      "<div class=\"scroll\"><table class=\"catalogue\"><thead><tr><th scope=\"col\">id</th><th "
      "scope=\"col\">name</th><th scope=\"col\">idea</th><th scope=\"col\">family</th><th "
      "scope=\"col\">year</th><th scope=\"col\">cost</th><th scope=\"col\">league</th></tr></thead>"
      "<tbody>\n{}</tbody></table></div>\n",
      nn::catalogue().size(), rows);
  page.scripts = {"course/catalogue.js"};
  page.home = {"index.html", "Contents"};
  page.css_class = "lesson";
  return {"catalogue.html", page_of(page)};
}

}  // namespace

std::vector<SitePage> catalogue_pages(const Tree& tree) {
  const Exact exact = exact_of(league::recorded_results(tree.root));
  std::vector<SitePage> pages{list_page(exact, league_page(tree))};
  for (const CatalogueEntry& e : nn::catalogue()) pages.push_back(entry_page(tree, e, exact));
  return pages;
}

}  // namespace heed::course
