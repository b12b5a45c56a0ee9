#include "tutorials/report/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed::report {

std::vector<long long> share_units(const std::vector<double>& weights, int digits) {
  const double scale = std::pow(10.0, digits);
  const auto fits = [](double w) { return w >= 0 && w <= 1e6; };
  std::vector<long long> units;
  if (!std::all_of(weights.begin(), weights.end(), fits)) {
    for (double w : weights) units.push_back(std::llround(std::clamp(std::isnan(w) ? 0 : w, -1e6, 1e6) * scale));
    return units;
  }
  std::vector<double> lost;
  for (double w : weights) {
    units.push_back(static_cast<long long>(std::floor(w * scale)));
    lost.push_back(w * scale - static_cast<double>(units.back()));
  }
  const double whole = std::accumulate(weights.begin(), weights.end(), 0.0) * scale;
  const auto missing = std::llround(whole) - std::accumulate(units.begin(), units.end(), 0LL);
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
  for (std::size_t k = 0; k < order.size() && static_cast<long long>(k) < missing; ++k) ++units[order[k]];
  return units;
}

std::vector<std::string> rounded_shares(const std::vector<double>& weights, int digits) {
  std::vector<std::string> out;
  for (long long units : share_units(weights, digits))
    out.push_back(fmt::format("{:.{}f}", static_cast<double>(units) / std::pow(10.0, digits), digits));
  return out;
}

std::vector<std::string> printed(const Matrix& m) {
  auto line = [&](std::size_t at, std::size_t length, std::size_t step) {
    std::vector<double> out;
    for (std::size_t k = 0; k < length; ++k) out.push_back(m.values[at + k * step]);
    return out;
  };
  auto sums_to_one = [](const std::vector<double>& some) {
    return std::abs(std::accumulate(some.begin(), some.end(), -1.0)) < 1e-3 &&
           std::all_of(some.begin(), some.end(), [](double w) { return w >= 0; });
  };
  bool rows = true, columns = true;
  for (std::size_t i = 0; i < m.rows; ++i) rows = rows && sums_to_one(line(i * m.columns, m.columns, 1));
  for (std::size_t j = 0; j < m.columns; ++j) columns = columns && sums_to_one(line(j, m.rows, m.columns));
  const bool upright = columns && !rows;
  std::vector<std::string> out(m.values.size());
  for (std::size_t i = 0; i < (upright ? m.columns : m.rows); ++i) {
    const std::size_t at = upright ? i : i * m.columns, step = upright ? m.columns : 1;
    const std::vector<double> some = line(at, upright ? m.rows : m.columns, step);
    const std::vector<std::string> together = rounded_shares(some, 2);
    for (std::size_t k = 0; k < some.size(); ++k)
      out[at + k * step] = sums_to_one(some) ? together[k] : fmt::format("{:.2f}", some[k]);
  }
  return out;
}

bool are_weights(const Matrix& matrix) {
  auto sum_to_one = [&](std::size_t count, std::size_t length, std::size_t step, std::size_t next) {
    bool some = false;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < length; ++j) sum += matrix.values[i * step + j * next];
      if (sum == 0) continue;
      if (!(std::abs(sum - 1) < 1e-3)) return false;  // NaN, too
      some = true;
    }
    return some;
  };
  for (double value : matrix.values)
    if (!(value >= 0)) return false;
  return sum_to_one(matrix.rows, matrix.columns, matrix.columns, 1) ||
         sum_to_one(matrix.columns, matrix.rows, 1, matrix.columns);
}

}  // namespace heed::report
