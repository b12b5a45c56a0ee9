#include "nn/attention/normalisers/fusedmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

struct Segment {
  double value;  // at the current gamma
  double total;  // sum of its scores
  int64_t n;     // number of its keys
  double speed;  // change of the value per unit of gamma
  double count() const { return static_cast<double>(n); }
};

double direction(double from, double to) { return to > from ? 1 : to < from ? -1 : 0; }

void set_speeds(std::vector<Segment>& row) {
  for (size_t i = 0; i < row.size(); ++i) {
    double sum = i > 0 ? direction(row[i].value, row[i - 1].value) : 0;
    if (i + 1 < row.size()) sum += direction(row[i].value, row[i + 1].value);
    row[i].speed = sum / row[i].count();
  }
}

// The segments at gamma, from those at 0 (one for each key).
void fuse(std::vector<Segment>& row, double gamma) {
  for (double now = 0;;) {
    set_speeds(row);
    double soonest = INFINITY;
    size_t first = 0;  // of the two that meet
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      double gap = row[i + 1].value - row[i].value, closing = row[i].speed - row[i + 1].speed;
      double wait = gap == 0 ? 0 : closing == 0 ? INFINITY : std::max(gap / closing, 0.0);
      if (wait < soonest) soonest = wait, first = i;
    }
    if (!(now + soonest <= gamma)) break;
    now += soonest;
    for (Segment& s : row) s.value += s.speed * soonest;
    Segment &a = row[first], &b = row[first + 1];
    a.value = (a.value * a.count() + b.value * b.count()) / (a.count() + b.count());
    a.total += b.total, a.n += b.n;
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  }
  for (Segment& s : row) s.value = s.total / s.count() + gamma * s.speed;  // without the rounding of the steps
}

}  // namespace

Variable fused(const Variable& e, double gamma) {
  int64_t S = e.size(-1);
  Tensor scores = e.value().to(DType::f64).contiguous(), y = Tensor::empty(e.shape(), DType::f64);
  Tensor segment = Tensor::zeros(e.shape(), DType::i64), size = Tensor::ones(e.shape(), DType::f64);
  std::vector<Segment> row;
  for (int64_t r = 0, rows = S == 0 ? 0 : scores.count() / S; r < rows; ++r) {
    const double* from = scores.data<double>() + r * S;
    double top = *std::max_element(from, from + S);  // subtracted, so that sums of large scores keep their digits
    bool broken = std::any_of(from, from + S, [](double x) { return std::isnan(x) || x == INFINITY; });
    row.clear();
    for (int64_t s = 0; s < S && !broken; ++s)
      if (from[s] != -INFINITY) row.push_back({from[s] - top, from[s] - top, 1, 0});
    fuse(row, gamma);
    double* to = y.data<double>() + r * S;
    size_t i = 0;
    int64_t left = row.empty() ? 0 : row[0].n;
    for (int64_t s = 0; s < S; ++s) {
      to[s] = broken ? std::numeric_limits<double>::quiet_NaN() : -INFINITY;
      if (broken || from[s] == -INFINITY) continue;
      if (left == 0) left = row[++i].n;
      to[s] = row[i].value + top, --left;
      segment.data<int64_t>()[r * S + s] = static_cast<int64_t>(i), size.data<double>()[r * S + s] = row[i].count();
    }
  }
  Tensor outside = equal(e.value(), -INFINITY);
  return attach("fused", {e}, y.to(e.dtype()), [=, sizes = size.to(e.dtype())](Grads& g, const Variable& dy) {
    Variable sums = scatter_add(masked_fill(dy, outside, 0), segment, S);  // [.., T, S]: of the i-th segment at i
    g.add(0, masked_fill(gather(sums, segment) / Variable(sizes), outside, 0));
  });
}

Variable FusedmaxNormaliser::weights(const Variable& scores, StageContext&) const {
  Tensor top = amax(scores.value(), {-1}, /*keep=*/true);  // subtracted, so that large scores keep their digits
  return sparsemax(fused(scores - Variable(masked_fill(top, logical_not(isfinite(top)), 0)), gamma));
}

}  // namespace heed::nn
