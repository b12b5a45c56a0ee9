#include "tensor/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// Which indices of an axis are shown; -1 marks the gap.
std::vector<int64_t> shown(int64_t n, bool elide, int edge) {
  std::vector<int64_t> at;
  for (int64_t i = 0; i < n; ++i) {
    if (elide && n > 2 * edge && i == edge) {
      at.push_back(-1);
      i = n - edge - 1;
      continue;
    }
    at.push_back(i);
  }
  return at;
}

struct Printer {
  const PrintOptions& options;
  bool elide = false, integral = true, scientific = false;
  size_t width = 0;
  std::string text = {};

  std::string number(const Tensor& scalar) const {
    double v = scalar.item();
    if (scalar.dtype() == DType::boolean) return v != 0 ? "true" : "false";
    if (scalar.dtype() == DType::i64) return fmt::format("{}", *scalar.data<int64_t>());
    if (!std::isfinite(v)) return fmt::format("{}", v);
    if (scientific) return fmt::format("{:.{}e}", v, options.precision);
    if (integral) return fmt::format("{:.0f}.", v);
    return fmt::format("{:.{}f}", v, options.precision);
  }

  // Visits every element that will be shown; the first pass finds one format and one width for all of them.
  template <class Visit>
  void each(const Tensor& t, const Visit& visit) const {
    if (t.rank() == 0) return visit(t);
    for (int64_t i : shown(t.shape()[0], elide, options.edge))
      if (i >= 0) each(t.select(0, i), visit);
  }

  void write(const Tensor& t, size_t indent) {
    if (t.rank() == 0) {
      text += fmt::format("{:>{}}", number(t), width);
      return;
    }
    text += "[";
    bool first = true;
    for (int64_t i : shown(t.shape()[0], elide, options.edge)) {
      if (!first) {
        text += ",";
        if (t.rank() == 1)
          text += " ";
        else
          text += std::string(static_cast<size_t>(t.rank() - 1), '\n') + std::string(indent + 1, ' ');
      }
      first = false;
      if (i < 0)
        text += "...";
      else
        write(t.select(0, i), indent + 1);
    }
    text += "]";
  }
};

}  // namespace

std::string to_string(const Tensor& t, const PrintOptions& options) {
  if (options.precision < 0 || options.precision > 40 || options.edge < 0)
    throw ValueError(fmt::format("to_string: needs a precision in [0, 40] and an edge of at least 0; got {} and {}",
                                 options.precision, options.edge));
  if (!t.defined()) return "undefined";
  Printer p{options};
  p.elide = t.count() > options.threshold;
  for (int64_t d : t.shape()) p.elide = p.elide || d > options.threshold;  // even if another axis has size 0
  double largest = 0, smallest = INFINITY;
  p.each(t, [&](const Tensor& s) {
    double v = std::abs(s.item());
    if (!std::isfinite(v)) return;
    largest = std::max(largest, v);
    if (v > 0) smallest = std::min(smallest, v);
    p.integral = p.integral && v == std::floor(v);
  });
  p.scientific = largest >= 1e8 || (largest > 0 && largest < 1e-3) || (!p.integral && largest / smallest > 1e7);
  p.each(t, [&](const Tensor& s) { p.width = std::max(p.width, p.number(s).size()); });
  p.write(t, 0);
  return fmt::format("{}  {} {}", p.text, name_of(t.dtype()), to_string(t.shape()));
}

}  // namespace heed
