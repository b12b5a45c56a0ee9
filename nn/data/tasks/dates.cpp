#include "nn/data/tasks/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "nn/data/tasks/draw.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using namespace drawing;

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 12> kRoman = {"I",   "II",   "III", "IV", "V",  "VI",
                                                     "VII", "VIII", "IX",  "X",  "XI", "XII"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                       "Friday", "Saturday", "Sunday"};

// The days since Monday, 1 January of year 1, modulo 7: Monday is 0.
int weekday(const Date& d) {
  int before = d.year - 1;
  int days = before * 365 + before / 4 - before / 100 + before / 400;
  for (int month = 1; month < d.month; ++month) days += days_in_month(d.year, month);
  return (days + d.day - 1) % 7;
}

// 1st, 2nd, 3rd, but 11th, 12th, 13th
std::string_view ordinal_ending(int day) {
  if (day / 10 == 1) return "th";
  return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

// A written date and, for each of its characters, the character of the ISO form that it gives (y, m or d), or a blank.
struct Written {
  std::string text, says;
  void add(std::string_view piece, char what) {
    text += piece;
    says.append(piece.size(), what);
  }
};

Written write(const Date& date, const std::string& format) {
  if (std::find(date_formats().begin(), date_formats().end(), format) == date_formats().end())
    throw ValueError(fmt::format("written_date: the format must be one of date_formats(); got \"{}\"", format));
  if (date.year < 1000 || date.year > 9999 || date.month < 1 || date.month > 12 || date.day < 1 ||
      date.day > days_in_month(date.year, date.month))
    throw ValueError(
        fmt::format("written_date: the calendar must have the day, in the years 1000 to 9999; got {}-{}-{}", date.year,
                    date.month, date.day));
  std::string_view month = kMonths[static_cast<size_t>(date.month - 1)];
  std::string_view day = kWeekdays[static_cast<size_t>(weekday(date))];
  Written w;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{') {
      w.add(format.substr(i, 1), ' ');
      continue;
    }
    char field = format[i + 1];
    if (field == 'd' || field == 'o') w.add(std::to_string(date.day), 'd');
    if (field == 'o') w.add(ordinal_ending(date.day), ' ');
    if (field == 'D') w.add(fmt::format("{:02}", date.day), 'd');
    if (field == 'M') w.add(month, 'm');
    if (field == 'm') w.add(month.substr(0, 3), 'm');
    if (field == 'R') w.add(kRoman[static_cast<size_t>(date.month - 1)], 'm');
    if (field == 'y') w.add(std::to_string(date.year), 'y');
    if (field == 'W') w.add(day, ' ');
    if (field == 'w') w.add(day.substr(0, 3), ' ');
    i += 2;
  }
  return w;
}

std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> tokens;
  for (char c : text) tokens.emplace_back(1, c == ' ' ? '_' : c);
  return tokens;
}

}  // namespace

const std::vector<std::string>& date_formats() {
  static const std::vector<std::string> formats = {
      "{d} {M} {y}",        "{M} {d}, {y}", "{d} {m} {y}",      "{m} {d}, {y}",          "{D}-{m}-{y}",
      "the {o} of {M} {y}", "{M} {o}, {y}", "{W}, {d} {M} {y}", "{w}, {D} {m} {y}",      "{W}, {M} {d}, {y}",
      "{d}.{R}.{y}",        "{y} {M} {d}",  "{y}-{m}-{D}",      "{W} the {o} of {M} {y}"};
  return formats;
}

int days_in_month(int year, int month) {
  if (month < 1 || month > 12)
    throw ValueError(fmt::format("days_in_month: a month must lie in [1, 12]; got {}", month));
  constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[static_cast<size_t>(month - 1)] + (leap && month == 2);
}

std::string written_date(const Date& date, const std::string& format) { return write(date, format).text; }

AlignedPair date_pair(const Date& date, const std::string& format) {
  Written w = write(date, format);
  std::string iso = fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  std::vector<Link> links;
  size_t year = w.says.find('y'), day = w.says.find('d'), days = w.says.rfind('d') - day + 1;
  for (size_t digit = 0; digit < 4; ++digit) links.push_back(sure(year + digit, digit));
  for (size_t s = 0; s < w.says.size(); ++s)
    if (w.says[s] == 'm') links.insert(links.end(), {possible(s, 5), possible(s, 6)});
  links.push_back(days == 2 ? sure(day, 8) : possible(day, 8));
  links.push_back(sure(day + days - 1, 9));
  AlignedPair pair = aligned("date", characters(w.text), characters(iso), std::move(links));
  for (size_t s = 0; s < w.says.size(); ++s) pair.source_content[s] = w.says[s] != ' ';
  pair.target_content[4] = pair.target_content[7] = false;
  return pair;
}

Task date_task(const DateOptions& o) {
  const std::vector<std::string>& formats = o.formats.empty() ? date_formats() : o.formats;
  Range which{0, static_cast<int64_t>(formats.size()) - 1};
  Plan plan{"date", which, which, o.parts};
  check_parts(plan.task, o.parts);
  check_range(plan.task, "years", o.years, 1000);
  if (o.years.most > 9999) throw ValueError(fmt::format("date: a year must have four digits; got {}", o.years.most));
  auto make = [&](Generator& rng, int64_t format) {
    Date date{.year = static_cast<int>(o.years.least + rng.below(o.years.most - o.years.least + 1)),
              .month = static_cast<int>(1 + rng.below(12))};
    date.day = static_cast<int>(1 + rng.below(days_in_month(date.year, date.month)));
    return date_pair(date, formats[static_cast<size_t>(format)]);
  };
  auto drawn = draw<AlignedPair>(plan, make, [](const AlignedPair& pair) { return joined(pair.target); });
  // All characters that any format can write, so that the ids do not depend on the options.
  const std::string digits = "0123456789-", others = " ,.";
  std::string letters = "theofsndrIVX";
  for (std::string_view name : kMonths) letters += name;
  for (std::string_view name : kWeekdays) letters += name;
  std::sort(letters.begin(), letters.end());
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  return {plan.task,
          Symbols(characters(digits + others + letters)),
          Symbols(characters(digits)),
          std::move(drawn.train),
          std::move(drawn.validation),
          std::move(drawn.test)};
}

}  // namespace heed::data
