// league.html: the results of the league that come with the sources (tutorials/league), as a page of the course.
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <set>

#include "tutorials/course/figures.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/site.h"
#include "tutorials/league/results/page.h"
#include "tutorials/report/page.h"

namespace heed::course {

SitePage league_page(const Tree& tree) {
  const std::vector<league::Results> results = league::recorded_results(tree.root);
  if (results.empty()) return {};
  Figures figures =
      figures_of(league::page_of(results, "The league of attention", league::recorded_reasons(tree.root)).figures());
  Page page{.title = "The league of attention · heed",
            .description = "Every variant of attention that can be trained, on the same tasks: accuracy and cost."};
  page.body = fmt::format(
      "<header class=\"chapter\"><h1>The league of attention</h1><p>{}.</p></header>\n"
      "<p>These are the results of <code>{}</code> and, for the translation, of <code>{}</code>. They take hours. The "
      "times of the translation were measured while other programs ran. Give your "
      "own variant to the same command to see it beside them. <a href=\"catalogue.html\">The "
      "catalogue</a> explains each variant.</p>\n",
      report::escaped(figures.subtitle),
      escaped_whole("./heed attention --compare --task copy,reverse,recall --seeds 3"),
      escaped_whole("./heed attention --compare --task translate --architecture transformer --steps 4000"));
  std::map<std::string, std::string> tasks;  // by the title of the panel with which each begins
  for (const league::Results& some : results)
    for (const std::string& task : league::tasks_in(some.rows)) tasks[task + ": learning curves"] = task;
  std::set<std::string> anchors;
  std::string families;  // panels of curves by family, which are folded
  int folded = 0;
  auto fold = [&] {
    if (folded > 0)
      page.body += fmt::format(
          "<details class=\"more\"><summary>By family, where curves differ ({})</summary>\n<div "
          "class=\"panels\">\n{}</div></details>\n",
          folded, families);
    families.clear(), folded = 0;
  };
  for (size_t i = 0; i < figures.panels.size(); ++i) {
    if (figures.panels[i].text("kind") == "text") {
      for (const io::Json& paragraph : figures.panels[i].list("paragraphs"))
        page.body += "<p>" + report::escaped(paragraph.as_string()) + "</p>\n";
      continue;
    }
    const std::string title = figures.panels[i].text("title", "");
    if (auto task = tasks.find(title); task != tasks.end()) {
      std::string heading = task->second;
      heading[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(heading[0])));
      page.body += fmt::format("<h2 id=\"{}\">{}</h2>\n", report::escaped(task->second), report::escaped(heading));
      page.contents.push_back({.level = 2, .anchor = task->second, .text = heading});
    }
    auto place = [&](const std::string& id) {
      return fmt::format("<div class=\"place\"{} data-panel=\"{}\"></div>\n", id, i);
    };
    if (figures.panels[i].text("kind") == "curves" && !tasks.contains(title)) {  // "copy, recurrent: FAMILY"
      const std::string anchor = anchor_of_family(title.substr(title.rfind(": ") + 2));
      families += place(anchors.insert(anchor).second ? fmt::format(" id=\"{}\"", anchor) : "");
      ++folded;
      continue;
    }
    fold();
    page.body += place("");
  }
  fold();
  page.kinds = figures.kinds, page.panels = figures.panels;
  page.home = {"index.html", "Contents"};
  page.css_class = "lesson";
  return {"league.html", page_of(page)};
}

}  // namespace heed::course
