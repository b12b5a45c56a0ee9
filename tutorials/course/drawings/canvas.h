// A small canvas for the drawings of the course: what a drawing says with boxes, arrows, texts and grids becomes one
// SVG file that is right in a light and in a dark page, as an image and inlined.
//
//   Canvas c(300);                                        // 720 units wide, 300 high; y grows downwards
//   Rect encoder = c.box({40, 40, 120, 60}, "encoder", {.fill = Ink::accent});
//   Rect state = c.box({300, 40, 120, 60}, "state");
//   c.arrow(encoder.right(), state.left());
//   std::string file = c.svg("name", "Title", "What the picture shows, for those who do not see it.");
//
// One palette: colours are names (Ink), and each is a CSS variable with a value for light and one for dark pages. Where
// a page defines --ink, --soft, --faint, --line, --card, --accent, --gold, --good and --bad (tutorials/report/page/
// core.js does), its colours are used. Blue and orange carry the meaning; no pair that differs only in red and green.
// Where they are signs, orange is above 0 and blue below, here as in the pages and the terminal, and a legend says so.
//
// The canvas remembers where it wrote and drew, and `faults` says what a reader would stumble over: texts that overlap,
// are wider than their box, or leave the picture, and lines through a text; and what would mislead: weights that were
// not rounded together, colours of signs without a legend, and letters of a formula that read as words.
// tests/tutorials/drawings_test.cpp holds every drawing to that.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace heed::course {

// Texts and areas have shades of their own of the colours of meaning, so that they can be read, and read upon.
enum class Ink { none, ink, soft, faint, line, card, accent, accent_area, gold, gold_ink, gold_area, good, bad };

struct Point {
  double x = 0, y = 0;
};
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  Point centre() const { return {x + width / 2, y + height / 2}; }
  Point left(double at = 0.5) const { return {x, y + at * height}; }
  Point right(double at = 0.5) const { return {x + width, y + at * height}; }
  Point top(double at = 0.5) const { return {x + at * width, y}; }
  Point bottom(double at = 0.5) const { return {x + at * width, y + height}; }
};
Rect around(Point centre, double width, double height);

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 22;  // at 343 pixels, a phone, 20 units are 9.5 pixels: less is not for reading
  Ink ink = Ink::ink;
  Anchor anchor = Anchor::middle;
  bool bold = false;
  bool code = false;   // a name of the source: underscores are underscores
  bool math = false;   // letters that stand alone are italic, without _ and ^ too
  bool weight = true;  // "0.25" or "3 %" is one of `shares`; false: it is another quantity
};
struct BoxStyle {
  Ink fill = Ink::card, stroke = Ink::soft;
  double strength = 0.16;  // of the fill: a tint on the card; 1 is the full colour
  double thickness = 1.6, radius = 8;
  bool dashed = false;
  TextStyle text = {};
  std::string part = "";  // what a page calls the box when it explains it: data-part of the rectangle
};
struct LineStyle {
  Ink ink = Ink::soft;
  double thickness = 2.2;
  bool dashed = false, head = true;
  double gap = 4;  // between the line and what it starts from and leads to
  double strength = 1;
};
struct Cell {
  Ink ink = Ink::none;
  double strength = 0.16;
  std::string text = {};
};

class Canvas {
 public:
  static constexpr double kWidth = 720;
  explicit Canvas(double height);

  // The text is centred on `at` vertically. x_t and W_{hh} lower, x^2 and x^{12} raise; letters that stand alone in
  // such a text are italic. A text without them (or with .code) is written as it is.
  void text(Point at, const std::string& words, const TextStyle& style = {});
  Rect box(const Rect& place, const std::string& label = "", const BoxStyle& style = {});  // "two\nlines"
  Rect circle(Point centre, double radius, const std::string& label = "", const BoxStyle& style = {});

  void arrow(Point from, Point to, const LineStyle& style = {});
  void route(const std::vector<Point>& points, const LineStyle& style = {});  // with rounded corners
  void flow(Point from, Point to, const LineStyle& style = {});               // a curve that leaves and arrives upright
  void bow(Point from, Point bend, Point to, const LineStyle& style = {});    // a curve drawn towards `bend`

  // rows x columns squares, their upper left corner at `corner`; `cell` says what is in each.
  Rect grid(Point corner, int rows, int columns, double size, const std::function<Cell(int row, int column)>& cell,
            double text_size = 20);
  Rect grid(Point corner, int rows, int columns, double size, Ink ink, double strength = 0.3);
  // A bracket over (or, with depth < 0, under) the way from x = from to x = to, and its label beyond it.
  void bracket(double from, double to, double y, const std::string& label, double depth = 10,
               const TextStyle& style = {});

  // The weights of one row as they are printed, rounded so that they sum to what the weights sum to: "0.20" or, where
  // `unit` is " %" and the weights are of 100, "20 %".
  std::vector<std::string> shares(std::vector<double> weights, int digits, const std::string& unit = "");
  const std::vector<std::vector<std::string>>& printed_shares() const { return shares_; }

  // A number as a colour, of [-1, 1]: orange above 0, blue below, the stronger the larger; and what the colours mean.
  Cell signed_cell(double value, const std::string& words = "");
  void sign_legend(Point above, Point below);  // the upper left corners of the two keys

  // What the symbols mean, below all of the drawing: "h_t: state". A symbol is explained here, or by the word before
  // it, as in "context c"; one that is not is a fault.
  void legend(const std::vector<std::string>& entries);

  const std::vector<std::string>& parts() const { return parts_; }  // of all boxes that have one, in their order
  double height() const { return height_; }
  std::vector<std::string> faults() const;
  std::string svg(const std::string& name, const std::string& title, const std::string& description) const;

 private:
  struct Written {
    std::string words;
    Rect place;
    bool weight = true;
  };
  void line(const std::vector<Point>& trace, const std::string& path, LineStyle style);
  void must_fit(const std::string& label, const Rect& place, const TextStyle& style);

  double height_;
  std::string shapes_, lines_, texts_;  // in this order from back to front
  std::vector<Written> written_;
  std::vector<std::vector<Point>> traces_;  // of the lines, as points along them
  std::vector<std::string> faults_;
  std::vector<std::vector<std::string>> shares_;
  std::vector<std::string> parts_;
  bool signs_ = false, sign_legend_ = false;
  std::set<std::string> symbols_, explained_;
};

}  // namespace heed::course
