#include "nn/zoo/qk_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// g of each head
std::vector<double> factors_of(const Tensor& largest, int64_t heads, double limit) {
  if (!(limit > 0)) throw ValueError(fmt::format("qk_clip: the limit must be positive; got {}", limit));
  if (largest.shape() != Shape{heads})
    throw ShapeError(
        fmt::format("qk_clip: needs the largest score of each of {} heads; got {}", heads, to_string(largest.shape())));
  std::vector<double> g;
  for (int64_t h = 0; h < heads; ++h) g.push_back(std::min(1.0, limit / std::max(largest.at({h}), limit)));
  return g;
}

// Rows [begin, end) of a matrix or a vector, times g; g = 1 changes no bit.
void scale_rows(Variable& parameter, int64_t begin, int64_t end, double g) {
  if (!parameter.defined() || g == 1) return;
  Tensor all = parameter.value().clone(), rows = all.slice(0, begin, end);
  copy_into(rows, mul(rows, g));
  parameter.set_value(all);
}

}  // namespace

Tensor largest_scores(const Tensor& scores) { return amax(scores.to(DType::f64), {0, 2, 3}); }

void qk_clip(MultiHeadAttention& m, const Tensor& largest, double limit) {
  const int64_t H = m.options.heads, G = m.options.kv_heads, D = m.options.model, K = D / H, R = H / G;
  const std::vector<double> g = factors_of(largest, H, limit);
  const bool joined = m.in_proj_weight.defined();
  for (int64_t group = 0; group < G; ++group) {
    // Keys of another layer stay as they are, and the queries take the whole factor.
    const double least =
        m.options.shared_keys ? 1.0 : *std::min_element(g.begin() + group * R, g.begin() + (group + 1) * R);
    const int64_t row = group * K;
    scale_rows(joined ? m.in_proj_weight : m.k_proj_weight, (joined ? D : 0) + row, (joined ? D : 0) + row + K,
               std::sqrt(least));
    if (!m.options.shared_keys) scale_rows(m.in_proj_bias, D + row, D + row + K, std::sqrt(least));
    for (int64_t h = group * R; h < (group + 1) * R; ++h) {
      const double of_query = g[static_cast<size_t>(h)] / std::sqrt(least);
      scale_rows(joined ? m.in_proj_weight : m.q_proj_weight, h * K, (h + 1) * K, of_query);
      scale_rows(m.in_proj_bias, h * K, (h + 1) * K, of_query);
    }
  }
}

void qk_clip(LatentHeads& m, const Tensor& largest, double limit) {
  const int64_t H = m.options.heads, K = m.options.query / H, R = m.rope;
  const std::vector<double> g = factors_of(largest, H, limit);
  for (int64_t h = 0; h < H; ++h) {
    const double of_head = g[static_cast<size_t>(h)];
    if (of_head == 1) continue;
    Tensor up = m.up_keys.value().clone(), columns = up.slice(1, h * K, (h + 1) * K);  // [r, H K]
    copy_into(columns, mul(columns, std::sqrt(of_head)));
    m.up_keys.set_value(up);
    const int64_t first = h * (K + R);
    scale_rows(m.q_up.weight, first, first + K, std::sqrt(of_head));
    scale_rows(m.q_up.weight, first + K, first + K + R, of_head);
  }
}

}  // namespace heed::nn
