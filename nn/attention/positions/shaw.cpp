#include "nn/attention/positions/shaw.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// x [B, H, T, N] times a matrix of its own for each query, [T, N, M] -> [B, H, T, M]: T products of B H rows.
Variable by_query(const Variable& x, const Variable& matrices) {
  int64_t B = x.size(0), H = x.size(1), T = x.size(2), N = x.size(3), M = matrices.size(2);
  Variable rows = reshape(permute(x, {2, 0, 1, 3}), {T, B * H, N});
  return permute(reshape(matmul(rows, matrices), {T, B, H, M}), {1, 2, 0, 3});
}

}  // namespace

ShawPositions::ShawPositions(const Options& o, Generator& rng) : options(o) {
  if (o.max_distance < 0)
    throw ValueError(fmt::format("{}: the largest distance must not be negative; got {}", o.name, o.max_distance));
  keys = xavier_parameter({2 * o.max_distance + 1, o.width}, rng);
  if (o.name == "shaw") values = xavier_parameter({2 * o.max_distance + 1, o.width}, rng);
}

Tensor ShawPositions::distances(int64_t T, int64_t S, int64_t first) const {
  int64_t D = options.max_distance;
  Tensor rows = Tensor::empty({T, S}, DType::i64);
  int64_t* row = rows.data<int64_t>();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) *row++ = std::clamp(s - (first + t), -D, D) + D;
  return rows;
}

Variable ShawPositions::score(const Variable& query, int64_t S, int64_t first) const {
  Call call(*this);
  Variable of_pairs = embedding(keys, distances(query.size(2), S, first));  // [T, S, K]
  return call.result("scores", by_query(query, transpose(of_pairs, 1, 2)));
}

Variable ShawPositions::read(const Variable& weights, int64_t first) const {
  if (!values.defined()) return {};
  Call call(*this);
  return call.result("context",
                     by_query(weights, embedding(values, distances(weights.size(2), weights.size(3), first))));
}

}  // namespace heed::nn
