#include "nn/attention/mixers/clustered.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/registry.h"
#include "tensor/range.h"

namespace heed::nn {
namespace {

// The mean of the rows of each cluster; 0 for an empty one. members [B, H, T, C], rows [B, H, T, K] -> [B, H, C, K]
Variable means(const Tensor& members, const Variable& rows) {
  Tensor count = maximum(sum(members, {2}), Tensor::ones({1}, members.dtype())).unsqueeze(-1);
  return matmul(Variable(members.transpose(2, 3).contiguous()), rows) / Variable(count);
}

}  // namespace

ClusteredMixer::ClusteredMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "clustered")),
      settings(options.settings.as<Settings>()),
      projections(options, rng) {
  require_not_causal(options, "the mean of a cluster reads queries of later words");
}

Tensor ClusteredMixer::members(const Tensor& queries, const Tensor& words) const {
  Tensor q = queries;  // divided by a unit (tensor/range.h) where squares leave the range of the type
  Tensor squares = sum(square(q), {2, 3}, /*keep=*/true);
  Tensor units = unit_of(largest_out_of_range(q, squares, {2, 3}, least_sum(q.dtype(), q.size(2) * q.size(3))));
  if (units.defined()) q = div(q, units);
  const int64_t T = q.size(2), C = std::min(settings.clusters, T);
  Tensor word = words.unsqueeze(1).unsqueeze(-1);  // [B, 1, T, 1]
  // The first C words; where there are fewer, a centre from padding takes nobody.
  Tensor first = argsort(neg(words), -1).slice(1, 0, C);  // [B, C]
  Tensor used = gather(words, 1, first.contiguous()).unsqueeze(1).unsqueeze(1);
  Tensor centres =
      gather(q, 2, first.unsqueeze(1).unsqueeze(-1).expand({q.size(0), q.size(1), C, q.size(3)}).contiguous());
  Tensor members;
  for (int64_t i = 0; i < settings.iterations; ++i) {
    Tensor size = sum(square(centres), {-1}).unsqueeze(2);
    Tensor far = sub(size, mul(matmul(q.contiguous(), centres.transpose(2, 3).contiguous()), 2));  // but for |q|^2
    far = masked_fill(far, equal(used, 0), HUGE_VAL);
    members = mul(one_hot(argmin(far, -1), C, q.dtype()), word);
    Tensor mean = means(members, Variable(q)).value();
    centres = where(greater(sum(members, {2}), 0).unsqueeze(-1), mean, centres);  // an empty cluster stays
  }
  return members;
}

Mixed ClusteredMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const FourProjections& p = projections;
  Variable q = p.by_heads(words_only(p.q_proj(x), in.words));
  Tensor in_cluster = members(q.value(), word_factors(x, in.words));
  Tensor allowed = allowed_words(options, in.words, x.size(1));
  Attended read = attend(scaled_scores(means(in_cluster, q), p.keys(x)), p.values(x), allowed);
  Variable own(in_cluster);  // each query takes what its cluster read
  return {call.result("output", p.output(matmul(own, read.context))),
          in.weights ? matmul(own, read.weights) : Variable()};
}

}  // namespace heed::nn
