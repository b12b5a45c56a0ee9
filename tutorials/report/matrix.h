// A small matrix of numbers to draw: row-major doubles, far from any engine. value(i, j) is row i, column j.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "tensor/error.h"

namespace heed::report {

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // [rows, columns]

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count, std::vector<double> data)
      : rows(row_count), columns(column_count), values(std::move(data)) {
    if (values.size() != rows * columns) throw ShapeError("matrix: values must fill rows x columns");
  }
  explicit Matrix(const std::vector<std::vector<double>>& nested) : rows(nested.size()) {
    columns = nested.empty() ? 0 : nested.front().size();
    for (const std::vector<double>& row : nested) {
      if (row.size() != columns) throw ShapeError("matrix: rows must be equally long");
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  double value(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

}  // namespace heed::report
