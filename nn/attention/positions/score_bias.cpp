#include "nn/attention/positions/score_bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

void require_heads(const char* who, int64_t heads) {
  if (heads < 1) throw ValueError(fmt::format("{}: needs at least one head; got {}", who, heads));
}

}  // namespace

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

AlibiBias::AlibiBias(const Options& o, Generator&) : options(o) { require_heads("AlibiBias", o.heads); }

Variable AlibiBias::operator()(int64_t T, int64_t S, int64_t first, DType dtype) const {
  Call call(*this);
  std::vector<double> slopes = alibi_slopes(options.heads);
  Tensor bias = Tensor::empty({1, options.heads, T, S}, dtype);
  dispatch_float(dtype, "AlibiBias", [&](auto zero) {
    using F = decltype(zero);
    F* b = bias.data<F>();
    for (double slope : slopes)
      for (int64_t t = 0; t < T; ++t)
        for (int64_t s = 0; s < S; ++s) *b++ = static_cast<F>(-slope * static_cast<double>(std::abs(s - (first + t))));
  });
  return call.result("bias", Variable(bias));
}

int64_t t5_bucket(int64_t distance, const T5BucketOptions& o) {
  int64_t count = o.bidirectional ? o.buckets / 2 : o.buckets, base = o.bidirectional && distance > 0 ? count : 0;
  int64_t far = o.bidirectional ? std::abs(distance) : std::max<int64_t>(-distance, 0), each = count / 2;
  if (far < each) return base + far;
  double share = std::log(static_cast<double>(far) / static_cast<double>(each)) /
                 std::log(static_cast<double>(o.max_distance) / static_cast<double>(each));
  // Cut off, not rounded; a border that is a power stays on its side whatever the logarithm's last digit.
  auto steps = static_cast<int64_t>(share * static_cast<double>(count - each) + 1e-9);
  return base + std::min(each + steps, count - 1);
}

T5Bias::T5Bias(const Options& o, Generator& rng) : options(o) {
  require_heads("T5Bias", o.heads);
  int64_t count = o.buckets.bidirectional ? o.buckets.buckets / 2 : o.buckets.buckets;
  if (count < 2 || o.buckets.max_distance <= count / 2)
    throw ValueError(
        fmt::format("T5Bias: needs at least two buckets a direction, and a distance beyond those of one; got {} and {}",
                    o.buckets.buckets, o.buckets.max_distance));
  weight = normal_parameter({o.buckets.buckets, o.heads}, 0.02, rng);
}

Variable T5Bias::operator()(int64_t T, int64_t S, int64_t first) const {
  Call call(*this);
  Tensor rows = Tensor::empty({T, S}, DType::i64);
  int64_t* row = rows.data<int64_t>();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < S; ++s) *row++ = t5_bucket(s - (first + t), options.buckets);
  return call.result("bias", unsqueeze(permute(embedding(weight, rows), {2, 0, 1}), 0));
}

}  // namespace heed::nn
