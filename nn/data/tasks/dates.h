// Dates as people write them, to ISO 8601, letter by letter:
//
//   T u e s d a y , _ 3 _ A p r i l _ 2 0 0 1   ->   2 0 0 1 - 0 4 - 0 3          (_ stands for a blank)
//
// No format can be read in two ways: the month is always a word or a Roman number, the year has four digits. So
// 03/04/2001, the third of April in London and the fourth of March in Boston, does not occur.
//
// Links: year and day digits to the digit that says them, sure. A month digit to every letter of the month's name,
// possible: any of them may be where a model looks. The 0 of a day below 10 to its single digit, possible. Hyphens have
// none.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct Date {
  int year = 2001, month = 1, day = 1;  // month 1 to 12, day from 1; proleptic Gregorian calendar
};

// {d} day, {D} day with a zero before it, {o} 3rd, {M} April, {m} Apr, {R} IV, {y} 2001, {W} Tuesday, {w} Tue.
const std::vector<std::string>& date_formats();

int days_in_month(int year, int month);
// The date in one of the formats, with blanks. ValueError for a day that the calendar has not or a format that is none.
std::string written_date(const Date& date, const std::string& format);
// The same with its ISO form and links, a token a character.
AlignedPair date_pair(const Date& date, const std::string& format);

struct DateOptions {
  Range years{1900, 2099};                // four digits
  std::vector<std::string> formats = {};  // of date_formats(), drawn evenly; none: all of them
  TaskParts parts = {};
};
// A date belongs to one part in all of its formats.
Task date_task(const DateOptions& options = {});

}  // namespace heed::data
