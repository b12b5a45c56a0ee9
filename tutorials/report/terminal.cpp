#include "tutorials/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "tutorials/report/wrap.h"

namespace heed::report {

namespace {

constexpr std::array<int, 10> rising{53, 54, 24, 30, 36, 71, 77, 148, 220, 227};    // dark violet to yellow
constexpr std::array<int, 9> two_sided{25, 67, 110, 153, 254, 223, 215, 208, 166};  // blue, grey, orange

std::size_t step_of(double share, std::size_t steps) {
  return std::min(static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(steps)), steps - 1);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string label(const std::vector<std::string>& labels, std::size_t i) {
  return i < labels.size() ? labels[i] : std::to_string(i);
}

// .87, 1.0, -.5, 12: a number in three columns, if it has so few digits before the point.
std::string short_share(double value) {
  for (int digits : {2, 1, 0}) {
    std::string text = fmt::format("{:.{}f}", value, digits);
    if (std::size_t zero = text.find("0."); zero == 0 || (zero == 1 && text[0] == '-')) text.erase(zero, 1);
    if (text.size() <= 3) return text;
  }
  return "...";
}

struct Layout {
  int labels = 0, cell = 1;
  std::size_t columns = 0;  // that fit
  bool upright = false;     // column labels, a letter a line
};

Layout lay_out(const Matrix& weights, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
               const HeatOptions& options) {
  Layout layout;
  bool unicode = options.console.unicode;
  int widest = 0;
  for (std::size_t i = 0; i < weights.rows; ++i)
    layout.labels = std::max(layout.labels, display_width(clean(label(rows, i), unicode)));
  for (std::size_t j = 0; j < weights.columns; ++j)
    widest = std::max(widest, display_width(clean(label(columns, j), unicode)));
  layout.labels = std::min({layout.labels, std::max(options.console.width / 3, 1), 24});
  int room = std::max(options.console.width - layout.labels - 1, 1);
  int share = room / static_cast<int>(std::max<std::size_t>(weights.columns, 1));
  constexpr int smallest = 9;  // a lying label that is cut shorter says less than an upright one
  layout.cell = std::min(std::max(widest + 1, options.numbers ? 4 : 3), 14);
  if (layout.cell > share) {
    layout.cell = share;
    if (share < std::min(smallest, widest + 1)) {
      layout.upright = true;
      layout.cell = std::clamp(share, 1, 4);
    }
  }
  layout.columns = std::min<std::size_t>(weights.columns, static_cast<std::size_t>(room / layout.cell));
  return layout;
}

void column_labels(const Layout& layout, const std::vector<std::string>& columns, bool unicode, Lines& lines) {
  std::string margin(static_cast<std::size_t>(layout.labels + 1), ' ');
  if (!layout.upright) {
    for (std::size_t j = 0; j < layout.columns; ++j)
      margin += fit(label(columns, j), layout.cell - 1, Align::centre, unicode) + " ";
    lines.push_back(margin);
    return;
  }
  std::vector<std::vector<std::string>> letters(layout.columns);
  std::size_t tallest = 0;
  for (std::size_t j = 0; j < layout.columns; ++j) {
    for (char32_t code : code_points(clean(label(columns, j), unicode))) {
      if (code_width(code) == 0 && !letters[j].empty()) {
        letters[j].back() += utf8(code);
      } else if (letters[j].size() < 9) {
        letters[j].push_back(utf8(code));
      } else {
        letters[j].back() = unicode ? "…" : "~";
      }
    }
    tallest = std::max(tallest, letters[j].size());
  }
  for (std::size_t line = 0; line < tallest; ++line) {
    std::string text = margin;
    for (const std::vector<std::string>& word : letters) {
      std::size_t from = tallest - word.size();
      text += fit(line < from ? "" : word[line - from], layout.cell, Align::left, unicode);
    }
    lines.push_back(text);
  }
}

// Without colour: blank below a twentieth, then equal steps.
Lines shades_of(const io::Console& console) {
  if (console.unicode) return {" ", "░", "▒", "▓", "█"};
  return {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};
}

std::string heat_cell(double value, int width, const HeatOptions& options) {
  const io::Console& console = options.console;
  if (std::isnan(value)) return fit("?", width, Align::centre, console.unicode);
  double share = options.high > options.low ? (value - options.low) / (options.high - options.low) : 0;
  std::string text;
  if (options.numbers && width >= 4) text = short_share(value);
  if (console.colour) {
    if (value == 0.0 && text.empty()) text = console.unicode ? "·" : ".";
    return on_colour(sequential_colour(share), fit(text, width, Align::centre, console.unicode));
  }
  if (!text.empty()) return fit(text, width, Align::centre, console.unicode);
  Lines shades = shades_of(console);
  std::size_t level = share < 0.05 ? 0 : 1 + step_of((share - 0.05) / 0.95, shades.size() - 1);
  int filled = width > 1 ? width - 1 : 1;
  return repeated(shades[level], filled) + repeated(" ", width - filled);
}

std::string heat_legend(const HeatOptions& options) {
  std::string scale;
  if (options.console.colour) {
    for (int colour : rising) scale += on_colour(colour, "  ");
  } else {
    for (const std::string& shade : shades_of(options.console)) scale += shade;
    scale = "[" + scale + "]";
  }
  return fmt::format("{:.3g} {} {:.3g}", options.low, scale, options.high);
}

}  // namespace

Lines title_lines(const std::string& title, const io::Console& console) {
  Lines lines;
  std::istringstream text(folded(clean(title, console.unicode), console.width));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

void print(const Lines& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

int sequential_colour(double share) { return rising[step_of(share, rising.size())]; }

int diverging_colour(double share) {
  double place = std::round((std::clamp(share, -1.0, 1.0) + 1.0) / 2.0 * static_cast<double>(two_sided.size() - 1));
  return two_sided[static_cast<std::size_t>(place)];
}

std::string on_colour(int background, const std::string& text) {
  bool dark = background == 53 || background == 54 || background == 24 || background == 25 || background == 30;
  return fmt::format("\x1b[48;5;{};38;5;{}m{}\x1b[0m", background, dark ? 231 : 16, text);
}

Lines heat_map(const Matrix& weights, const std::vector<std::string>& row_labels,
               const std::vector<std::string>& column_labels_given, const HeatOptions& options) {
  Layout layout = lay_out(weights, row_labels, column_labels_given, options);
  bool unicode = options.console.unicode;
  Lines lines;
  for (std::string& line : title_lines(options.title, options.console)) lines.push_back(std::move(line));
  column_labels(layout, column_labels_given, unicode, lines);
  for (std::size_t i = 0; i < weights.rows; ++i) {
    std::string line = fit(label(row_labels, i), layout.labels, Align::right, unicode) + " ";
    for (std::size_t j = 0; j < layout.columns; ++j) line += heat_cell(weights.value(i, j), layout.cell, options);
    lines.push_back(line);
  }
  std::string below(static_cast<std::size_t>(layout.labels + 1), ' ');
  if (layout.columns < weights.columns) {
    lines.push_back(fit(fmt::format("({} more columns do not fit)", weights.columns - layout.columns),
                        options.console.width - 1, Align::left, unicode));
  }
  if (options.legend && options.console.width > layout.labels + 32) lines.push_back(below + heat_legend(options));
  return lines;
}

Lines matrix_with_numbers(const std::vector<NumberedMatrix>& matrices, const io::Console& console) {
  double largest = 0;
  for (const NumberedMatrix& entry : matrices) {
    for (double value : entry.matrix.values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  constexpr int cell = 9;
  auto block = [&](const NumberedMatrix& entry) {  // lines of one matrix, all equally wide
    const Matrix& matrix = entry.matrix;
    std::size_t shown =
        std::min<std::size_t>(matrix.columns, static_cast<std::size_t>(std::max(console.width / (cell + 1), 1)));
    bool all = shown == matrix.columns;
    int width = std::max(static_cast<int>(shown) * (cell + 1), display_width(entry.title));
    Lines lines{fit(entry.title, width, Align::left, console.unicode)};
    for (std::size_t i = 0; i < matrix.rows; ++i) {
      std::string line;
      for (std::size_t j = 0; j < shown; ++j) {
        double value = matrix.value(i, j);
        std::string number = !all && j + 1 == shown ? "..." : value == 0.0 ? "0" : fmt::format("{:.3g}", value);
        number = fit(number, cell, Align::right, console.unicode);
        bool coloured = console.colour && std::isfinite(value) && largest > 0;
        line += (coloured ? on_colour(diverging_colour(value / largest), number) : number) + " ";
      }
      lines.push_back(line + repeated(" ", width - static_cast<int>(shown) * (cell + 1)));
    }
    return std::pair<Lines, int>(lines, width);
  };
  std::vector<std::pair<Lines, int>> blocks;
  int total = 0;
  std::size_t tallest = 0;
  for (const NumberedMatrix& entry : matrices) {
    blocks.push_back(block(entry));
    total += blocks.back().second + 2;
    tallest = std::max(tallest, blocks.back().first.size());
  }
  Lines lines;
  if (total - 2 > console.width) {
    for (const auto& [text, width] : blocks) lines.insert(lines.end(), text.begin(), text.end());
    return lines;
  }
  for (std::size_t i = 0; i < tallest; ++i) {
    std::string line;
    for (const auto& [text, width] : blocks) line += (i < text.size() ? text[i] : repeated(" ", width)) + "  ";
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

void LiveArea::draw(const Lines& lines) {
  last_ = lines;
  if (!console_.terminal) return;
  Lines fitting(lines.begin(),
                lines.begin() + std::min<std::ptrdiff_t>(std::ssize(lines), std::max(console_.height - 2, 1)));
  std::string text = shown_ > 0 ? fmt::format("\r\x1b[{}A", shown_) : "";
  for (const std::string& line : fitting) text += line + "\x1b[K\n";
  for (std::size_t i = fitting.size(); i < shown_; ++i) text += "\x1b[K\n";
  if (fitting.size() < shown_) text += fmt::format("\x1b[{}A", shown_ - fitting.size());
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
  shown_ = fitting.size();
}

void LiveArea::finish() {
  if (finished_) return;
  finished_ = true;
  if (console_.terminal) return;
  for (const std::string& line : last_) std::fputs((line + "\n").c_str(), stream_);
  std::fflush(stream_);
}

}  // namespace heed::report
