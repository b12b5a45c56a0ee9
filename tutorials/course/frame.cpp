#include "tutorials/course/frame.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>

#include "tutorials/course/html_text.h"
#include "tutorials/report/page.h"

namespace heed::course {

using io::Json;

namespace {

bool ends(const std::string& text, std::string_view tail) {
  return text.size() >= tail.size() && std::string_view(text).substr(text.size() - tail.size()) == tail;
}

// The names that follow "heed." in a script; `set`: only those that it gives a value.
std::set<std::string> names_in(std::string_view script, bool set) {
  std::set<std::string> names;
  for (std::size_t at = script.find("heed."); at != std::string_view::npos; at = script.find("heed.", at + 5)) {
    std::size_t end = at + 5;
    while (end < script.size() && (std::isalnum(static_cast<unsigned char>(script[end])) || script[end] == '_')) ++end;
    bool value = script.substr(end, 3) == " = " && (at == 0 || script[at - 1] == '\n');
    if (value || !set) names.emplace(script.substr(at + 5, end - at - 5));
  }
  return names;
}

// Which file sets heed.name.
const std::map<std::string, std::string>& setters() {
  static const std::map<std::string, std::string> map = [] {
    std::map<std::string, std::string> found;
    for (const report::PageFile& file : report::page_files()) {
      std::string name = file.name;
      if (!ends(name, ".js")) continue;
      for (const std::string& set : names_in(file.text, true)) {
        if (name == "core.js" || !found.count(set)) found[set] = name;
      }
    }
    return found;
  }();
  return map;
}

void need(const std::string& script, std::set<std::string>& seen, std::vector<std::string>& order) {
  if (!seen.insert(script).second) return;
  for (const std::string& name : names_in(report::page_file(script), false)) {
    auto setter = setters().find(name);
    if (setter != setters().end()) need(setter->second, seen, order);
  }
  order.push_back(script);
}

std::string arrow(const PageLink& link, const char* rel, const std::string& label) {
  if (link.href.empty()) return "";
  return fmt::format("<a rel=\"{}\" href=\"{}\" title=\"{}\">{}</a>", rel, link.href, report::escaped(link.title),
                     label);
}

std::string contents_of(const Page& page) {
  std::string items;
  for (const Heading& heading : page.contents) {
    if (heading.level == 2)
      items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", heading.anchor, report::escaped(heading.text));
  }
  if (items.empty()) return "";
  return "<nav class=\"contents\" aria-label=\"On this page\"><details><summary>On this page</summary><ol>\n" + items +
         "</ol></details></nav>\n";
}

}  // namespace

bool has_page_file(const std::string& name) { return report::has_page_file(name); }

std::vector<std::string> scripts_for(const Page& page) {
  std::vector<std::string> order;
  std::set<std::string> seen{"core.js", "course/course.js", "selftest.js"};
  if (!page.plays.empty()) need("play.js", seen, order);
  for (const std::string& script : report::scripts_of(page.kinds)) need(script, seen, order);
  for (const std::string& play : page.plays) need("play/" + play + ".js", seen, order);
  for (const std::string& script : page.scripts) need(script, seen, order);
  return order;
}

std::string page_of(const Page& page) {
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += report::page_policy(page.frames);
  html +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n";
  html += fmt::format("<title>{}</title>\n<meta name=\"description\" content=\"{}\">\n", report::escaped(page.title),
                      report::escaped(page.description));
  html += std::string("<style>\n") + report::page_file("page.css") + report::page_file("course/course.css");
  for (const std::string& style : page.styles) html += report::page_file(style);
  html += "</style>\n";
  html += std::string("<script>\n") + report::page_file("core.js") + report::page_file("course/course.js") +
          "</script>\n</head>\n";
  html += fmt::format(
      "<body class=\"course {}\">\n<a class=\"skip\" href=\"#content\">Skip to the text</a>\n<header class=\"site\">",
      page.css_class);
  html += page.home.href.empty() ? "<span class=\"home\">heed</span>"
                                 : fmt::format("<a class=\"home\" href=\"{}\">heed</a>", page.home.href);
  html += "<nav class=\"steps\" aria-label=\"Chapters\">" +
          arrow(page.previous, "prev", "← <span>" + report::escaped(page.previous.title) + "</span>") +
          (page.home.href.empty() ? "" : fmt::format("<a href=\"{}\">Contents</a>", page.home.href)) +
          arrow(page.next, "next", "<span>" + report::escaped(page.next.title) + "</span> →") + "</nav>";
  html +=
      "<button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\">◐ "
      "<span>Theme</span></button></header>\n";
  html += "<div class=\"columns\">\n" + contents_of(page) + "<main id=\"content\" tabindex=\"-1\">\n" + page.body +
          "</main>\n</div>\n";
  if (!page.previous.href.empty() || !page.next.href.empty()) {
    html += "<footer class=\"site\"><nav aria-label=\"Next chapter\">" +
            arrow(page.previous, "prev", "<small>Previous</small> ← " + report::escaped(page.previous.title)) +
            arrow(page.next, "next", "<small>Next</small> " + report::escaped(page.next.title) + " →") +
            "</nav></footer>\n";
  }
  html +=
      "<div id=\"tip\" role=\"presentation\" hidden></div>\n<div id=\"spoken\" class=\"silent\" "
      "aria-live=\"polite\"></div>\n";
  Json panels = Json::array();
  for (const Json& panel : page.panels) panels.push(panel);
  html += "<script type=\"application/json\" id=\"heed-data\">" +
          report::inside_script(Json::object({{"title", page.title}, {"panels", panels}}).dump()) + "</script>\n" +
          page.data;
  std::string scripts;
  for (const std::string& script : scripts_for(page)) scripts += report::page_file(script);
  if (!scripts.empty()) html += "<script>\n" + scripts + "</script>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace heed::course
