// The accuracy table: each kernel against the same formula in long double, over inputs that are hard for it.
//
//   Table table(sweep);
//   table.row<float>("softmax", "all equal", 4, [&](Errors<float>& errors) { errors.ulp(got, exact); });
//
// An error is counted in one of two units:
//
//   ulp   units in the last place of the exact result (tests/tensor/support.h): for functions of one number.
//   eps   |error| / (epsilon scale), epsilon = 2^-23 (f32) or 2^-52 (f64), and scale the size of what was added up, for
//         example the sum of the absolute values: for results in which large terms may cancel.
//
// A row is ok if its largest error is at most its bound. How the bounds were chosen is said beside them.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/tensor/support.h"

namespace heed::accuracy {

// How much is measured: the quick sweep is a test of every build, the whole one is what ./heed test --accuracy prints.
struct Sweep {
  bool quick = false;
  int64_t values(int64_t whole) const { return quick ? std::max<int64_t>(whole / 64, 1) : whole; }
};

template <class T>
class Errors {
 public:
  // `flushed`: results below it may also be 0 (softmax: exp(-87) in f32).
  void ulp(T got, long double exact, long double flushed = 0) {
    if (std::abs(exact) < flushed && got >= 0 && got <= flushed) return all_.push_back(0);
    all_.push_back(test::ulps(got, exact));
  }
  void eps(T got, long double exact, long double scale) {
    long double unit = std::numeric_limits<T>::epsilon() * std::max<long double>(scale, std::numeric_limits<T>::min());
    long double error = std::abs(static_cast<long double>(got) - exact) / unit;
    bool same = static_cast<long double>(got) == exact;  // infinities
    all_.push_back(same ? 0 : error >= 0 ? static_cast<double>(error) : std::numeric_limits<double>::infinity());
  }
  std::vector<double>& all() { return all_; }

 private:
  std::vector<double> all_;
};

struct Row {
  std::string kernel, type, inputs, unit;
  double largest = 0, median = 0, bound = 0;
  bool ok() const { return largest <= bound; }  // a NaN is not ok
};

// Where long double is double (macOS on Arm) there is nothing to compare f64 with.
template <class T>
constexpr bool kMeasured = std::numeric_limits<long double>::digits > std::numeric_limits<T>::digits;

class Table {
 public:
  explicit Table(Sweep wanted) : sweep(wanted) {}

  template <class T, class Measure>
  void row(const char* unit, const std::string& kernel, const std::string& inputs, double bound,
           const Measure& measure) {
    if constexpr (kMeasured<T>) {
      Errors<T> errors;
      measure(errors);
      std::vector<double>& all = errors.all();
      Row row{kernel, name_of(DTypeOf<T>::value), inputs, unit, 0, 0, bound};
      if (all.empty()) throw ValueError("accuracy: a row needs at least one number; got none for " + kernel);
      auto middle = all.begin() + static_cast<int64_t>(all.size() / 2);
      std::nth_element(all.begin(), middle, all.end());
      row.median = *middle;
      row.largest = *std::max_element(all.begin(), all.end());
      rows.push_back(row);
    }
  }

  Sweep sweep;
  std::vector<Row> rows;
};

// The parts of the table, in the order in which they are printed.
void add_functions(Table& table);    // exp, tanh, gelu, ...
void add_sums(Table& table);         // sum, mean, variance, norm, cumsum, matmul
void add_softmax(Table& table);      // softmax, logsumexp, cross-entropy
void add_norms(Table& table);        // layer norm, RMS norm
void add_attention(Table& table);    // composed, tiled, split, and their gradients
void add_optimisers(Table& table);   // Adam, SGD, ...
void add_conversions(Table& table);  // bf16 and f16 to f32

}  // namespace heed::accuracy
