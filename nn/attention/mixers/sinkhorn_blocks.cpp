#include "nn/attention/mixers/sinkhorn_blocks.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

// log p with each line along the axis divided by its sum; lines of nothing stay.
Variable divided(const Variable& log_p, int64_t axis) {
  Variable total = logsumexp(log_p, {axis}, true);
  return log_p - masked_fill(total, equal(total.value(), -HUGE_VAL), 0);
}

}  // namespace

SinkhornBlocksMixer::SinkhornBlocksMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "sinkhorn_blocks")),
      settings(options.settings.as<Settings>()),
      projections(options, rng),
      sorting({.in = o.query, .out = (settings.max_source + settings.block - 1) / settings.block}, rng) {
  require_not_causal(options, "it sorts blocks by what all their words are");
}

Variable SinkhornBlocksMixer::permutation(const Variable& x, const Tensor& words) const {
  const int64_t T = x.size(1), D = x.size(2), l = settings.block;
  Variable blocks = blocks_of(words_only(x, words), l);  // [B, J, l D]
  const int64_t B = x.size(0), J = blocks.size(1);
  Variable described = sum(reshape(blocks, {B, J, l, D}), {2});
  Variable log_p = transpose(slice(sorting(described), -1, 0, J), 1, 2);  // [B, place i, block j]
  Tensor block = allowed_blocks(options, words, T, l);                    // [B, 1, 1, J]
  if (block.defined()) {
    Tensor column = block.squeeze(1), row = column.transpose(1, 2);
    log_p = masked_fill(log_p, logical_not(logical_and(row, column)), -HUGE_VAL);
  }
  for (int64_t i = 0; i < settings.iterations; ++i) log_p = divided(divided(log_p, -1), -2);
  return exp(log_p);
}

Mixed SinkhornBlocksMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), D = x.size(2), H = options.heads, l = settings.block;
  require_source(options, settings.max_source, T);
  const FourProjections& p = projections;
  Variable P = permutation(x, in.words);
  const int64_t J = P.size(1);
  auto by_blocks = [&](const Variable& y) {  // [B, T, D] -> [B J, H, l, K]
    return split_heads(reshape(blocks_of(y, l), {B * J, l, D}), H);
  };
  auto with_sorted = [&](const Variable& y) {  // -> [B J, H, 2 l, K]
    Variable blocks = blocks_of(words_only(y, in.words), l);
    return split_heads(reshape(concat({blocks, matmul(P, blocks)}, -1), {B * J, 2 * l, D}), H);
  };
  // Which of the own words are words; and of the sorted block every place to which some block brings one.
  Variable there(word_factors(x, in.words));
  Variable own = blocks_of(unsqueeze(there, -1), l);  // [B, J, l]
  Tensor allowed = greater(concat({own, matmul(P, own)}, -1).value(), 0).reshape({B * J, 1, 1, 2 * l});
  Variable context =
      attend(scaled_scores(by_blocks(p.q_proj(x)), with_sorted(p.k_proj(x))), with_sorted(p.v_proj(x)), allowed)
          .context;
  Variable joined = slice(reshape(join_heads(context), {B, J * l, D}), 1, 0, T);
  return {call.result("output", p.out_proj(joined))};
}

}  // namespace heed::nn
