#include "tutorials/course/drawings/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutorials/course/drawings/writing.h"
#include "tutorials/report/shares.h"

namespace heed::course {
namespace {

struct Colour {
  Ink ink;
  const char *name, *light, *dark;  // as heed.themes of tutorials/report/page/core.js
};
constexpr Colour kPalette[] = {
    {Ink::ink, "ink", "#1d2430", "#e6edf3"},     {Ink::soft, "soft", "#566072", "#a5afbd"},
    {Ink::faint, "faint", "#626c7f", "#8d97a4"}, {Ink::line, "line", "#e1e5ec", "#2b333e"},
    {Ink::card, "card", "#ffffff", "#151b23"},   {Ink::accent, "accent", "#2a6ba6", "#6cb6ff"},
    {Ink::gold, "gold", "#d55e00", "#ff9f45"},   {Ink::gold_ink, "goldInk", "#a84800", "#ff9f45"},
    {Ink::good, "good", "#0b7a53", "#4ccb98"},   {Ink::gold_area, "goldArea", "#d55e00", "#b8660f"},
    {Ink::bad, "bad", "#b3261e", "#ff8f85"},     {Ink::accent_area, "accentArea", "#3f86c4", "#3478bb"},
};
Ink in_text(Ink ink) { return ink == Ink::gold ? Ink::gold_ink : ink; }
Ink in_area(Ink ink) { return ink == Ink::gold ? Ink::gold_area : ink == Ink::accent ? Ink::accent_area : ink; }

// An attribute for programs that know no CSS variables, and a class for those that do.
std::string painted(const char* attribute, Ink ink) {
  for (const Colour& c : kPalette)
    if (c.ink == ink) return fmt::format(R"({}="{}" class="{}-{}")", attribute, c.light, attribute[0], c.name);
  return fmt::format("{}=\"none\"", attribute);
}

std::string style_sheet() {
  std::string light, dark, classes;
  for (const Colour& c : kPalette) {
    light += fmt::format("--d-{0}:var(--{0},{1});", c.name, c.light);
    dark += fmt::format("--d-{0}:var(--{0},{1});", c.name, c.dark);
    classes +=
        fmt::format(".heed-drawing .f-{0}{{fill:var(--d-{0})}}.heed-drawing .s-{0}{{stroke:var(--d-{0})}}\n", c.name);
  }
  return fmt::format(".heed-drawing{{{}}}\n@media (prefers-color-scheme:dark){{.heed-drawing{{{}}}}}\n{}", light, dark,
                     classes);
}

Point between(Point a, Point b, double share) { return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)}; }
double distance(Point a, Point b) { return std::hypot(b.x - a.x, b.y - a.y); }
Point towards(Point a, Point b, double way) { return distance(a, b) > 0 ? between(a, b, way / distance(a, b)) : a; }
std::string at(Point p) { return coordinate(p.x) + " " + coordinate(p.y); }

double lift(int level) { return level > 0 ? 0.38 : level < 0 ? -0.22 : 0; }  // of raised and lowered text

bool inside(Point p, const Rect& r, double margin) {
  return p.x > r.x + margin && p.x < r.x + r.width - margin && p.y > r.y + margin && p.y < r.y + r.height - margin;
}

}  // namespace

namespace {

// Does a text end with a word that says what the symbol after it is, "context " or "outputs "?
bool names_next(const std::string& text) {
  const size_t blank = text.find_last_of(' ', text.size() < 2 ? 0 : text.size() - 2);
  const std::string word = text.substr(blank == text.npos ? 0 : blank + 1);
  return word.size() > 4 && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == word.size() - 1 &&
         word.back() == ' ';
}

}  // namespace

Rect around(Point centre, double width, double height) {
  return {centre.x - width / 2, centre.y - height / 2, width, height};
}

Canvas::Canvas(double height) : height_(height) {}

void Canvas::text(Point p, const std::string& words, const TextStyle& style) {
  const double width = width_of(words, style);
  const double left = p.x - (style.anchor == Anchor::start ? 0 : style.anchor == Anchor::end ? width : width / 2);
  const char* anchors[] = {"start", "middle", "end"};
  std::string inner;
  int level = 0;
  std::string before;  // this run
  for (const Run& run : runs_of(words, style)) {
    if (run.italic && run.level == 0) {
      symbols_.insert(run.words);
      if (names_next(before)) explained_.insert(run.words);
    }
    before += run.words;
    const double shift = (lift(run.level) - lift(level)) * -style.size;
    std::string change;
    if (shift != 0) change += fmt::format(" dy=\"{}\"", coordinate(shift));
    if (run.level != 0) change += fmt::format(" font-size=\"{}\"", coordinate(kSmall * style.size));
    if (run.italic) change += " font-style=\"italic\"";
    inner += change.empty() ? as_xml(run.words) : fmt::format("<tspan{}>{}</tspan>", change, as_xml(run.words));
    level = run.level;
  }
  texts_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" text-anchor="{}"{} {}>{}</text>)"
                        "\n",
                        coordinate(p.x), coordinate(p.y + 0.36 * style.size), coordinate(style.size),
                        anchors[static_cast<int>(style.anchor)], style.bold ? " font-weight=\"600\"" : "",
                        painted("fill", in_text(style.ink)), inner);
  written_.push_back({words, {left, p.y - 0.46 * style.size, width, 0.98 * style.size}, style.weight});
  if (style.size < 20) faults_.push_back(fmt::format("\"{}\" is smaller than 20 units", words));
  if (has_unmarked_symbol(words, style))
    faults_.push_back(fmt::format("\"{}\": its letters are symbols; .math", words));
}

void Canvas::must_fit(const std::string& label, const Rect& place, const TextStyle& style) {
  if (width_of(label, style) > place.width - 4)
    faults_.push_back(fmt::format("\"{}\" is {:.0f} wide, its box {:.0f}", label, width_of(label, style), place.width));
}

Rect Canvas::box(const Rect& place, const std::string& label, const BoxStyle& style) {
  std::string fill = style.fill == Ink::none ? "fill=\"none\"" : painted("fill", in_area(style.fill));
  const double strength = style.fill == Ink::card ? 1 : style.strength;
  auto rect = [&](const std::string& paint) {
    shapes_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="{}" {}/>)"
                           "\n",
                           coordinate(place.x), coordinate(place.y), coordinate(place.width), coordinate(place.height),
                           coordinate(style.radius), paint);
  };
  if (!style.part.empty()) parts_.push_back(style.part);
  const std::string part = style.part.empty() ? "" : fmt::format(" data-part=\"{}\"", style.part);
  if (style.fill != Ink::none)
    rect(fill + (strength < 1 ? fmt::format(" fill-opacity=\"{}\"", coordinate(strength)) : ""));
  if (style.stroke != Ink::none)
    rect(fmt::format("fill=\"none\" stroke-width=\"{}\"{} {}{}", coordinate(style.thickness),
                     style.dashed ? " stroke-dasharray=\"6 5\"" : "", painted("stroke", style.stroke), part));
  std::vector<std::string> rows;
  for (size_t begin = 0; !label.empty() && begin <= label.size();) {
    size_t end = std::min(label.find('\n', begin), label.size());
    rows.push_back(label.substr(begin, end - begin));
    begin = end + 1;
  }
  const double pitch = 1.24 * style.text.size;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double up = (static_cast<double>(rows.size()) - 1) / 2 - static_cast<double>(i);
    text({place.centre().x, place.centre().y - up * pitch}, rows[i], style.text);
    must_fit(rows[i], place, style.text);
  }
  return place;
}

Rect Canvas::circle(Point centre, double radius, const std::string& label, const BoxStyle& style) {
  BoxStyle round = style;
  round.radius = radius;
  return box(around(centre, 2 * radius, 2 * radius), label, round);
}

void Canvas::line(const std::vector<Point>& trace, const std::string& path, LineStyle style) {
  const std::string paint =
      fmt::format("{}{}", painted("stroke", style.ink),
                  style.strength < 1 ? fmt::format(" opacity=\"{}\"", coordinate(style.strength)) : "");
  lines_ += fmt::format(R"(<path d="{}" fill="none" stroke-width="{}"{} {}/>)"
                        "\n",
                        path, coordinate(style.thickness), style.dashed ? " stroke-dasharray=\"7 5\"" : "", paint);
  traces_.push_back(trace);
  traces_.back().push_back(trace.back());
}

void Canvas::arrow(Point from, Point to, const LineStyle& style) { route({from, to}, style); }

namespace {

double head_length(const LineStyle& style) { return style.head ? 7 + 2.2 * style.thickness : 0; }

std::string head(Point tip, Point before, const LineStyle& style) {
  const double length = head_length(style), half = 0.46 * length;
  const Point base = towards(tip, before, length),
              side = {(tip.y - base.y) / length * half, (base.x - tip.x) / length * half};
  return fmt::format(R"(<path d="M{} L{} L{} Z" {}{}/>)"
                     "\n",
                     at(tip), at({base.x + side.x, base.y + side.y}), at({base.x - side.x, base.y - side.y}),
                     painted("fill", style.ink),
                     style.strength < 1 ? fmt::format(" opacity=\"{}\"", coordinate(style.strength)) : "");
}

}  // namespace

void Canvas::route(const std::vector<Point>& points, const LineStyle& style) {
  std::vector<Point> p = points;
  p.front() = towards(p[0], p[1], style.gap);
  const Point before = p[p.size() - 2], tip = towards(p.back(), before, style.gap);
  p.back() = towards(tip, before, head_length(style) * 0.8);
  std::string path = "M" + at(p[0]);
  std::vector<Point> trace;
  for (size_t i = 0; i + 1 < p.size(); ++i) {
    for (int k = 0; k < 60; ++k) trace.push_back(between(p[i], i + 2 == p.size() ? tip : p[i + 1], k / 60.0));
    if (i + 2 == p.size()) continue;
    const double radius = std::min({12.0, distance(p[i], p[i + 1]) / 2, distance(p[i + 1], p[i + 2]) / 2});
    path += " L" + at(towards(p[i + 1], p[i], radius)) + " Q" + at(p[i + 1]) + " " +
            at(towards(p[i + 1], p[i + 2], radius));
  }
  line(trace, path + " L" + at(p.back()), style);
  if (style.head) lines_ += head(tip, before, style);
}

namespace {

Point on_cubic(const Point (&p)[4], double t) {
  const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

}  // namespace

void Canvas::flow(Point from, Point to, const LineStyle& style) {
  const double down = to.y > from.y ? 1 : -1;
  from.y += down * style.gap;
  to.y -= down * style.gap;
  const Point end = {to.x, to.y - down * head_length(style) * 0.8};
  const double middle = (from.y + end.y) / 2;
  const Point p[4] = {from, {from.x, middle}, {end.x, middle}, end};
  std::vector<Point> trace;
  for (int k = 0; k <= 60; ++k) trace.push_back(on_cubic(p, k / 60.0));
  line(trace, fmt::format("M{} C{} {} {}", at(p[0]), at(p[1]), at(p[2]), at(p[3])), style);
  if (style.head) lines_ += head(to, {to.x, to.y - down}, style);
}

void Canvas::bow(Point from, Point bend, Point to, const LineStyle& style) {
  from = towards(from, bend, style.gap);
  to = towards(to, bend, style.gap);
  const Point end = towards(to, bend, head_length(style) * 0.8);
  const Point p[4] = {from, between(from, bend, 2.0 / 3), between(end, bend, 2.0 / 3), end};
  std::vector<Point> trace;
  for (int k = 0; k <= 60; ++k) trace.push_back(on_cubic(p, k / 60.0));
  line(trace, fmt::format("M{} C{} {} {}", at(p[0]), at(p[1]), at(p[2]), at(p[3])), style);
  if (style.head) lines_ += head(to, bend, style);
}

Rect Canvas::grid(Point corner, int rows, int columns, double size, const std::function<Cell(int, int)>& cell,
                  double text_size) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const Cell one = cell(r, c);
      const Rect place{corner.x + c * size, corner.y + r * size, size, size};
      box(place, one.text,
          {.fill = one.ink,
           .stroke = Ink::soft,
           .strength = one.strength,
           .thickness = 1,
           .radius = 0,
           .text = {.size = text_size}});
    }
  return {corner.x, corner.y, columns * size, rows * size};
}

Rect Canvas::grid(Point corner, int rows, int columns, double size, Ink ink, double strength) {
  return grid(corner, rows, columns, size, [&](int, int) { return Cell{ink, strength, ""}; });
}

void Canvas::bracket(double from, double to, double y, const std::string& label, double depth, const TextStyle& style) {
  route({{from, y}, {from, y - depth}, {to, y - depth}, {to, y}},
        {.ink = style.ink == Ink::ink ? Ink::soft : style.ink, .thickness = 1.8, .head = false, .gap = 0});
  const double away = 0.62 * style.size + 2;
  text({(from + to) / 2, y - depth - (depth > 0 ? away : -away)}, label, style);
}

std::vector<std::string> Canvas::shares(std::vector<double> weights, int digits, const std::string& unit) {
  if (unit == " %")
    for (double& w : weights) w *= 100;
  std::vector<std::string> printed = report::rounded_shares(weights, digits);
  for (std::string& one : printed) one += unit;
  shares_.push_back(printed);
  return printed;
}

Cell Canvas::signed_cell(double value, const std::string& words) {
  signs_ = true;
  return {value < 0 ? Ink::accent : Ink::gold, std::round(20 * 0.85 * std::abs(value)) / 20, words};
}

void Canvas::sign_legend(Point above, Point below) {
  sign_legend_ = true;
  const auto key = [&](Point corner, double value, const char* words) {
    grid(corner, 1, 1, 22, [&](int, int) { return signed_cell(value); });
    text({corner.x + 32, corner.y + 11}, words, {.size = 20, .anchor = Anchor::start});
  };
  key(above, 0.8, "above 0");
  key(below, -0.8, "below 0");
}

namespace {

// "75 %" and "0.25", "1.00": what a weight looks like.
bool reads_as_share(const std::string& words) {
  const size_t digits = words.find_first_not_of("0123456789.");
  const bool percent = words.size() > 2 && digits == words.size() - 2 && words.substr(digits) == " %";
  return percent || (words.size() > 3 && digits == std::string::npos && words[0] <= '1' && words[1] == '.');
}

}  // namespace

void Canvas::legend(const std::vector<std::string>& entries) {
  const TextStyle style{.size = 20, .ink = Ink::soft, .math = true};
  std::string line;
  auto write = [&] {
    text({kWidth / 2, height_ + 10}, line, style);
    height_ += 30;
  };
  for (const std::string& entry : entries) {
    for (const Run& run : runs_of(entry.substr(0, entry.find(':')), style))
      if (run.italic && run.level == 0) explained_.insert(run.words);
    const std::string longer = line.empty() ? entry : line + "  ·  " + entry;
    if (!line.empty() && width_of(longer, style) > kWidth - 20) {
      write();
      line = entry;
    } else {
      line = longer;
    }
  }
  write();
}

std::vector<std::string> Canvas::faults() const {
  std::vector<std::string> out = faults_;
  for (const std::string& symbol : symbols_)
    if (!explained_.count(symbol)) out.push_back(fmt::format("\"{}\" is not explained", symbol));
  if (signs_ && !sign_legend_) out.emplace_back("colours of signs without a legend");
  std::vector<std::string> rounded;
  for (const std::vector<std::string>& row : shares_) rounded.insert(rounded.end(), row.begin(), row.end());
  for (size_t i = 0; i < written_.size(); ++i) {
    const auto& [words, a, weight] = written_[i];
    if (weight && reads_as_share(words)) {
      const auto found = std::find(rounded.begin(), rounded.end(), words);
      if (found == rounded.end())
        out.push_back(fmt::format("\"{}\" is not one of the weights that were rounded together", words));
      else
        rounded.erase(found);
    }
    if (a.x < 6 || a.y < 4 || a.x + a.width > kWidth - 6 || a.y + a.height > height_ - 4)
      out.push_back(fmt::format("\"{}\" leaves the picture", words));
    for (size_t j = 0; j < i; ++j) {
      const Rect& b = written_[j].place;
      if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
        out.push_back(fmt::format("\"{}\" and \"{}\" overlap", written_[j].words, words));
    }
    for (const std::vector<Point>& trace : traces_)
      if (std::any_of(trace.begin(), trace.end(), [&r = a](Point p) { return inside(p, r, 2); }))
        out.push_back(fmt::format("a line runs through \"{}\"", words));
  }
  return out;
}

std::string Canvas::svg(const std::string& name, const std::string& title, const std::string& description) const {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="heed-drawing" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
      R"(role="img" aria-labelledby="drawing-{2}-title drawing-{2}-desc" font-family="ui-sans-serif, system-ui, )"
      R"(-apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif">)"
      "\n<title id=\"drawing-{2}-title\">{3}</title>\n<desc id=\"drawing-{2}-desc\">{4}</desc>\n<style>\n{5}</style>\n"
      "<rect x=\"0.5\" y=\"0.5\" width=\"{6}\" height=\"{7}\" rx=\"10\" {8}/>\n{9}{10}{11}</svg>\n",
      kWidth, height_, name, as_xml(title), as_xml(description), style_sheet(), kWidth - 1, height_ - 1,
      painted("fill", Ink::card), shapes_, lines_, texts_);
}

}  // namespace heed::course
