// The museum of bugs: mistakes in attention that were published or shipped, each rebuilt in a few lines beside the
// library's own result. Every number of an exhibit is computed when it is shown.
//
//   for (const Exhibit& e : exhibits()) { Shown s = e.show(); difference_of(s).largest; }
//
// To add an exhibit: write a function that returns a Shown and a row in one of the files of this folder; the row has
// the wrong code, why the mistake is hard to notice, and where it happened. Name only sources that can be checked.
// B batch, T queries, S keys, D width, H heads, K width of a head.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "tutorials/report/matrix.h"

namespace heed::museum {

// The same quantity twice: computed with the mistake, and as it should be.
struct Shown {
  std::string what;  // what the numbers are, with their shape
  std::vector<std::string> rows = {}, columns = {};
  report::Matrix wrong = {}, right = {};  // of equal shape, a row for each of `rows`
  std::string verdict = {};               // one sentence with the most important numbers
};

struct Exhibit {
  std::string name, title;
  std::string setting;                 // the computation, for a reader who sees the wrong numbers only
  std::string wrong_code, right_code;  // the mistake, and the correct code
  std::vector<std::string> suspects;   // three possible causes,
  std::size_t culprit;                 // of which this one is true, counted from 0
  std::string hidden;                  // why it is hard to notice
  std::string happened;                // the public issue, the project or the paper
  std::string lesson;                  // number of the lesson that has the right form
  Shown (*show)();
};

struct Difference {
  double largest = 0;           // among the entries that are numbers on both sides
  std::size_t not_numbers = 0;  // entries that are NaN or infinite on the wrong side
  std::string text() const;     // "the largest difference is 0.31"
  bool any() const { return largest > 0 || not_numbers > 0; }
};
Difference difference_of(const Shown& shown);  // ShapeError if labels and matrices do not fit together

const std::vector<Exhibit>& exhibits();  // in the order of the tour

// The rooms: one file each.
std::vector<Exhibit> mask_exhibits();
std::vector<Exhibit> score_exhibits();
std::vector<Exhibit> head_exhibits();
std::vector<Exhibit> position_exhibits();
std::vector<Exhibit> key_exhibits();
std::vector<Exhibit> linear_exhibits();
std::vector<Exhibit> training_exhibits();
std::vector<Exhibit> testing_exhibits();

// ---- for the exhibits ----
Variable random(const Shape& shape, std::uint64_t seed);                          // normal, mean 0, deviation 1, f64
report::Matrix numbers(const Variable& x);                                        // all axes but the last become rows
report::Matrix rows_of(const std::vector<Variable>& rows);                        // each of them flattened
std::vector<std::string> numbered(const std::string& word, std::int64_t count);   // "query 1", "query 2", ..
std::string quoted(const report::Matrix& weights, std::size_t i, std::size_t j);  // "0.29": as the page prints it

}  // namespace heed::museum
