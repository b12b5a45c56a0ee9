// Dates as people write them, translated to ISO 8601 character by character:
//
//   T u e s d a y , _ 3 _ A p r i l _ 2 0 0 1   ->   2 0 0 1 - 0 4 - 0 3     (_ is a space)
//
// No format can be read in two ways: the month is always a word or a Roman numeral, and the year has four digits. So
// 03/04/2001, which is the third of April in London and the fourth of March in Boston, does not occur.
//
// Links: year and day digits have a sure link to the digit that gives them. A month digit has a possible link to every
// letter of the month's name, since a model may look at any of them. The 0 of a day below 10 has a possible link to its
// single digit. Hyphens have no links.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct Date {
  int year = 2001, month = 1, day = 1;  // month from 1 to 12, day from 1; proleptic Gregorian calendar
};

// {d} day, {D} day with a leading zero, {o} 3rd, {M} April, {m} Apr, {R} IV, {y} 2001, {W} Tuesday, {w} Tue.
const std::vector<std::string>& date_formats();

int days_in_month(int year, int month);
// The date in one of the formats, with spaces. ValueError for a date that does not exist, or an unknown format.
std::string written_date(const Date& date, const std::string& format);
// The same with its ISO form and links, one token per character.
AlignedPair date_pair(const Date& date, const std::string& format);

struct DateOptions {
  Range years{1900, 2099};                // must have four digits
  std::vector<std::string> formats = {};  // some of date_formats(), drawn uniformly; empty: all of them
  TaskParts parts = {};
};
// A date belongs to the same part (training, validation or test) in all of its formats.
Task date_task(const DateOptions& options = {});

}  // namespace heed::data
