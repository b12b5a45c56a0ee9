#include "tutorials/33_pictures/exercises/1_windows.h"

namespace mine {

std::vector<std::vector<int64_t>> cut(int64_t R, int64_t C, int64_t M) {
  std::vector<std::vector<int64_t>> windows;
  // ---- the gap: the places of each window, -1 where there is none ----
  // | // Now: windows that fit into the picture only.
  // | for (int64_t top = 0; top + M <= R; top += M)
  // |   for (int64_t left = 0; left + M <= C; left += M) windows.emplace_back();
  // ---- filled ----
  for (int64_t top = 0; top < R; top += M)
    for (int64_t left = 0; left < C; left += M) {
      windows.emplace_back();
      for (int64_t row = top; row < top + M; ++row)
        for (int64_t column = left; column < left + M; ++column)
          windows.back().push_back(row < R && column < C ? row * C + column : -1);
    }
  // ---- end of the gap ----
  return windows;
}

std::vector<double> put_together(const std::vector<std::vector<double>>& values, int64_t R, int64_t C, int64_t M) {
  std::vector<double> picture(static_cast<std::size_t>(R * C));
  const std::vector<std::vector<int64_t>> windows = cut(R, C, M);
  // ---- the gap: the number of each place ----
  // | (void)values;
  // | (void)windows;
  // ---- filled ----
  for (std::size_t n = 0; n < windows.size(); ++n)
    for (std::size_t i = 0; i < windows[n].size(); ++i)
      if (windows[n][i] >= 0) picture[static_cast<std::size_t>(windows[n][i])] = values[n][i];
  // ---- end of the gap ----
  return picture;
}

}  // namespace mine
