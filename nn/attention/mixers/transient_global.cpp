#include "nn/attention/mixers/transient_global.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// Of each sentence in blocks of l words; J = floor(T / l).
struct BlocksOfSentences {
  Tensor member;    // [B, J, T] of 0 and 1: is the word in the block?
  Tensor block_of;  // i64 [B, T]: the block of a word
  Tensor allowed;   // bool [B, 1, T, T + J]: words within r, and blocks with a word
};

BlocksOfSentences blocks_of_sentences(const Variable& x, const Tensor& words, int64_t l, int64_t r) {
  const int64_t B = x.size(0), T = x.size(1), J = T / l;
  const Tensor given = words.defined() ? words.contiguous() : Tensor::full({B, T}, 1, DType::boolean);
  BlocksOfSentences out{Tensor::zeros({B, J, T}, x.dtype()), Tensor::zeros({B, T}, DType::i64),
                        Tensor::zeros({B, 1, T, T + J}, DType::boolean)};
  for (int64_t b = 0; b < B; ++b) {
    const bool* word = given.data<bool>() + b * T;
    int64_t n = T;  // up to the last word
    while (n > 0 && !word[n - 1]) --n;
    std::vector<bool> filled(static_cast<size_t>(J));
    for (int64_t s = 0; s < T; ++s) {
      const int64_t j = std::min(s / l, n / l - 1);  // -1: the sentence has no block
      out.block_of.set({b, s}, static_cast<double>(std::max<int64_t>(j, 0)));
      if (j < 0 || !word[s]) continue;
      out.member.set({b, j, s}, 1), filled[static_cast<size_t>(j)] = true;
    }
    bool* row = out.allowed.data<bool>() + b * T * (T + J);
    for (int64_t t = 0; t < T; ++t, row += T + J) {
      for (int64_t s = 0; s < T; ++s) row[s] = word[s] && std::abs(s - t) <= r;
      for (int64_t j = 0; j < J; ++j) row[T + j] = filled[static_cast<size_t>(j)];
    }
  }
  return out;
}

Linear t5_projection(int64_t D, double std, Generator& rng) {
  Linear layer({.in = D, .out = D, .bias = false}, rng);
  layer.weight = normal_parameter({D, D}, std, rng);
  return layer;
}

HeadPositionOptions t5_table_of(const MixerOptions& o) {
  const auto s = o.settings.as<TransientGlobalMixer::Settings>();
  return chosen<T5Bias>({.max_distance = s.max_distance, .buckets = s.buckets}, {.heads = o.heads});
}

}  // namespace

TransientGlobalMixer::TransientGlobalMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "transient_global")),
      settings(options.settings.as<Settings>()),
      q_proj(t5_projection(o.query, 1 / std::sqrt(static_cast<double>(o.query * head_width(options))), rng)),
      k_proj(t5_projection(o.query, 1 / std::sqrt(static_cast<double>(o.query)), rng)),
      v_proj(t5_projection(o.query, 1 / std::sqrt(static_cast<double>(o.query)), rng)),
      out_proj(t5_projection(o.query, 1 / std::sqrt(static_cast<double>(o.query)), rng)),
      norm({.shape = {o.query}, .eps = 1e-6}, rng),
      local_bias(t5_table_of(options), rng),
      global_bias(t5_table_of(options), rng) {
  require_not_causal(options, "the summary of a block reads all of its words");
  for (Variable* table : {&local_bias.weight, &global_bias.weight})
    *table = normal_parameter(table->shape(), 1 / std::sqrt(static_cast<double>(o.query)), rng);
}

Mixed TransientGlobalMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), J = T / settings.block, H = options.heads;
  const BlocksOfSentences blocks = blocks_of_sentences(x, in.words, settings.block, settings.radius);
  auto heads = [&](const Linear& layer, const Variable& y) { return split_heads(layer(y), H); };
  Variable q = heads(q_proj, x), k = heads(k_proj, x), v = heads(v_proj, x);  // [B, H, T, K]
  Variable scores = matmul(q, transpose(k, -2, -1)) + local_bias({.queries = T, .keys = T});
  if (J > 0) {
    Variable summaries = norm(matmul(Variable(blocks.member), x));  // [B, J, D]
    const Tensor numbers = Tensor::arange(J, DType::i64).unsqueeze(0).expand({B, J}).contiguous();
    Variable far = global_bias({.queries = T, .keys = J, .query_at = blocks.block_of, .key_at = numbers});
    scores = concat({scores, matmul(q, transpose(heads(k_proj, summaries), -2, -1)) + far}, -1);
    v = concat({v, heads(v_proj, summaries)}, 2);
  }
  Attended read = attend(scores, v, blocks.allowed);
  return {call.result("output", out_proj(join_heads(read.context))),
          in.weights ? slice(read.weights, -1, 0, T) : Variable()};
}

}  // namespace heed::nn
