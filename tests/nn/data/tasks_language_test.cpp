// Dates and numbers: read back by a reader of the test's own; every link looked at.
#include <cctype>
#include <map>

#include "nn/data/tasks/dates.h"
#include "nn/data/tasks/numbers.h"
#include "tests/nn/data/tasks_support.h"

using namespace heed::data;
using namespace heed::nn_test;

namespace {

// All readings of a written date, as ISO: each way to take one run of letters as month, a run of four digits as year
// and a run of one or two digits as day. It knows nothing of the formats.
std::set<std::string> readings(const std::string& text) {
  const std::vector<std::string> names = {"january", "february", "march",     "april",   "may",      "june",
                                          "july",    "august",   "september", "october", "november", "december"};
  const std::vector<std::string> roman = {"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"};
  std::vector<std::string> runs;
  for (size_t i = 0; i < text.size(); ++i) {
    auto kind = [&](size_t k) { return std::isdigit(text[k]) ? 1 : std::isalpha(text[k]) ? 2 : 0; };
    if (kind(i) == 0) continue;
    if (i == 0 || kind(i) != kind(i - 1)) runs.emplace_back();
    runs.back() += static_cast<char>(std::tolower(text[i]));
  }
  std::set<std::string> found;
  for (const std::string& y : runs)
    for (const std::string& m : runs)
      for (const std::string& d : runs)
        for (size_t k = 0; k < 12; ++k) {
          bool month = m == names[k] || m == names[k].substr(0, 3) || m == roman[k];
          if (y.size() != 4 || !std::isdigit(y[0]) || d.size() > 2 || !std::isdigit(d[0]) || !month) continue;
          std::string two = std::to_string(k + 1);
          found.insert(y + "-" + (two.size() < 2 ? "0" : "") + two + "-" + (d.size() < 2 ? "0" : "") + d);
        }
  return found;
}

std::string text_of(const std::vector<std::string>& characters) {
  std::string text;
  for (const std::string& c : characters) text += c == "_" ? " " : c;
  return text;
}

// Reads words by adding and multiplying, as one does aloud.
int64_t value_of(const std::vector<std::string>& words) {
  static const std::map<std::string, int64_t> values = {
      {"zero", 0},      {"one", 1},       {"two", 2},       {"three", 3},    {"four", 4},     {"five", 5},
      {"six", 6},       {"seven", 7},     {"eight", 8},     {"nine", 9},     {"ten", 10},     {"eleven", 11},
      {"twelve", 12},   {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17},
      {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},   {"thirty", 30},  {"forty", 40},   {"fifty", 50},
      {"sixty", 60},    {"seventy", 70},  {"eighty", 80},   {"ninety", 90}};
  int64_t total = 0, group = 0;
  for (const std::string& word : words) {
    if (word == "hundred") {
      group *= 100;
    } else if (word == "thousand") {
      total = group * 1000;
      group = 0;
    } else if (word != "and") {
      group += values.at(word);
    }
  }
  return total + group;
}

// "0-0 1-1? ..": source-target, ? for possible.
std::string links_of(const AlignedPair& pair) {
  std::string text;
  for (const Link& link : pair.links)
    text += (text.empty() ? "" : " ") + pair.source[static_cast<size_t>(link.source)] + "-" +
            std::to_string(link.target) + (link.sure ? "" : "?");
  return text;
}

}  // namespace

TEST_CASE("dates: every format has one reading, and it is the ISO form") {
  CHECK(date_formats().size() == 14);
  for (const std::string& format : date_formats())
    for (int month = 1; month <= 12; ++month)
      for (int day = 1; day <= days_in_month(1999, month); ++day) {
        AlignedPair pair = date_pair({1999, month, day}, format);
        CHECK(text_of(pair.source) == written_date({1999, month, day}, format));
        CHECK(readings(text_of(pair.source)) == std::set<std::string>{text_of(pair.target)});
      }
  CHECK(readings("03/04/2001").empty());  // what no format writes
}

TEST_CASE("dates: the calendar, weekdays and ordinals") {
  CHECK(written_date({2000, 2, 29}, "{W} the {o} of {M} {y}") == "Tuesday the 29th of February 2000");
  CHECK(written_date({1969, 7, 20}, "{W}, {M} {d}, {y}") == "Sunday, July 20, 1969");
  CHECK(written_date({2024, 2, 29}, "{w}, {D} {m} {y}") == "Thu, 29 Feb 2024");
  CHECK(written_date({1900, 1, 1}, "{W}, {d} {M} {y}") == "Monday, 1 January 1900");
  CHECK(written_date({2001, 9, 3}, "{d}.{R}.{y}") == "3.IX.2001");
  CHECK(days_in_month(1900, 2) == 28);
  CHECK(days_in_month(2000, 2) == 29);
  CHECK(days_in_month(2023, 2) == 28);
  std::string endings;
  for (int day : {1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 30, 31})
    endings += written_date({2001, 1, day}, "{M} {o}, {y}").substr(8, 4);
  CHECK(endings == "1st,2nd,3rd,4th,11th12th13th21st22nd23rd30th31st");
}

TEST_CASE("dates: links") {
  CHECK(links_of(date_pair({2001, 5, 3}, "{d} {M} {y}")) == "2-0 0-1 0-2 1-3 M-5? a-5? y-5? M-6? a-6? y-6? 3-8? 3-9");
  CHECK(links_of(date_pair({1987, 4, 26}, "{D}-{m}-{y}")) == "1-0 9-1 8-2 7-3 A-5? p-5? r-5? A-6? p-6? r-6? 2-8 6-9");
  AlignedPair pair = date_pair({2001, 5, 3}, "the {o} of {M} {y}");  // the 3rd of May 2001
  std::string content;
  for (size_t s = 0; s < pair.source.size(); ++s) content += pair.source_content[s] ? pair.source[s] : ".";
  CHECK(content == "....3......May.2001");
  CHECK(!pair.target_content[4]);
  CHECK(pair.target_content[5]);
}

TEST_CASE("dates: the task") {
  Task task = date_task({.parts = {.train = 3000, .validation = 200, .test = 200}});
  check_task(task);
  std::set<std::string> days;
  std::map<std::string, int64_t> years;
  for (const AlignedPair& pair : task.train) {
    days.insert(joined(pair.target));
    ++years[text_of(pair.target).substr(0, 2)];
    CHECK(readings(text_of(pair.source)) == std::set<std::string>{text_of(pair.target)});
  }
  for (const AlignedPair& pair : task.test) CHECK(days.count(joined(pair.target)) == 0);  // in no other format either
  CHECK(years.size() == 2);
  CHECK(years["19"] == doctest::Approx(1500).epsilon(0.08));
  Task roman = date_task({.formats = {"{d}.{R}.{y}"}, .parts = {.train = 50, .validation = 5, .test = 5}});
  for (const AlignedPair* pair : pairs_of(roman)) CHECK(text_of(pair->source).find(' ') == std::string::npos);
  CHECK(roman.source.size() == task.source.size());  // ids do not depend on the options
}

TEST_CASE("numbers: every one from 0 to 999,999 reads back; no two are said alike") {
  int64_t wrong = 0;
  for (int64_t n = 0; n <= 999999; n += n < 20000 ? 1 : 37) wrong += value_of(number_words(n)) != n;
  CHECK(wrong == 0);
  CHECK(joined(number_words(0)) == "zero");
  CHECK(joined(number_words(342)) == "three hundred and forty two");
  CHECK(joined(number_words(2005)) == "two thousand and five");
  CHECK(joined(number_words(205000)) == "two hundred and five thousand");
  CHECK(joined(number_words(110019)) == "one hundred and ten thousand and nineteen");
}

TEST_CASE("numbers: links") {
  CHECK(joined(number_pair(342).target) == "3 4 2");
  CHECK(links_of(number_pair(342)) == "three-0 forty-1 two-2");
  CHECK(links_of(number_pair(17)) == "seventeen-0 seventeen-1");
  CHECK(links_of(number_pair(0)) == "zero-0");
  CHECK(links_of(number_pair(10)) == "ten-0 ten-1");
  CHECK(links_of(number_pair(40)) == "forty-0 forty-1?");
  CHECK(links_of(number_pair(300)) == "three-0 hundred-1? hundred-2?");
  CHECK(links_of(number_pair(305)) == "three-0 hundred-1? and-1? five-2");
  CHECK(links_of(number_pair(340)) == "three-0 forty-1 forty-2?");
  CHECK(links_of(number_pair(2005)) == "two-0 thousand-1? and-1? thousand-2? and-2? five-3");
  CHECK(links_of(number_pair(20000)) == "twenty-0 twenty-1? thousand-1? thousand-2? thousand-3? thousand-4?");
  CHECK(links_of(number_pair(100205)) ==
        "one-0 hundred-1? thousand-1? hundred-2? thousand-2? two-3 hundred-4? and-4? five-5");
}

TEST_CASE("numbers: the task") {
  Task task = number_task({.parts = {.train = 4000, .validation = 300, .test = 300}});
  check_task(task);
  CHECK(task.source.classes() == 31);
  CHECK(task.target.classes() == 10);
  std::map<size_t, int64_t> digits;
  for (const AlignedPair* pair : pairs_of(task)) {
    std::string number;
    for (const std::string& digit : pair->target) number += digit;
    CHECK(value_of(pair->source) == std::stoll(number));
    ++digits[number.size()];
    for (size_t t = 0; t < pair->target.size(); ++t) {  // every digit has a link; one that is no zero a sure one
      bool any = false, certain = pair->target[t] == "0";
      for (const Link& link : pair->links) {
        any = any || link.target == static_cast<int>(t);
        certain = certain || (link.target == static_cast<int>(t) && link.sure);
      }
      CHECK((any && certain));
    }
  }
  CHECK(digits.size() == 6);
  for (const auto& [length, count] : digits) CHECK(count == doctest::Approx(4600.0 / 6).epsilon(0.15));
}
