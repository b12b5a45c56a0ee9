#include "tutorials/course/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/io/file.h"
#include "tutorials/course/html_text.h"

namespace heed::course {

using io::Json;

namespace {

std::string number(const Json& value) {
  if (value.is_string()) return escaped_words(value.as_string());
  return value.is_number() ? escaped_whole(fmt::format("{:.4g}", value.as_number())) : "–";
}

std::string sign_of(const std::string& comparator) {
  return comparator == "<=" ? "≤" : comparator == ">=" ? "≥" : comparator == "==" ? "=" : report::escaped(comparator);
}

std::string with_code(const std::string& text) {  // `marked` words
  std::string html;
  bool inside = false;
  std::size_t from = 0;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', from)) {
    const std::string part = text.substr(from, at - from);
    html += (inside ? escaped_whole(part) : escaped_words(part)) + (inside ? "</code>" : "<code>");
    inside = !inside;
    from = at + 1;
  }
  return html + escaped_words(text.substr(from)) + (inside ? "</code>" : "");
}

std::string counted(std::size_t count, const std::string& title) {
  std::string one = title == "Checks" ? "check" : "claim";
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

std::size_t Figures::find(const std::string& title) const {
  auto found = std::find_if(panels.begin(), panels.end(), [&](const Json& p) { return p.text("title", "") == title; });
  return static_cast<std::size_t>(found - panels.begin());
}

Figures figures_of(const Json& json) {
  Figures figures{.subtitle = json.text("subtitle", "")};
  for (const Json& panel : json.list("panels")) {
    const std::string& kind = panel.text("kind");
    (kind == "claims" ? figures.claims : figures.panels).push_back(panel);
    if (kind != "claims" && std::find(figures.kinds.begin(), figures.kinds.end(), kind) == figures.kinds.end())
      figures.kinds.push_back(kind);
  }
  return figures;
}

std::optional<Figures> read_figures(const std::string& path) {
  if (!io::exists(path)) return std::nullopt;
  return figures_of(io::parse(io::read_file(path), path));
}

std::string claims_html(const std::vector<Json>& claims) {
  if (claims.empty()) return "";
  std::string rows, line;
  std::size_t broken = 0;
  for (const Json& panel : claims) {
    const std::vector<Json>& list = panel.list("claims");
    std::size_t held = 0;
    for (const Json& claim : list) {
      bool pass = claim.boolean("pass");
      held += pass;
      const Json* control = claim.find("control");
      rows += fmt::format("<tr><td class=\"{}\">{}</td><td>{}</td><td class=\"number\">{} {} {}</td><td>{}</td></tr>\n",
                          pass ? "pass" : "fail", pass ? "✓&nbsp;holds" : "✗&nbsp;fails", with_code(claim.text("name")),
                          number(claim.at("measured")), sign_of(claim.text("comparator")),
                          number(claim.at("threshold")), control && !control->is_null() ? number(*control) : "");
    }
    broken += list.size() - held;
    if (!line.empty()) line += " · ";
    line += held == list.size() ? fmt::format("{} {}", counted(held, panel.text("title")), held == 1 ? "holds" : "hold")
                                : fmt::format("{} of {} hold", held, counted(list.size(), panel.text("title")));
  }
  return fmt::format(
      "<details class=\"claims {}\" id=\"claims\"><summary>{} {}</summary>\n<div "
      "class=\"scroll\"><table><thead><tr><th></th>"
      "<th>what is claimed</th><th class=\"number\">measured, "
      "required</th><th>control</th></tr></thead>\n<tbody>{}</tbody>"
      "</table></div></details>\n",
      broken == 0 ? "pass" : "fail", broken == 0 ? "✓" : "✗", line, rows);
}

}  // namespace heed::course
