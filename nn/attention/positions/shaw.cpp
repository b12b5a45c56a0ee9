#include "nn/attention/positions/shaw.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// Multiplies x [B, H, T, N] by a different matrix for each query, matrices [T, N, M] -> [B, H, T, M]: T products of B H
// rows. If each sentence has its own positions, the matrices are [B, T, N, M]: B T products of H rows.
Variable by_query(const Variable& x, const Variable& matrices) {
  int64_t B = x.size(0), H = x.size(1), T = x.size(2), N = x.size(3), M = matrices.size(-1);
  if (matrices.rank() == 4) {
    Variable rows = reshape(permute(x, {0, 2, 1, 3}), {B * T, H, N});
    return permute(reshape(matmul(rows, reshape(matrices, {B * T, N, M})), {B, T, H, M}), {0, 2, 1, 3});
  }
  Variable rows = reshape(permute(x, {2, 0, 1, 3}), {T, B * H, N});
  return permute(reshape(matmul(rows, matrices), {T, B, H, M}), {1, 2, 0, 3});
}

}  // namespace

ShawPositions::ShawPositions(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "shaw")), settings(options.settings.as<Settings>()) {
  int64_t D = settings.max_distance;
  keys = xavier_parameter({2 * D + 1, o.key}, rng);
  if (options.name == "shaw") values = xavier_parameter({2 * D + 1, o.key}, rng);
}

Tensor ShawPositions::rows(const Places& places) const {
  int64_t D = settings.max_distance;
  Tensor out = distances(places);
  int64_t* row = out.data<int64_t>();
  for (int64_t i = 0; i < out.count(); ++i) row[i] = std::clamp(row[i], -D, D) + D;
  return out;
}

Variable ShawPositions::bias(const Variable& query, const Places& places, double scale) const {
  Call call(*this);
  Variable of_pairs = embedding(keys, rows(places));  // [T, S, K]
  return call.result("scores", by_query(query, transpose(of_pairs, -2, -1)) * scale);
}

Variable ShawPositions::read(const Variable& weights, const Places& places) const {
  if (!values.defined()) return {};
  Call call(*this);
  return call.result("context", by_query(weights, embedding(values, rows(places))));
}

}  // namespace heed::nn
