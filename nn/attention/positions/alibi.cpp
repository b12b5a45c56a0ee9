#include "nn/attention/positions/alibi.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::vector<double> alibi_slopes(int64_t heads) {
  require_heads("AlibiBias", heads);
  int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  auto slope = [](int64_t of, int64_t number) {
    return std::exp2(-8 * static_cast<double>(number) / static_cast<double>(of));
  };
  std::vector<double> slopes;
  for (int64_t h = 1; h <= power; ++h) slopes.push_back(slope(power, h));
  for (int64_t h = 1; power + (h + 1) / 2 <= heads; h += 2) slopes.push_back(slope(2 * power, h));
  return slopes;
}

AlibiBias::AlibiBias(const Options& o, Generator&) : options(completed_stage(Kind::position, o, "alibi")) {
  require_heads("AlibiBias", o.heads);
}

Variable AlibiBias::operator()(const Places& places, DType dtype) const {
  Call call(*this);
  Tensor away = distances(places);  // [T, S] or [B, T, S]
  int64_t T = places.queries, S = places.keys, B = away.rank() == 3 ? away.size(0) : 1;
  std::vector<double> slopes = alibi_slopes(options.heads);
  Tensor bias = Tensor::empty({B, options.heads, T, S}, dtype);
  dispatch_float(dtype, "AlibiBias", [&](auto zero) {
    using F = decltype(zero);
    F* to = bias.data<F>();
    for (int64_t b = 0; b < B; ++b)
      for (double slope : slopes)
        for (int64_t i = 0; i < T * S; ++i)
          *to++ = static_cast<F>(-slope * static_cast<double>(std::abs(away.data<int64_t>()[b * T * S + i])));
  });
  return call.result("bias", Variable(bias));
}

}  // namespace heed::nn
