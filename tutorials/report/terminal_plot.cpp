// Tables, sparklines and curves: the drawings of terminal.h that are made of lines rather than cells.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tutorials/report/terminal.h"

namespace heed::report {

Lines table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
            const io::Console& console, const std::vector<Align>& align) {
  bool unicode = console.unicode;
  std::vector<int> widths(header.size(), 1);
  auto measure = [&](const std::vector<std::string>& cells) {
    for (std::size_t j = 0; j < std::min(cells.size(), widths.size()); ++j) {
      widths[j] = std::max(widths[j], display_width(clean(cells[j], unicode)));
    }
  };
  measure(header);
  std::vector<int> least(header.size(), 3);  // of a column: its numbers, which cannot be cut
  for (const std::vector<std::string>& row : rows) {
    measure(row);
    for (std::size_t j = 0; j < std::min(row.size(), least.size()); ++j)
      if (is_number(row[j])) least[j] = std::max(least[j], display_width(row[j]));
  }
  int room = console.width - 1 - 2 * static_cast<int>(std::max<std::size_t>(header.size(), 1) - 1);
  if (header.size() > 2 && std::accumulate(least.begin(), least.end(), 0) > room) {
    std::size_t fits = 1;
    int used = std::max(least[0], std::min(widths[0], console.width / 3));
    while (fits + 1 < header.size() && (fits == 1 || used + 2 + least[fits] < console.width)) used += 2 + least[fits++];
    auto part = [&](const auto& cells, bool further) {
      const auto end = cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), fits));
      auto some = std::decay_t<decltype(cells)>(cells.begin(), further ? std::min(cells.begin() + 1, end) : end);
      if (further) some.insert(some.end(), end, cells.end());
      return some;
    };
    Lines lines;
    for (bool further : {false, true}) {
      std::vector<std::vector<std::string>> some;
      for (const std::vector<std::string>& row : rows) some.push_back(part(row, further));
      if (further) lines.emplace_back();
      for (std::string& line : table(part(header, further), some, console, part(align, further)))
        lines.push_back(std::move(line));
    }
    return lines;
  }
  while (std::accumulate(widths.begin(), widths.end(), 0) > room) {
    std::size_t widest = widths.size();
    for (std::size_t j = 0; j < widths.size(); ++j)
      if (widths[j] > least[j] && (widest == widths.size() || widths[j] > widths[widest])) widest = j;
    if (widest < widths.size())
      --widths[widest];
    else if (std::size_t wide = static_cast<std::size_t>(std::max_element(least.begin(), least.end()) - least.begin());
             wide < least.size() && least[wide] > 3)
      least[wide] = 3;  // there is no room for all numbers
    else
      break;
  }
  auto line_of = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t j = 0; j < widths.size(); ++j) {
      line += (j ? "  " : "") +
              fit(j < cells.size() ? cells[j] : "", widths[j], j < align.size() ? align[j] : Align::left, unicode);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
  };
  Lines lines{line_of(header), ""};
  for (std::size_t j = 0; j < widths.size(); ++j) {
    lines.back() += j ? "  " : "";
    for (int i = 0; i < widths[j]; ++i) lines.back() += unicode ? "─" : "-";
  }
  for (const std::vector<std::string>& row : rows) lines.push_back(line_of(row));
  return lines;
}

std::string sparkline(const std::vector<double>& values, const io::Console& console) {
  constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr const char* characters[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string text;
  for (double value : values) {
    if (!std::isfinite(value)) {
      text += "?";
      continue;
    }
    double share = high > low ? (value - low) / (high - low) : 0.5;
    auto level = static_cast<std::size_t>(std::lround(share * 7.0));
    text += console.unicode ? blocks[level] : characters[level];
  }
  return text;
}

namespace {

constexpr std::array<int, 6> pens{33, 208, 36, 162, 142, 245};  // of one lightness, apart for the colour-blind

struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;
  bool takes(double y) const { return std::isfinite(y) && (!logarithmic || y > 0); }
  double map(double y) const { return logarithmic ? std::log10(y) : y; }
  double share(double y) const { return (map(y) - low) / (high - low); }
  std::string text(double mapped) const { return fmt::format("{:.3g}", logarithmic ? std::pow(10.0, mapped) : mapped); }
};

Scale scale_of(const std::vector<Curve>& curves, bool logarithmic) {
  Scale scale{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), logarithmic};
  for (const Curve& curve : curves) {
    for (double y : curve.y) {
      if (!scale.takes(y)) continue;
      scale.low = std::min(scale.low, scale.map(y));
      scale.high = std::max(scale.high, scale.map(y));
    }
  }
  if (!(scale.low <= scale.high)) scale.low = 0, scale.high = 1;
  if (scale.low == scale.high) scale.low -= 0.5, scale.high += 0.5;
  return scale;
}

struct Cell {
  unsigned dots = 0;  // Braille: bit k is dot k
  std::size_t curve = 0;
  bool used = false;
};

}  // namespace

Lines plot(const std::vector<Curve>& curves, const PlotOptions& options) {
  const io::Console& console = options.console;
  constexpr std::array<std::array<unsigned, 4>, 2> dot{{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
  bool braille = console.unicode && (console.colour || curves.size() <= 1);
  Scale scale = scale_of(curves, options.log_y);
  std::size_t longest = 1;
  for (const Curve& curve : curves) longest = std::max(longest, curve.y.size());

  constexpr int axis = 9;
  auto height = static_cast<std::size_t>(std::max(options.height, 2));
  auto width = static_cast<std::size_t>(std::max(std::min(console.width, 100) - axis - 3, 4));
  std::size_t across = braille ? 2 : 1, down = braille ? 4 : 1;
  std::vector<Cell> cells(width * height);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    double before = std::nan("");
    for (std::size_t x = 0; x < width * across; ++x) {
      double place = longest > 1 ? static_cast<double>(x) / static_cast<double>(width * across - 1) *
                                       static_cast<double>(longest - 1)
                                 : 0;
      auto index = static_cast<std::size_t>(std::lround(place));
      if (index >= curves[c].y.size() || !scale.takes(curves[c].y[index])) {
        before = std::nan("");
        continue;
      }
      double y = (1.0 - scale.share(curves[c].y[index])) * static_cast<double>(height * down - 1);
      double from = std::isnan(before) || !braille ? y : before;
      before = y;
      for (auto row = std::lround(std::min(from, y)); row <= std::lround(std::max(from, y)); ++row) {
        auto line = static_cast<std::size_t>(row);
        Cell& cell = cells[line / down * width + x / across];
        cell.dots |= dot[x % across][line % down];
        cell.curve = c;
        cell.used = true;
      }
    }
  }

  Lines lines;
  lines = title_lines(options.title, console);
  for (std::size_t row = 0; row < height; ++row) {
    double share = 1.0 - static_cast<double>(row) / static_cast<double>(height - 1);
    bool labelled = row == 0 || row + 1 == height || row == height / 2;
    std::string line = fit(labelled ? scale.text(scale.low + share * (scale.high - scale.low)) : "", axis, Align::right,
                           console.unicode);
    line += console.unicode ? (labelled ? " ┤" : " │") : " |";
    for (std::size_t column = 0; column < width; ++column) {
      const Cell& cell = cells[row * width + column];
      std::string glyph = !cell.used ? " "
                          : braille  ? utf8(0x2800 + cell.dots)
                                     : std::string(1, static_cast<char>('a' + cell.curve % 26));
      if (cell.used && console.colour)
        glyph = fmt::format("\x1b[38;5;{}m{}\x1b[0m", pens[cell.curve % pens.size()], glyph);
      line += glyph;
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  std::string foot(axis + 1, ' ');
  foot += console.unicode ? "└" : "+";
  for (std::size_t i = 0; i < width; ++i) foot += console.unicode ? "─" : "-";
  lines.push_back(foot);
  std::string first = clean(options.first.empty() ? "1" : options.first, console.unicode);
  std::string last = clean(options.last.empty() ? std::to_string(longest) : options.last, console.unicode);
  int room = static_cast<int>(width) - display_width(first);
  if (room > display_width(last)) first += fit(last, room, Align::right, console.unicode);
  lines.push_back(std::string(axis + 2, ' ') + fit(first, static_cast<int>(width), Align::left, console.unicode));
  if (curves.size() > 1 || (curves.size() == 1 && !curves[0].name.empty())) {
    const std::string margin(axis + 2, ' ');
    std::string legend = margin;
    int used = axis + 2;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      std::string mark = braille ? "──" : std::string(1, static_cast<char>('a' + c % 26));
      const std::string name = clean(curves[c].name, console.unicode);
      const int wide = display_width(mark) + 1 + display_width(name);
      if (console.colour) mark = fmt::format("\x1b[38;5;{}m{}\x1b[0m", pens[c % pens.size()], mark);
      if (const bool full = c > 0 && used + 3 + wide > console.width; full || c == 0) {
        if (full) lines.push_back(std::exchange(legend, margin));
        used = axis + 2 + wide;
      } else {
        legend += "   ";
        used += 3 + wide;
      }
      legend += mark + " " + name;
    }
    lines.push_back(legend);
  }
  return lines;
}

}  // namespace heed::report
