#include "nn/attention/mixers/routing.h"

#include <utility>

#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"

namespace heed::nn {
namespace {
constexpr double kKept = 0.999;  // lambda, the paper's
}

RoutingMixer::RoutingMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "routing")),
      q_proj({.in = options.heads * head_width(options), .out = o.query}, rng),
      v_proj({.in = o.query, .out = o.query}, rng),
      out_proj({.in = o.query, .out = o.query}, rng),
      centroids(init::normal({o.heads, options.settings.as<Settings>().clusters, o.query / o.heads}, rng)) {}

Tensor RoutingMixer::clusters(const Variable& routed) const {
  Tensor mu = centroids.to(routed.dtype()).transpose(1, 2);  // [H, K, k]
  return argmax(matmul(routed.value().contiguous(), mu.contiguous()), -1);
}

Mixed RoutingMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const bool learns = trains() && !recomputing();
  if (learns && next.defined()) centroids = std::exchange(next, {});
  Variable routed = layer_norm(split_heads(q_proj(x), options.heads));  // [B, H, T, K]
  Tensor cluster = clusters(routed);
  Tensor allowed = both(equal(cluster.unsqueeze(3), cluster.unsqueeze(2)), allowed_words(options, in.words, x.size(1)));
  Attended read = attend(scaled_scores(routed, routed), split_heads(v_proj(x), options.heads), allowed);
  if (learns) learn(routed.value(), cluster, word_factors(x, in.words));
  return {call.result("output", out_proj(join_heads(read.context))), in.weights ? read.weights : Variable()};
}

void RoutingMixer::learn(const Tensor& routed, const Tensor& cluster, const Tensor& words) const {
  Tensor members = mul(one_hot(cluster, centroids.size(1), routed.dtype()), words.unsqueeze(1).unsqueeze(-1));
  Tensor total = sum(matmul(members.transpose(2, 3).contiguous(), routed.contiguous()), {0});  // [H, k, K]
  Tensor count = sum(members, {0, 2}).unsqueeze(-1);                                           // [H, k, 1]
  Tensor mean = div(total, maximum(count, Tensor::ones({1}, count.dtype()))).to(centroids.dtype());
  Tensor moved = add(mul(centroids, kKept), mul(mean, 1 - kKept));
  next = where(greater(count, 0), moved, centroids);
}

}  // namespace heed::nn
