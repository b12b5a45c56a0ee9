#include "autograd/gradcheck_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed {

const char* name_of(Fault fault) {
  constexpr const char* names[] = {"none", "sign", "missing", "twice", "mean", "transpose", "kink", "other"};
  return names[static_cast<int>(fault)];
}

namespace {

constexpr double kSame = 1e-4;  // relative difference below which two ratios count as equal

struct Numbers {
  std::vector<double> analytic, numeric;
  std::vector<size_t> wrong;
  const std::vector<double>& floors;
  double tolerance;

  bool is(size_t e, double expected) const {
    return std::fabs(analytic[e] - expected) <= kSame * std::fabs(expected) + 10 * tolerance * floors[e];
  }
  bool ratio_is(double c) const {
    return std::all_of(wrong.begin(), wrong.end(), [&](size_t e) { return is(e, c * numeric[e]); });
  }
};

// "all 6 elements" or "3 of 6 elements (the others are right)".
std::string extent(const Numbers& n) {
  if (n.wrong.size() == n.analytic.size())
    return n.wrong.size() == 1 ? std::string("its only element") : fmt::format("all {} elements", n.wrong.size());
  return fmt::format("{} of {} elements (the others are right)", n.wrong.size(), n.analytic.size());
}

// Is the analytic gradient the numeric one with axes p and q exchanged? That happens in two ways: the elements of a
// square matrix are transposed, or a transposed buffer was given the shape of the input.
bool exchanged(const Numbers& n, const Tensor& numeric, int p, int q) {
  std::vector<double> swapped = numeric.transpose(p, q).to_vector();
  for (size_t e = 0; e < swapped.size(); ++e)
    if (!n.is(e, swapped[e])) return false;
  return true;
}

std::string ratio_range(const Numbers& n) {
  double low = INFINITY, high = -INFINITY;
  for (size_t e : n.wrong)
    if (std::fabs(n.numeric[e]) > n.floors[e]) {
      low = std::min(low, n.analytic[e] / n.numeric[e]);
      high = std::max(high, n.analytic[e] / n.numeric[e]);
    }
  if (low > high) return "it is not 0 where the numeric one is";
  return fmt::format("analytic / numeric runs from {:.4g} to {:.4g}", low, high);
}

}  // namespace

Diagnosis diagnose(const Comparison& c) {
  Numbers n{c.analytic.to_vector(), c.numeric.to_vector(), {}, c.floors, c.tolerance};
  for (size_t e = 0; e < c.wrong.size(); ++e)
    if (c.wrong[e]) n.wrong.push_back(e);
  if (n.wrong.empty()) return {};
  std::string where = extent(n);
  auto not_finite = [&](size_t e) { return !std::isfinite(n.analytic[e]); };
  if (auto count = std::count_if(n.wrong.begin(), n.wrong.end(), not_finite); count > 0)
    return {Fault::other, fmt::format("it is not finite in {} of {} elements", count, n.analytic.size())};

  if (n.ratio_is(0)) return {Fault::missing, "it is 0 in " + where + ": a term is missing"};
  if (n.ratio_is(-1)) return {Fault::sign, "it has the opposite sign in " + where + ": a minus is missing or too many"};
  if (n.ratio_is(2)) return {Fault::twice, "it is twice too large in " + where + ": a term is counted twice"};
  for (const NamedSize& s : c.sizes) {
    auto size = static_cast<double>(s.size);
    if (n.ratio_is(1 / size))
      return {Fault::mean,
              fmt::format("it is 1/{} of what it should be in {}: a mean where a sum was meant ({} is {}){}", s.size,
                          where, s.size, s.what, s.size == 2 ? ", or one of two equal terms is missing" : "")};
    if (n.ratio_is(size))
      return {Fault::mean, fmt::format("it is {} times too large in {}: a sum where a mean was meant ({} is {})",
                                       s.size, where, s.size, s.what)};
  }
  if (n.ratio_is(0.5)) return {Fault::missing, "it is half in " + where + ": one of two equal terms is missing"};
  for (int q = 2; q < c.numeric.rank(); ++q)
    for (int p = 1; p < q; ++p)
      if (exchanged(n, c.numeric, p, q))
        return {Fault::transpose,
                fmt::format("its elements stand at the places of axes {} and {} exchanged: a transpose is missing or "
                            "too many",
                            p - 1, q - 1)};
  size_t largest = *std::max_element(n.wrong.begin(), n.wrong.end(), [&](size_t i, size_t j) {
    return std::fabs(n.numeric[i]) < std::fabs(n.numeric[j]);
  });
  double ratio = n.analytic[largest] / n.numeric[largest];
  if (n.wrong.size() > 1 && std::isfinite(ratio) && n.ratio_is(ratio))
    return {Fault::other, fmt::format("it is {:.6g} times too large in {}: a constant factor is wrong", ratio, where)};
  return {Fault::other, fmt::format("{}: no single ratio explains it; {} are wrong", ratio_range(n), where)};
}

Diagnosis diagnose_shapes(const Shape& got, const Shape& wanted) {
  for (int q = 1; q < wanted.rank(); ++q)
    for (int p = 0; p < q; ++p) {
      Shape swapped = wanted;
      std::swap(swapped[p], swapped[q]);
      if (swapped == got)
        return {Fault::transpose, fmt::format("it has shape {} for a value of shape {}, axes {} and {} exchanged: a "
                                              "transpose is missing or too many",
                                              to_string(got), to_string(wanted), p, q)};
    }
  return {Fault::other, fmt::format("it has shape {} for a value of shape {}", to_string(got), to_string(wanted))};
}

}  // namespace heed
