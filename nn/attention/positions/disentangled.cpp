#include "nn/attention/positions/disentangled.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

const double kTerms = std::sqrt(3.0);

// x [B, H, N, K] times the rows of a table [H, 2 D, K] at `rows` [N, M], or [B, N, M] -> [B, H, N, M]
Variable at_distances(const Variable& x, const Variable& table, const Tensor& rows) {
  Variable products = matmul(x, transpose(table, 1, 2));  // [B, H, N, 2 D]
  Tensor index = rows.rank() == 2 ? rows.unsqueeze(0) : rows;
  index = index.unsqueeze(1).expand({x.size(0), x.size(1), index.size(-2), index.size(-1)});
  return gather(products, index.contiguous());
}

// d(t, s), or with `from_key` d(s, t): [T, S], or [B, T, S]
Tensor table_rows(const Places& places, int64_t D, bool from_key) {
  Tensor out = distances(places);  // place of the key minus place of the query
  int64_t* row = out.data<int64_t>();
  for (int64_t i = 0; i < out.count(); ++i)
    row[i] = std::clamp<int64_t>((from_key ? row[i] : -row[i]) + D, 0, 2 * D - 1);
  return out;
}

}  // namespace

DisentangledPositions::DisentangledPositions(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "disentangled")), settings(options.settings.as<Settings>()) {
  Shape shape{o.heads, 2 * settings.max_distance, o.key};
  of_query = normal_parameter(shape, 0.1, rng);
  of_key = normal_parameter(shape, 0.1, rng);
}

Variable DisentangledPositions::turn_query(const Variable& q, const Places&) const { return q / kTerms; }

Variable DisentangledPositions::bias(const Variable& turned, const Places& places, double scale) const {
  Call call(*this);
  Tensor rows = table_rows(places, settings.max_distance, false);
  return call.result("scores", at_distances(turned, of_query, rows) * scale);
}

Variable DisentangledPositions::bias_of_keys(const Variable& keys, const Places& places, double scale) const {
  Call call(*this);
  Tensor rows = table_rows(places, settings.max_distance, true).transpose(-2, -1);  // [S, T]
  return call.result("key_scores", transpose(at_distances(keys, of_key, rows), 2, 3) * (scale / kTerms));
}

}  // namespace heed::nn
