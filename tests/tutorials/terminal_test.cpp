// Terminal drawings as exact strings: wide and narrow, with and without colour and Unicode.
#include "tutorials/report/terminal.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>

using namespace heed::report;
using heed::io::Console;

namespace {

Matrix weights() { return Matrix({{1, 0, 0}, {0.04, 0.5, 0.46}}); }

// Columns on the screen: escape sequences take none.
int columns(const std::string& line) {
  std::string plain;
  bool escape = false;
  for (char c : line) {
    if (c == '\x1b') escape = true;
    if (!escape) plain += c;
    if (escape && (c == 'm' || c == 'K' || c == 'A')) escape = false;
  }
  return display_width(plain);
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "|\n";
  return text;
}

std::string read_back(std::FILE* stream) {
  std::string all;
  std::rewind(stream);
  for (int c = std::fgetc(stream); c != EOF; c = std::fgetc(stream)) all += static_cast<char>(c);
  return all;
}

}  // namespace

TEST_CASE("heat map in shades") {
  HeatOptions options{.console = Console{.unicode = true, .width = 60}, .title = "attention"};
  CHECK(joined(heat_map(weights(), {"l'", "accord"}, {"the", "agreement", "on"}, options)) ==
        joined({"attention", "          the    agreement    on     ", "    l' █████████                     ",
                "accord           ▒▒▒▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒▒ ", "       0 [ ░▒▓█] 1"}));
}

TEST_CASE("heat map in characters, accents dropped, control characters harmless") {
  HeatOptions options{.console = Console{.width = 60}, .legend = false};
  CHECK(joined(heat_map(weights(), {"été", "\x1b[2J"}, {"a", "b\n", "漢"}, options)) ==
        joined({"     a  b? ?  ", " ete @@       ", "?[2J    ++ == "}));
}

TEST_CASE("heat map in colour: exact zeros are dots") {
  HeatOptions options{.console = Console{.colour = true, .unicode = true, .width = 60}, .legend = false};
  Lines lines = heat_map(Matrix({{1, 0}}), {"y"}, {"a", "b"}, options);
  CHECK(lines[1] == "y \x1b[48;5;227;38;5;16m   \x1b[0m\x1b[48;5;53;38;5;231m · \x1b[0m");
}

TEST_CASE("a narrow terminal turns labels upright, then leaves columns out and says so") {
  HeatOptions options{.console = Console{.unicode = true, .width = 14}, .legend = false};
  CHECK(joined(heat_map(weights(), {"l'", "accord"}, {"the", "on", "é"}, options)) ==
        joined({"     t        ", "     h  o     ", "     e  n  é  ", "  l' ██       ", "acc…    ▒▒ ▒▒ "}));
  options.console.width = 6;
  Lines lines = heat_map(Matrix(1, 9, std::vector<double>(9, 0.5)), {"x"}, {}, options);
  CHECK(lines.back().substr(0, 4) == "(5 m");
}

TEST_CASE("numbers in cells, and NaN") {
  HeatOptions options{.console = Console{.width = 40}, .numbers = true, .legend = false};
  CHECK(joined(heat_map(Matrix({{0.875, 1, std::nan("")}}), {"y"}, {"a", "b", "c"}, options)) ==
        joined({"   a   b   c  ", "y .88 1.0  ?  "}));
}

TEST_CASE("no drawing is wider than the terminal") {
  std::vector<std::string> rows{"pneumonoultramicroscopic", "漢字漢字", "a"}, source;
  for (int j = 0; j < 30; ++j) source.push_back("word" + std::to_string(j));
  Matrix big(3, 30, std::vector<double>(90, 0.25));
  for (int width = 8; width < 200; width += 3) {
    for (bool rich : {false, true}) {
      CAPTURE(width);
      Console console{.colour = rich, .unicode = rich, .width = width};
      for (const std::string& line : heat_map(big, rows, source, {.console = console})) CHECK(columns(line) <= width);
      if (width < 30) continue;
      for (const std::string& line : matrix_with_numbers({{"a", big}, {"b", big}}, console))
        CHECK(columns(line) <= width);
      for (const std::string& line : table({"name", "text"}, {{"x", std::string(300, 'y')}}, console))
        CHECK(columns(line) <= width);
      for (const std::string& line : plot({{"loss", {3, 2, 1}}}, {.console = console})) CHECK(columns(line) <= width);
      const std::vector<Curve> two{{"training loss", {3, 2, 1}}, {"loss", {3, 2, 2}}};
      for (const std::string& line : plot(two, {.console = console, .title = "two losses of a model"}))
        CHECK(columns(line) <= width);
    }
  }
}

TEST_CASE("the scale's lightness only rises") {
  auto lightness = [](int index) {
    auto channel = [](int step) {
      double c = (step == 0 ? 0.0 : 55.0 + 40.0 * step) / 255.0;
      return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    int cube = index - 16;
    return 0.2126 * channel(cube / 36) + 0.7152 * channel(cube / 6 % 6) + 0.0722 * channel(cube % 6);
  };
  for (int i = 1; i < 10; ++i)
    CHECK(lightness(sequential_colour(i / 10.0 + 0.05)) > lightness(sequential_colour(i / 10.0 - 0.05)));
  CHECK(diverging_colour(0) == 254);
  CHECK(diverging_colour(-5) == 25);
  CHECK(diverging_colour(5) == 166);
}

TEST_CASE("matrices side by side, or one below the other") {
  std::vector<NumberedMatrix> pair{{"analytic", Matrix({{1.5, -2}, {0, 0.001}})},
                                   {"numeric", Matrix({{1.5, -2.25}, {0, 0.001}})}};
  CHECK(joined(matrix_with_numbers(pair, Console{.width = 60})) ==
        joined({"analytic              numeric", "      1.5        -2         1.5     -2.25",
                "        0     0.001           0     0.001"}));
  CHECK(matrix_with_numbers(pair, Console{.width = 30}).size() == 6);
  CHECK(matrix_with_numbers(pair, Console{.colour = true, .width = 60})[1].find(
            "\x1b[48;5;25;38;5;231m    -2.25\x1b[0m") != std::string::npos);
}

TEST_CASE("tables align by columns on the screen") {
  CHECK(joined(table({"NN", "claim"}, {{"2", "漢字 holds"}, {"12", "no"}}, Console{.unicode = true},
                     {Align::right, Align::right})) ==
        joined({"NN       claim", "──  ──────────", " 2  漢字 holds", "12          no"}));
  CHECK(joined(table({"a", "b"}, {{"x", "a long sentence"}}, Console{.width = 12})) ==
        joined({"a  b", "-  --------", "x  a long ~"}));
}

TEST_CASE("a number is shown whole or not at all") {
  const std::vector<std::string> numbers{"8.9e-10", "-1.25e-100", "123456", "1,234", "97.5%", "0.125", "12.5k", "3.5x"};
  for (const std::string& number : numbers)
    for (const std::string& text : {number, "loss " + number + " of all", "[" + number + ", 7] x"}) {
      const size_t begin = text.find(number), end = begin + number.size();
      for (int width = 1; width <= 20; ++width) {
        const std::string shown = fit(text, width, Align::left, false);
        CAPTURE(shown);
        CHECK(display_width(shown) == width);
        const size_t cut = shown.find('~');
        CHECK((cut == std::string::npos || cut <= begin || cut >= end));
      }
    }
  // Wherever there is room for the numbers of a table, its words give way to them.
  const std::vector<std::vector<std::string>> rows{
      {"matmul, of two matrices", "operation", "12", "8.9e-10", "1.2e-100", "pass"},
      {"softmax_rows_of_a_long_name", "operation", "124", "2.75e-11", "-", "first order only"}};
  for (int width = 30; width < 120; ++width) {
    CAPTURE(width);
    Lines lines = table({"name", "kind", "cases", "first order", "second order", "status"}, rows, {.width = width});
    for (const std::string& line : lines) CHECK(static_cast<int>(line.size()) < width);
    for (size_t i : {size_t{2}, size_t{3}})
      for (const char* number : i == 2 ? std::vector{" 12 ", "8.9e-10", "1.2e-100"} : std::vector{"124", "2.75e-11"})
        if (width >= 42) CHECK(lines[i].find(number) != std::string::npos);
    for (const char* number : {"124", "2.75e-11", "1.2e-100"})  // in a narrow terminal, in a further table below
      CHECK(std::count_if(lines.begin(), lines.end(),
                          [&](const std::string& line) { return line.find(number) != std::string::npos; }) == 1);
  }
  // In the cells of a heat map, three characters wide.
  HeatOptions options{.console = Console{.width = 60}, .numbers = true, .legend = false};
  CHECK(heat_map(Matrix({{0.875, 0.999, -0.5, 12.34, -12.3, 123.4, 1234, -123}}), {"y"}, {}, options)[1] ==
        "y .88 1.0 -.5  12 -12 123 ... ... ");
}

TEST_CASE("thumbnails side by side, as many as fit; titles may be wider than pictures") {
  const std::vector<Thumbnail> two{{"causal", Matrix({{1, 0}, {1, 1}})}, {"p", Matrix({{1, 0.6, 0.3, 0.1}})}};
  CHECK(joined(thumbnails(two, Console{.unicode = true, .width = 30})) ==
        joined({"causal   p", "██·      ██▓▓▒▒░░", "████     "}));
  CHECK(joined(thumbnails(two, Console{.width = 12})) == joined({"causal", "##. ", "####", "", "p", "##**++--"}));
  CHECK(thumbnails(two, Console{.colour = true, .width = 12})[1] == "\x1b[48;5;227;38;5;16m  \x1b[0m. ");
  CHECK(thumbnails({}, Console{.width = 12}).empty());
}

TEST_CASE("sparkline and curves") {
  CHECK(sparkline({1, 2, 3, std::nan(""), 8}, Console{.unicode = true}) == "▁▂▃?█");
  CHECK(sparkline({3, 3}, Console{}) == "==");
  CHECK(joined(plot({{"a", {2, 1, 0}}, {"b", {0, 1, 2}}},
                    {.console = Console{.width = 18}, .title = "two", .height = 3})) ==
        joined({"two", "        2 |aa  bb", "        1 |  bb", "        0 |bb  aa", "          +------",
                "           1    3", "           a a", "           b b"}));
  CHECK(joined(plot({{"", {0, 1}}}, {.console = Console{.unicode = true, .width = 16}, .height = 2})) ==
        joined({"        1 ┤  ⡏⠉", "        0 ┤⣀⣀⡇", "          └────", "           1  2"}));
  Lines named = plot({{"", {0, 1}}}, {.console = Console{.width = 28}, .height = 2, .first = "h=1", .last = "h=9"});
  CHECK(named.back() == "           h=1          h=9");
  named = plot({{"", {0, 1}}}, {.console = Console{.width = 20}, .height = 2, .first = "h=0.01", .last = "h=99"});
  CHECK(named.back() == "           h=0.01  ");  // no room for both
  CHECK(plot({{"empty", {}}}, {.console = Console{}}).size() > 3);
  CHECK(plot({{"nan", {std::nan(""), -1}}}, {.console = Console{}, .log_y = true}).size() > 3);
}

TEST_CASE("a live area draws over itself") {
  std::FILE* stream = std::tmpfile();
  {
    LiveArea area(stream, Console{.terminal = true});
    area.draw({"one", "two"});
    area.draw({"three"});
    area.draw({"four"});
  }
  CHECK(read_back(stream) ==
        "one\x1b[K\ntwo\x1b[K\n\r\x1b[2Athree\x1b[K\n\x1b[K\n\x1b[1A\r\x1b[1A"
        "four\x1b[K\n");
  std::fclose(stream);
  stream = std::tmpfile();
  {
    LiveArea area(stream, Console{});
    area.draw({"first"});
    area.draw({"last"});
  }
  CHECK(read_back(stream) == "last\n");
  std::fclose(stream);
}

TEST_CASE("display width") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("e\u0301te\u0301") == 3);
  CHECK(display_width("漢字") == 4);
  CHECK(clean("a\xff\x80z", true) == "a��z");
  CHECK(fit("漢字漢", 4, Align::left, true) == "漢… ");
  CHECK(fit("accord", 4, Align::right, false) == "acc~");
  CHECK(fit("", 0, Align::left, true).empty());
}
