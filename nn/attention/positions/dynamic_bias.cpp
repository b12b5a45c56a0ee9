#include "nn/attention/positions/dynamic_bias.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

DynamicBias::DynamicBias(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "dynamic_bias")),
      settings(options.settings.as<Settings>()),
      linear1({.in = 1, .out = settings.hidden}, rng),
      linear2({.in = settings.hidden, .out = settings.hidden}, rng),
      linear3({.in = settings.hidden, .out = o.heads}, rng) {
  require_heads("DynamicBias", o.heads);
}

Variable DynamicBias::bias(const Variable& q, const Places& places, double) const {
  Call call(*this);
  Tensor apart = distances(places).contiguous();  // s - t, [T, S] or [B, T, S]
  const int64_t n = apart.count(), B = apart.rank() == 3 ? apart.size(0) : 1;
  const int64_t* d = apart.data<int64_t>();
  const int64_t least = n ? *std::min_element(d, d + n) : 0, most = n ? *std::max_element(d, d + n) : 0;
  Tensor way = Tensor::empty({most - least + 1, 1}, DType::f64), row = Tensor::empty({n}, DType::i64);
  for (int64_t i = least; i <= most; ++i)
    way.data<double>()[i - least] = std::copysign(std::log1p(std::abs(static_cast<double>(i))), static_cast<double>(i));
  for (int64_t i = 0; i < n; ++i) row.data<int64_t>()[i] = d[i] - least;
  Variable table = linear3(relu(linear2(relu(linear1(Variable(way.to(q.dtype())))))));  // [distances, H]
  Variable each = reshape(index_select(table, 0, row), {B, places.queries, places.keys, options.heads});
  return call.result("bias", permute(each, {0, 3, 1, 2}));
}

}  // namespace heed::nn
