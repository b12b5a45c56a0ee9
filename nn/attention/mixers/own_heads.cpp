#include "nn/attention/mixers/own_heads.h"

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

Variable OwnHeads::scores() const { return scaled_scores(q, k); }

OwnHeadsMixer::OwnHeadsMixer(const MixerOptions& o, const char* name, Generator& rng)
    : options(completed_stage(Kind::mixer, o, name)),
      in_proj_weight(xavier_parameter({3 * o.query, o.query}, rng)),
      in_proj_bias(zeros_parameter({3 * o.query})),
      out_proj({.in = o.query, .out = o.query}, rng) {
  head_width(options);
}

OwnHeads OwnHeadsMixer::heads_of(const Variable& given, const Tensor& words) const {
  Variable x = words_only(given, words);
  std::vector<Variable> qkv = chunk(linear(x, in_proj_weight, in_proj_bias), 3, -1);
  const int64_t H = options.heads;
  OwnHeads h{x, split_heads(qkv[0], H), split_heads(qkv[1], H), split_heads(qkv[2], H), words};
  h.allowed = allowed_words(options, words, x.size(1));
  return h;
}

Mixed OwnHeadsMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Attended a = read(heads_of(x, in.words));
  Mixed mixed{call.result("output", out_proj(join_heads(a.context)))};
  if (in.weights) mixed.weights = a.weights;
  return mixed;
}

}  // namespace heed::nn
