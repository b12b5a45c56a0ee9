#include "tutorials/museum/museum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/error.h"
#include "tutorials/report/shares.h"

namespace heed::museum {

Variable random(const Shape& shape, std::uint64_t seed) {
  Generator rng(seed);
  return Variable(Tensor::normal(shape, rng, 0, 1, DType::f64));
}

report::Matrix numbers(const Variable& x) {
  const auto columns = static_cast<std::size_t>(x.size(-1));
  return {static_cast<std::size_t>(x.count()) / columns, columns, x.value().to_vector()};
}

report::Matrix rows_of(const std::vector<Variable>& rows) {
  std::vector<std::vector<double>> nested;
  for (const Variable& row : rows) nested.push_back(row.value().to_vector());
  return report::Matrix(nested);
}

std::vector<std::string> numbered(const std::string& word, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= count; ++i)
    names.push_back(word.empty() ? std::to_string(i) : fmt::format("{} {}", word, i));
  return names;
}

Difference difference_of(const Shown& shown) {
  const report::Matrix &w = shown.wrong, &r = shown.right;
  if (w.rows != r.rows || w.columns != r.columns || w.rows != shown.rows.size() || w.columns != shown.columns.size())
    throw ShapeError(
        fmt::format("museum: both sides must have a row and a column for each label; got {} x {} and {} x "
                    "{} for {} x {}",
                    w.rows, w.columns, r.rows, r.columns, shown.rows.size(), shown.columns.size()));
  Difference d;
  for (std::size_t i = 0; i < w.values.size(); ++i) {
    if (!std::isfinite(r.values[i])) throw ValueError("museum: the right side must be finite; got NaN or infinity");
    if (std::isfinite(w.values[i]))
      d.largest = std::max(d.largest, std::abs(w.values[i] - r.values[i]));
    else
      ++d.not_numbers;
  }
  return d;
}

std::string Difference::text() const {
  if (not_numbers == 0) return fmt::format("The largest difference is {:.3g}.", largest);
  std::string text = fmt::format("{} of the numbers {} not a number", not_numbers, not_numbers == 1 ? "is" : "are");
  return largest > 0 ? fmt::format("{}; among the others the largest difference is {:.3g}.", text, largest)
                     : text + ".";
}

std::string quoted(const report::Matrix& weights, std::size_t i, std::size_t j) {
  return report::printed(weights)[i * weights.columns + j];
}

const std::vector<Exhibit>& exhibits() {
  static const std::vector<Exhibit> all = [] {
    std::vector<Exhibit> list;
    for (auto room : {score_exhibits, mask_exhibits, head_exhibits, position_exhibits, key_exhibits, linear_exhibits,
                      training_exhibits, testing_exhibits})
      for (Exhibit& one : room()) list.push_back(std::move(one));
    return list;
  }();
  return all;
}

}  // namespace heed::museum
