#include "nn/pooling/poolers.h"

#include "autograd/ops.h"
#include "nn/pool.h"

namespace heed::nn {
namespace {

// [B, R, D] -> [B, R D]
Variable in_one_row(const Variable& x) { return reshape(x, {x.size(0), x.size(1) * x.size(2)}); }

ScoreOptions sized(ScoreOptions score, int64_t width) {
  score.key = width;
  if (score.query == 0) score.query = width;
  return score;
}

}  // namespace

FixedPooler::FixedPooler(const PoolerOptions& o, Generator&) : options(o) {}

Variable FixedPooler::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  return call.result("output", pool(options.name, x, words));
}

AttentionPooler::AttentionPooler(const PoolerOptions& o, Generator& rng)
    : pooling({.score = sized(o.score, o.width)}, rng), width_(o.width) {}

Variable AttentionPooler::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  return call.result("output", squeeze(pooling(x, x, words).context, 1));
}

StructuredPooler::StructuredPooler(const PoolerOptions& o, Generator& rng)
    : embedding({.input = o.width,
                 .hidden = o.settings.as<Settings>().hidden,
                 .rows = o.settings.as<Settings>().rows,
                 .penalty = o.settings.as<Settings>().penalty},
                rng) {}

Variable StructuredPooler::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  return call.result("output", in_one_row(embedding(x, words).context));
}

MultiHeadPooler::MultiHeadPooler(const PoolerOptions& o, Generator& rng)
    : pooling({.model = o.width, .heads = o.settings.as<Settings>().heads, .seeds = o.settings.as<Settings>().seeds},
              rng) {}

Variable MultiHeadPooler::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  return call.result("output", in_one_row(pooling(x, words).context));
}

}  // namespace heed::nn
