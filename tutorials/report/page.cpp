#include "tutorials/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tensor/error.h"

namespace heed::report {

namespace {

// The one table: a kind of panel and the scripts that draw it, in the order in which they are needed.
struct Kind {
  const char* name;
  std::vector<const char*> scripts;
};
const std::vector<Kind>& kinds_known() {
  static const std::vector<Kind> known{
      {"text", {"table.js"}},
      {"table", {"table.js"}},
      {"claims", {"table.js"}},
      {"curves", {"axes.js", "curves.js"}},
      {"bars", {"axes.js", "bars.js"}},
      {"heat", {"matrix.js", "heat.js"}},
      {"scatter", {"axes.js", "matrix.js", "scatter.js"}},
      {"alignment", {"matrix.js", "alignment.js"}},
      {"graph", {"matrix.js", "graph.js"}},
      {"picture", {"matrix.js", "picture.js"}},
      {"running", {"matrix.js", "running.js"}},
      {"stepper", {"matrix.js", "stepper.js"}},
      {"arcs", {"matrix.js", "arcs.js", "arcs_panel.js"}},
      {"ablation", {"matrix.js", "ablation.js"}},
      {"variants", {"matrix.js", "variants.js"}},
      {"model", {"matrix.js", "model.js"}},
      {"look_heads", {"matrix.js", "arcs.js", "look.js"}},
      {"look_head", {"matrix.js", "arcs.js", "look.js", "look_head.js"}},
      {"look_answer", {"look.js", "look_answer.js"}},
      {"look_key", {"look.js", "look_key.js"}},
      {"look_trust", {"look.js", "look_answer.js"}},
      {"look_lens", {"look.js", "look_lens.js"}},
      {"look_cache", {"look.js", "look_lens.js"}},
      {"exhibit", {"matrix.js", "exhibit.js"}},
  };
  return known;
}

}  // namespace

const char* page_file(const std::string& name) {
  for (const PageFile& file : page_files()) {
    if (name == file.name) return file.text;
  }
  throw ValueError(fmt::format("report: the page has no file \"{}\"", name));
}

bool has_page_file(const std::string& name) {
  return std::any_of(page_files().begin(), page_files().end(), [&](const PageFile& file) { return name == file.name; });
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    const char* entity = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : nullptr;
    if (entity) {
      result += entity;
    } else {
      result += c;
    }
  }
  return result;
}

// JSON lets every '<' be written as an escape.
std::string inside_script(const std::string& json) {
  std::string result;
  result.reserve(json.size());
  for (char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

std::string page_policy(bool frames) {
  return std::string(
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:") +
         (frames ? "; frame-src 'self' file:\">\n" : "\">\n");
}

std::vector<std::string> scripts_of(const std::vector<std::string>& kinds) {
  std::vector<std::string> scripts;
  for (const Kind& kind : kinds_known()) {
    if (std::find(kinds.begin(), kinds.end(), kind.name) == kinds.end()) continue;
    for (const char* script : kind.scripts) {
      if (std::find(scripts.begin(), scripts.end(), script) == scripts.end()) scripts.emplace_back(script);
    }
  }
  return scripts;
}

std::string page_html(const std::string& title, const std::string& subtitle, const std::vector<std::string>& kinds,
                      const std::string& data_json, const std::string& home) {
  std::vector<std::string> scripts = scripts_of(kinds);
  scripts.emplace_back("selftest.js");

  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += page_policy();  // the page cannot load anything even by mistake
  page +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n";
  page += "<title>" + escaped(title) + "</title>\n<style>\n" + page_file("page.css") + "</style>\n<script>\n" +
          page_file("core.js") + "</script>\n</head>\n<body>\n";
  page += "<header class=\"page\"><div><h1>" + escaped(title) + "</h1>";
  if (!subtitle.empty()) page += "<p>" + escaped(subtitle) + "</p>";
  if (!home.empty()) page += "<p><a href=\"" + escaped(home) + "\">Contents</a></p>";
  page +=
      "</div><button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\">◐ "
      "Theme</button></header>\n";
  page +=
      "<nav aria-label=\"Panels\"></nav>\n<noscript>The drawings of this page need JavaScript; nothing is loaded from "
      "anywhere.</noscript>\n<main></main>\n";
  page +=
      "<div id=\"tip\" role=\"presentation\" hidden></div>\n<div id=\"spoken\" class=\"silent\" "
      "aria-live=\"polite\"></div>\n";
  page += "<script type=\"application/json\" id=\"heed-data\">" + inside_script(data_json) + "</script>\n<script>\n";
  for (const std::string& script : scripts) page += page_file(script);
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace heed::report
