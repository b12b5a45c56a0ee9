// The pages beside the chapters: index with paths and a search box, glossary, quiz.
#include <fmt/format.h>

#include "nn/io/file.h"
#include "tutorials/course/frame.h"
#include "tutorials/course/from_zero.h"
#include "tutorials/course/html_text.h"
#include "tutorials/course/markdown.h"
#include "tutorials/course/site.h"
#include "tutorials/league/results/rows.h"

namespace heed::course {

using io::Json;

namespace {

constexpr const char* sentence =
    "Learn how attention works by running it: chapters that measure what they say, on a small C++ engine that you can "
    "read.";

std::string link_to(const LessonFile& lesson) {
  return fmt::format("<a href=\"{}.html\">{}</a>", lesson.name, report::escaped(lesson.title));
}

std::string drawing(const Tree& tree) {
  for (const char* name : {"attention", "map"}) {
    const std::string path = tree.root + "/tutorials/course/drawings/" + name + ".svg";
    if (!io::exists(path)) continue;
    const char* words = std::string(name) == "map"
                            ? "Kinds of attention by the year of their paper"
                            : "Attention: a query is compared with the keys, and the values are mixed";
    return "<figure class=\"drawing scroll\">" + inline_svg(io::read_file(path), words, "d-") + "</figure>\n";
  }
  return "";
}

std::string path_of(const Tree& tree, const char* name, const char* what, const std::vector<const char*>& numbers) {
  std::string steps;
  for (const char* number : numbers) {
    if (const LessonFile* lesson = tree.lesson(number))
      steps += fmt::format("<li value=\"{}\">{}</li>", lesson->number, link_to(*lesson));
  }
  return fmt::format("<div class=\"path\"><h3>{}</h3><p>{}</p><ol>{}</ol></div>\n", name, what, steps);
}

std::string lessons_by_part(const Tree& tree) {
  std::string html;
  for (std::size_t p = 0; p < parts().size(); ++p) {
    std::string rows;
    for (const LessonFile& lesson : tree.lessons) {
      if (lesson.part != p) continue;
      rows += fmt::format(
          "<tr><td class=\"number\">{}</td><td>{}<br><span class=\"soft\">{}</span></td><td class=\"soft "
          "time\">{}</td></tr>\n",
          lesson.number, link_to(lesson), report::escaped(lesson.question), report::escaped(lesson.time));
    }
    if (rows.empty()) continue;
    html += fmt::format(
        "<section><h2 id=\"part-{}\">{}</h2>\n<div class=\"scroll\"><table class=\"lessons\"><thead><tr><th "
        "scope=\"col\"></th>"
        "<th scope=\"col\">lesson</th><th "
        "scope=\"col\">runs</th></tr></thead><tbody>\n{}</tbody></table></div></section>\n",
        p + 1, report::escaped(parts()[p].name), rows);
  }
  return html;
}

}  // namespace

namespace {

// The page of the engine, compiled to WebAssembly, is made by another program and may lie beside this one.
std::string playground_line(bool is_there) {
  return is_there
             ? "<li><a href=\"playground.html\">Playground</a>: the engine itself in the browser, to translate with "
               "and to train.</li>"
             : "<li>Playground: the engine itself in the browser, to translate with and to train. <code>./heed course "
               "--playground</code> builds it and puts a link here.</li>";
}

// What the page opens with: the translator that runs in a page of its own, where that has been built, or else something
// smaller that needs no building. A reader does something before there is anything to read.
std::string first_screen(bool playground, Page& page) {
  if (playground) {
    page.frames = true;
    return "<section class=\"first wide\"><p>This translator runs in your browser, and it was trained in a minute. "
           "Type a "
           "sentence and watch where it looks. Drag the round handle to another word: it writes on from there. Further "
           "down, <b>Train</b> begins again with random weights.</p>\n"
           "<iframe src=\"playground.html\" title=\"A translator to type into, to steer and to train\"></iframe>\n"
           "<p class=\"soft\"><a href=\"playground.html\">The same in a window of its own</a></p></section>\n";
  }
  page.plays = {"arrows"};
  return "<section class=\"first\"><p>Attention does two things, and you can hold both of them: it <b>compares</b> "
         "arrows, and "
         "it <b>mixes</b> them. Drag the tips.</p>\n<div data-play=\"arrows\" class=\"wide\"></div>\n"
         "<p class=\"soft\"><code>./heed course --playground</code> puts a translator in this place that runs in the "
         "browser.</p></section>\n";
}

}  // namespace

SitePage index_page(const Tree& tree, const std::vector<RenderedLesson>& lessons, bool playground,
                    const std::vector<ExtraPage>& extra) {
  Page page{.title = "heed: a course on attention", .description = sentence, .body = {}};
  page.css_class = "index";
  page.scripts = {"course/search.js"};
  page.data = "<script type=\"application/json\" id=\"heed-search\">" +
              search_entries(tree, lessons, playground, extra).dump() + "</script>\n";
  std::string questions;
  bool quiz = false;
  for (const RenderedLesson& one : lessons) quiz = quiz || !one.chapter.quiz.empty();
  page.body = fmt::format(
      "<header class=\"chapter\"><h1>Attention, from the first multiplication to the transformer</h1></header>\n<p "
      "class=\"lead\">{}</p>\n",
      sentence);
  page.body += first_screen(playground, page);
  page.body +=
      "<form class=\"search\" role=\"search\" hidden><label for=\"search\">Find a concept</label><input id=\"search\" "
      "type=\"search\" "
      "autocomplete=\"off\" placeholder=\"where is the gradient of softmax\" aria-controls=\"found\"><ol "
      "id=\"found\"></ol></form>\n";
  page.body += drawing(tree);
  page.body += "<section class=\"paths\"><h2 id=\"paths\">Four paths</h2>\n<div class=\"three\">\n";
  if (const std::vector<PathStep> path = path_from_zero(tree); !path.empty()) {
    int minutes = 0;
    for (const PathStep& step : path) minutes += step.minutes;
    page.body += fmt::format(
        "<div class=\"path\"><h3><a href=\"from_zero.html\">From zero in two weekends</a></h3><p>For readers who know "
        "C++ and nothing else: {} lessons in an order of their own, about {} hours, from the first derivative to a "
        "transformer.</p></div>\n",
        path.size(), (minutes + 30) / 60);
  }
  page.body +=
      path_of(tree, "Attention in an afternoon", "For readers who know neural networks and want to see attention work.",
              {"11", "12", "22", "23", "24", "26"});
  const std::string first = tree.lessons.empty() ? "" : link_to(tree.lessons.front());
  page.body += fmt::format(
      "<div class=\"path\"><h3>The whole course</h3><p>For readers who want all of it: {} chapters in order, each "
      "built on those before it.</p><p>Begin with {}.</p></div>\n",
      tree.lessons.size(), first);
  page.body += path_of(tree, "The engine", "For readers who want to know how tensors and derivatives are made.",
                       {"01", "02", "03", "04", "05", "06"});
  page.body += "</div></section>\n" + lessons_by_part(tree);
  page.body += "<section><h2 id=\"more\">Beside the chapters</h2>\n<ul>";
  if (!tree.glossary.terms().empty())
    page.body += "<li><a href=\"glossary.html\">Glossary</a>: the terms of the course, each in a sentence.</li>";
  page.body +=
      "<li><a href=\"catalogue.html\">The catalogue of attention</a>: every variant with its idea, formula, paper, "
      "cost and "
      "tested properties.</li>";
  if (!league::recorded_results(tree.root).empty())
    page.body +=
        "<li><a href=\"league.html\">The league of attention</a>: every variant trained on the same tasks, its "
        "accuracy and its cost.</li>";
  if (quiz) page.body += "<li><a href=\"quiz.html\">Quiz</a>: questions and answers by part.</li>";
  for (const ExtraPage& one : extra)
    page.body += fmt::format("<li><a href=\"{}\">{}</a>: {}</li>", one.page.file, report::escaped(one.title),
                             report::escaped(one.what));
  page.body += note_list(tree) + playground_line(playground);
  page.body +=
      "<li><code>./heed run NN</code> runs a lesson, <code>./heed exercise NN</code> gives its "
      "exercises.</li></ul></section>\n";
  for (std::size_t p = 0; p < parts().size(); ++p) {
    for (const LessonFile& lesson : tree.lessons) {
      if (lesson.part != p) continue;
      page.contents.push_back({2, fmt::format("part-{}", p + 1), parts()[p].name});
      break;
    }
  }
  page.contents.insert(page.contents.begin(), {2, "paths", "Four paths"});
  page.contents.push_back({2, "more", "Beside the chapters"});
  return {"index.html", page_of(page)};
}

SitePage glossary_page(const Tree& tree) {
  Page page{.title = "Glossary · heed", .description = "The terms of the course, each in a sentence.", .body = {}};
  page.home = {"index.html", "Contents"};
  page.css_class = "glossary";
  Html html(tree, "tutorials/course/glossary.md", true);
  html.mark_terms(false);
  page.body = "<header class=\"chapter\"><h1>Glossary</h1></header>\n<dl>\n";
  for (const Term& term : tree.glossary.terms()) {
    Node definition = parse_markdown(term.definition);
    page.body += fmt::format("<dt id=\"{}\">{}</dt>\n<dd>{}</dd>\n", term.anchor, report::escaped(term.name),
                             html.blocks(definition.children));
  }
  page.body += "</dl>\n";
  return {"glossary.html", page_of(page)};
}

SitePage quiz_page(const Tree& tree, const std::vector<RenderedLesson>& lessons) {
  Page page{.title = "Quiz · heed", .description = "Questions and answers by part of the course.", .body = {}};
  page.home = {"index.html", "Contents"};
  page.css_class = "quiz";
  bool any = false;
  page.body = "<header class=\"chapter\"><h1>Quiz</h1></header>\n";
  for (std::size_t p = 0; p < parts().size(); ++p) {
    std::string inside;
    for (const RenderedLesson& one : lessons) {
      if (one.lesson->part != p || one.chapter.quiz.empty()) continue;
      inside += fmt::format("<h3>{} · {}</h3>\n{}", one.lesson->number, link_to(*one.lesson), one.chapter.quiz);
    }
    if (inside.empty()) continue;
    any = true;
    page.contents.push_back({2, fmt::format("part-{}", p + 1), parts()[p].name});
    page.body += fmt::format("<section><h2 id=\"part-{}\">{}</h2>\n{}</section>\n", p + 1,
                             report::escaped(parts()[p].name), inside);
  }
  if (!any || tree.lessons.empty()) return {"quiz.html", ""};
  return {"quiz.html", page_of(page)};
}

}  // namespace heed::course
