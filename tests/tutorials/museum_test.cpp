// The museum of bugs: every exhibit shows a difference, and its right side has the property that its wrong side lacks.
#include "tutorials/museum/museum.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "tutorials/museum/page.h"
#include "tutorials/report/shares.h"

using namespace heed::museum;

namespace {

Shown shown(const std::string& name) {
  for (const Exhibit& e : exhibits())
    if (e.name == name) return e.show();
  FAIL("no exhibit " << name);
  return {};
}

double largest_of_row(const heed::report::Matrix& m, std::size_t i) {
  double largest = 0;
  for (std::size_t j = 0; j < m.columns; ++j) largest = std::max(largest, std::abs(m.value(i, j)));
  return largest;
}

}  // namespace

TEST_CASE("museum: every exhibit is complete, computed, and wrong by a number that it tells") {
  CHECK(exhibits().size() >= 23);
  std::set<std::string> names;
  for (const Exhibit& e : exhibits()) {
    CAPTURE(e.name);
    CHECK(names.insert(e.name).second);
    CHECK(e.suspects.size() == 3);
    CHECK(e.culprit < 3);
    for (const std::string* text : {&e.title, &e.setting, &e.wrong_code, &e.right_code, &e.hidden, &e.happened})
      CHECK_FALSE(text->empty());
    const Shown s = e.show(), again = e.show();
    const Difference d = difference_of(s);
    CHECK(d.any());
    CHECK((d.largest > 1e-3 || d.not_numbers > 0));
    CHECK(std::any_of(s.verdict.begin(), s.verdict.end(), [](unsigned char c) { return std::isdigit(c) != 0; }));
    CHECK(s.verdict == again.verdict);  // no clock, no chance
    CHECK(s.right.values == again.right.values);
  }
}

TEST_CASE("museum: a sentence quotes a weight as the page prints it") {
  for (const Exhibit& e : exhibits()) {
    CAPTURE(e.name);
    const Shown s = e.show();
    const std::regex number("[0-9][.][0-9][0-9](?![0-9])");
    for (std::sregex_iterator at(s.verdict.begin(), s.verdict.end(), number), end; at != end; ++at) {
      bool quotes = false, as_printed = false;
      for (const heed::report::Matrix* m : {&s.wrong, &s.right})
        for (std::size_t i = 0; i < m->values.size(); ++i) {
          const bool shown = heed::report::printed(*m)[i] == at->str();
          quotes = quotes || shown || std::abs(m->values[i] - std::stod(at->str())) < 0.01;
          as_printed = as_printed || shown;
        }
      CAPTURE(at->str());
      CHECK(as_printed == quotes);
    }
  }
}

TEST_CASE("museum: the right sides are right") {
  for (const char* name : {"no_mask", "query_mask", "causal_corner", "rope_pairs", "sinusoid_layout", "alibi_by_place",
                           "written_memory", "lost_padding", "rolled_picture"}) {
    CAPTURE(name);
    const Shown s = shown(name);  // attention weights: rows sum to 1
    for (std::size_t i = 0; i < s.right.rows; ++i) {
      double total = 0;
      for (std::size_t j = 0; j < s.right.columns; ++j) total += s.right.value(i, j);
      CHECK(total == doctest::Approx(1).epsilon(1e-12));
    }
  }
  for (const char* name : {"no_mask", "query_mask"}) {
    const Shown s = shown(name);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 3; j < 5; ++j) {
        CHECK(s.right.value(i, j) == 0);
        CHECK(s.wrong.value(i, j) > 0);
      }
  }
  const Shown fake = shown("fake_attention");
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(largest_of_row(fake.wrong, i) == 0);
    CHECK(largest_of_row(fake.right, i) > 1e-3);
  }
  CHECK(difference_of(shown("empty_row")).not_numbers == 4);
  const Shown mask = shown("minus_1e9");
  CHECK(mask.wrong.value(1, 4) == doctest::Approx(2.5));
  CHECK(mask.right.value(1, 4) == 0);
  for (double value : shown("missing_reciprocal").right.values) CHECK(value == doctest::Approx(1).epsilon(1e-12));
  CHECK(shown("loose_tolerance").wrong.values != shown("loose_tolerance").right.values);
  CHECK(difference_of(shown("loose_tolerance")).largest < 1e-2);
  CHECK(difference_of(shown("loose_tolerance")).largest > 1e-4);
  const Shown back = shown("rope_pairs");  // trained to look two words back
  for (std::size_t i = 2; i < back.right.rows; ++i)
    CHECK(back.right.value(i, i - 2) == doctest::Approx(largest_of_row(back.right, i)));
  const Shown own = shown("sinusoid_layout");
  bool lost = false;
  for (std::size_t i = 0; i < own.right.rows; ++i) {
    CHECK(own.right.value(i, i) == doctest::Approx(largest_of_row(own.right, i)));
    lost = lost || own.wrong.value(i, i) < largest_of_row(own.wrong, i);
  }
  CHECK(lost);
}

TEST_CASE(
    "museum: a rotation knows distances, padding and opposite borders are not read, and an estimate is unbiased") {
  const Shown turned = shown("no_rotation");
  double spread = 0;
  for (std::size_t i = 0; i < turned.wrong.rows; ++i) CHECK(turned.wrong.value(i, 0) == doctest::Approx(1));
  for (std::size_t i = 0; i < turned.right.rows; ++i)
    for (std::size_t j = 0; j < turned.right.columns; ++j) {
      CHECK(turned.right.value(i, j) == doctest::Approx(turned.right.value(0, j)).epsilon(1e-12));
      spread = std::max(spread, std::abs(turned.wrong.value(i, j) - turned.wrong.value(0, j)));
    }
  CHECK(spread > 0.1);
  const Shown padded = shown("lost_padding");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 7; ++j) {
      const bool word = j >= 2 && j <= 4 + i;
      CHECK((padded.right.value(i, j) > 0) == word);
      CHECK((padded.wrong.value(i, j) > 0) == (word || j < 2));
    }
  const Shown strip = shown("rolled_picture");  // rows: a place of the left window, of the inner one, of the right one
  for (std::size_t j = 0; j < 12; ++j) {
    CHECK((strip.right.value(0, j) > 0) == (j < 6));
    CHECK((strip.wrong.value(0, j) > 0) == (j < 6 || j >= 10));
    CHECK(strip.wrong.value(1, j) == strip.right.value(1, j));
    CHECK((strip.right.value(2, j) > 0) == (j >= 6));
    CHECK((strip.wrong.value(2, j) > 0) == (j >= 6 || j < 2));
  }
  const Shown sum = shown("counted_twice");
  for (double share : sum.right.values) CHECK(share == doctest::Approx(1).epsilon(0.03));
  for (double share : sum.wrong.values) CHECK(share > 1.1);
}

TEST_CASE("museum: labels must fit, and a page holds what it shows") {
  Shown s = shown("no_mask");
  s.rows.pop_back();
  CHECK_THROWS_WITH(difference_of(s), doctest::Contains("a row and a column for each label"));
  s = shown("no_mask");
  s.right.values[0] = NAN;
  CHECK_THROWS_WITH(difference_of(s), doctest::Contains("the right side must be finite"));
  const std::string page = page_of(exhibits(), true).html();
  for (const Exhibit& e : exhibits()) CHECK(page.find("\"" + e.name + "\"") != std::string::npos);
  // An answer is in the data, and nowhere in the markup that a reader sees first.
  const std::string markup = page.substr(0, page.find("id=\"heed-data\""));
  for (const Exhibit& e : exhibits()) CHECK(markup.find(e.title) == std::string::npos);
}
