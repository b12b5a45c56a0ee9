#include "nn/attention/positions/t5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

int64_t t5_bucket(int64_t distance, const T5BucketOptions& o) {
  int64_t count = o.bidirectional ? o.buckets / 2 : o.buckets, base = o.bidirectional && distance > 0 ? count : 0;
  int64_t far = o.bidirectional ? std::abs(distance) : std::max<int64_t>(-distance, 0), each = count / 2;
  if (far < each) return base + far;
  double share = std::log(static_cast<double>(far) / static_cast<double>(each)) /
                 std::log(static_cast<double>(o.max_distance) / static_cast<double>(each));
  // Truncated, not rounded. The 1e-9 keeps a distance that lies exactly on a border in the upper bucket, even if the
  // logarithm is rounded down.
  auto steps = static_cast<int64_t>(share * static_cast<double>(count - each) + 1e-9);
  return base + std::min(each + steps, count - 1);
}

T5BucketOptions T5Bias::buckets() const {
  return {.buckets = settings.buckets, .max_distance = settings.max_distance, .bidirectional = !options.causal};
}

T5Bias::T5Bias(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "t5")), settings(options.settings.as<Settings>()) {
  require_heads("T5Bias", o.heads);
  T5BucketOptions b = buckets();
  int64_t count = b.bidirectional ? b.buckets / 2 : b.buckets;
  if (count < 2 || b.max_distance <= count / 2)
    throw ValueError(
        fmt::format("T5Bias: needs at least two buckets a direction, and a distance beyond those of one; got {} and {}",
                    b.buckets, b.max_distance));
  weight = normal_parameter({b.buckets, o.heads}, 0.02, rng);
}

Variable T5Bias::operator()(const Places& places) const {
  Call call(*this);
  Tensor rows = distances(places);  // [T, S] or [B, T, S]
  T5BucketOptions b = buckets();
  int64_t* row = rows.data<int64_t>();
  for (int64_t i = 0; i < rows.count(); ++i) row[i] = t5_bucket(row[i], b);
  Variable bias = embedding(weight, rows);  // [.., T, S, H]
  bias = bias.rank() == 4 ? permute(bias, {0, 3, 1, 2}) : unsqueeze(permute(bias, {2, 0, 1}), 0);
  return call.result("bias", bias);
}

}  // namespace heed::nn
