#include "tutorials/33_pictures/exercises/3_bilinear.h"

#include <cmath>

namespace mine {

// | // The gap reads the nearest place. Its derivative is 0 almost everywhere, so no point could ever be learned.
Reading read_at(const std::vector<double>& p, int64_t R, int64_t C, double x, double y) {
  auto place = [&](double row, double column) {  // 0 outside of the picture
    if (row < 0 || column < 0 || row >= static_cast<double>(R) || column >= static_cast<double>(C)) return 0.0;
    return p[static_cast<size_t>(row) * static_cast<size_t>(C) + static_cast<size_t>(column)];
  };
  Reading reading;
  // ---- the gap: the value between four places, and its derivatives ----
  // | reading.value = place(std::floor(y * static_cast<double>(R)), std::floor(x * static_cast<double>(C)));
  // ---- filled ----
  const double column = x * static_cast<double>(C) - 0.5, row = y * static_cast<double>(R) - 0.5;
  const double left = std::floor(column), above = std::floor(row), u = column - left, v = row - above;
  const double p00 = place(above, left), p01 = place(above, left + 1);
  const double p10 = place(above + 1, left), p11 = place(above + 1, left + 1);
  reading.value = (1 - v) * ((1 - u) * p00 + u * p01) + v * ((1 - u) * p10 + u * p11);
  reading.by_x = ((1 - v) * (p01 - p00) + v * (p11 - p10)) * static_cast<double>(C);
  reading.by_y = ((1 - u) * (p10 - p00) + u * (p11 - p01)) * static_cast<double>(R);
  // ---- end of the gap ----
  return reading;
}

}  // namespace mine
