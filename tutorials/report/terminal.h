// Drawings in a terminal: each is a pure function from numbers and a Console to lines, so that tests pin the strings.
//
//   for (const std::string& line : heat_map(weights, target_words, source_words, {.console = io::console(1)}))
//   puts(...)
//
// With colour a cell is a background of the 256-colour table, along a scale whose lightness only rises (legible to the
// colour-blind and in grey, after viridis: S. van der Walt and N. Smith, 2015); without, a shade " ░▒▓█"; without
// Unicode a character of " .:-=+*#%@". Lines are at most console.width wide: cells shrink, labels turn upright, columns
// are left out.
#pragma once

#include <string>
#include <vector>

#include "nn/io/console.h"
#include "tutorials/report/matrix.h"
#include "tutorials/report/width.h"

namespace heed::report {

using Lines = std::vector<std::string>;
void print(const Lines& lines);                                           // to standard output
Lines title_lines(const std::string& title, const io::Console& console);  // no lines if the title is empty

struct HeatOptions {
  io::Console console;
  std::string title = {};
  double low = 0, high = 1;  // the ends of the scale; an exact zero is a dot, NaN a question mark
  bool numbers = false;      // two digits in each cell, where there is room
  bool legend = true;
};
Lines heat_map(const Matrix& weights, const std::vector<std::string>& row_labels,
               const std::vector<std::string>& column_labels, const HeatOptions& options);

// Signed matrices with their numbers, side by side or, where the terminal is narrow, one below the other: for example
// analytic, numeric, difference. All share one scale, blue below zero and orange above, so an error stands out.
struct NumberedMatrix {
  std::string title;
  Matrix matrix;
};
Lines matrix_with_numbers(const std::vector<NumberedMatrix>& matrices, const io::Console& console);

// Columns sized to their contents; the widest give way where the terminal is narrow. Columns whose numbers do not fit
// are in a further table below, with the first column again. No alignment given: left.
Lines table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
            const io::Console& console, const std::vector<Align>& align = {});

// Small pictures of shares in [0, 1] without labels, side by side, as many in a row as fit: masks. Zero is a dot.
struct Thumbnail {
  std::string title;
  Matrix matrix;
};
Lines thumbnails(const std::vector<Thumbnail>& pictures, const io::Console& console);

std::string sparkline(const std::vector<double>& values, const io::Console& console);

struct Curve {
  std::string name;
  std::vector<double> y;  // against 1, 2, 3, ...
};
struct PlotOptions {
  io::Console console;
  std::string title = {};
  int height = 12;  // lines of the drawing area
  bool log_y = false;
  std::string first = {}, last = {};  // words under the ends of the x axis; absent: "1" and the number of points
};
// Braille dots, two by four in a cell, for one curve or in colour; otherwise a letter for each curve.
Lines plot(const std::vector<Curve>& curves, const PlotOptions& options);

// The lines drawn last are drawn over: one sentence's heat map while its model learns. Without a terminal nothing is
// drawn until finish(), which prints the last lines once.
class LiveArea {
 public:
  LiveArea(std::FILE* stream, const io::Console& console) : stream_(stream), console_(console) {}
  ~LiveArea() { finish(); }
  LiveArea(const LiveArea&) = delete;
  LiveArea& operator=(const LiveArea&) = delete;
  void draw(const Lines& lines);  // the cursor must stand at the start of the line below the area
  void finish();

 private:
  std::FILE* stream_;
  io::Console console_;
  Lines last_;
  std::size_t shown_ = 0;
  bool finished_ = false;
};

// 256-colour table: a value in [0, 1], a value in [-1, 1].
int sequential_colour(double share);
int diverging_colour(double share);
// Text on a background, in black or white by the background's lightness.
std::string on_colour(int background, const std::string& text);

}  // namespace heed::report
