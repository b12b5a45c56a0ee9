#include "nn/attention/grids/neighbourhood.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"

namespace heed::nn {

std::vector<std::vector<int64_t>> axis_neighbours(int64_t length, const AxisNeighbours& how) {
  std::vector<std::vector<int64_t>> all;
  for (int64_t i = 0; i < length; ++i) {
    // Among the places with the remainder of i, which are place m of L.
    const int64_t d = how.dilation, m = i / d, L = (length - i % d + d - 1) / d, k = std::min(how.window, L);
    const int64_t first = how.causal ? std::max<int64_t>(m - how.window + 1, 0)
                                     : std::min(std::max<int64_t>(m - how.window / 2, 0), L - k);
    const int64_t end = how.causal ? m + 1 : first + k;
    std::vector<int64_t> near;
    for (int64_t n = first; n < end; ++n) near.push_back(i % d + n * d);
    all.push_back(near);
  }
  return all;
}

Variable Neighbourhood::picture(const Variable& x) const {
  const int64_t R = x.size(1), C = x.size(2);
  auto rows = axis_neighbours(R, {settings.window, settings.dilation, settings.causal_rows});
  auto columns = axis_neighbours(C, {settings.window, settings.dilation, settings.causal_columns});
  size_t most = 0;
  for (const auto& down : rows)
    for (const auto& right : columns) most = std::max(most, down.size() * right.size());
  std::vector<int64_t> near;
  std::vector<int> there;
  bool fewer = false;
  for (const auto& down : rows)
    for (const auto& right : columns) {
      for (int64_t r : down)
        for (int64_t c : right) near.push_back(r * C + c), there.push_back(1);
      for (size_t n = down.size() * right.size(); n < most; ++n) near.push_back(0), there.push_back(0), fewer = true;
    }
  const Shape shape{R * C, static_cast<int64_t>(most)};
  const Tensor index = Tensor::from(near, shape);  // [T, n]

  const GridHeads::Read read = heads(x);
  Variable q = unsqueeze(read.q * GridHeads::scale(read), 3);  // [B, H, T, 1, K]
  Variable e = matmul(q, transpose(index_select(read.k, 2, index), -2, -1));
  if (fewer) e = masked_fill(e, logical_not(Tensor::from_bools(there, shape)).unsqueeze(1), -HUGE_VAL);
  return heads.output(squeeze(matmul(softmax(e), index_select(read.v, 2, index)), 3), x);
}

}  // namespace heed::nn
