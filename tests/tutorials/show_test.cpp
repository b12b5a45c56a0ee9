// How lessons print: sentences wrapped under themselves.
#include "tutorials/common/show.h"

#include <sstream>

#include "tests/refuses.h"
#include "tutorials/report/wrap.h"

using namespace heed;
using heed::bad_input::refuses;

TEST_CASE("a sentence is wrapped under its own beginning, or under the label where that leaves too little") {
  CHECK(app::item_text("sign", "short", 80) == "   sign  short");
  CHECK(app::item_text("sign", "", 80) == "   sign");
  CHECK(app::item_text("sign", "the gradient has the wrong sign in every one of its places", 40) ==
        "   sign  the gradient has the wrong sign\n         in every one of its places");
  CHECK(app::item_text("a label of some length", "and the words that follow it", 40) ==
        "   a label of some length  and the words\n          that follow it");
}

TEST_CASE("a line is folded below its first word or its label, and no line but a long word is wider") {
  CHECK(report::folded("short", 40) == "short");
  CHECK(report::folded("  one two three\n\nfour", 9) == "  one two\n  three\n\nfour");
  CHECK(report::folded("ab  one two three four five six seven eight", 38) ==
        "ab  one two three four five six seven\n    eight");
  CHECK(report::folded("a label  of 漢字漢字漢字 words", 20) == "a label  of\n         漢字漢字漢字\n         words");
  CHECK(report::folded("\x1b[32mPASS\x1b[0m  one two three", 15) == "\x1b[32mPASS\x1b[0m  one two\n      three");
  const std::string text = "PASS  check: the largest of all differences: 1.2e-10 <= 1e-08  (control: another 0.5)";
  for (int width = 1; width < 100; ++width) {
    std::istringstream lines(report::folded(text, width));
    std::string words;
    for (std::string line; std::getline(lines, line);) {
      const size_t first = line.find_first_not_of(' ');
      CAPTURE(line);
      CHECK((report::display_width(line) <= width || line.find(' ', first) == std::string::npos));
      words += (words.empty() ? "" : " ") + line.substr(first);
    }
    std::erase(words, ' ');
    CHECK(words == [&] {
      std::string all = text;
      std::erase(all, ' ');
      return all;
    }());
  }
}

TEST_CASE("a matrix to draw keeps rows and columns, views too") {
  Tensor t = Tensor::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1);
  report::Matrix m = app::matrix_of(t);
  CHECK(m.rows == 3);
  CHECK(m.columns == 2);
  CHECK(m.value(2, 1) == 6);
  refuses<ShapeError>("matrix_of: matrix got [2]", [&] { app::matrix_of(t.select(0, 0)); });
}
