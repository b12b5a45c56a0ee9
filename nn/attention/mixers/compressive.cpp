#include "nn/attention/mixers/compressive.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// For T queries: which words are read as they are, and which groups as means. bool [T, T + groups]
Tensor sight(int64_t T, int64_t window, int64_t rate, bool causal) {
  const int64_t groups = (T + rate - 1) / rate;
  Tensor seen = Tensor::zeros({T, T + groups}, DType::boolean);
  bool* row = seen.data<bool>();
  for (int64_t t = 0; t < T; ++t, row += T + groups) {
    auto far = [&](int64_t group) {
      return group * rate + rate - 1 <= t - window || (!causal && group * rate >= t + window);
    };
    for (int64_t s = 0; s < (causal ? t + 1 : T); ++s) row[s] = !far(s / rate);
    for (int64_t j = 0; j < groups; ++j) row[T + j] = far(j);
  }
  return seen;
}

// Rows of c entries, [B, T, D] -> [B, groups, c, D]
Variable grouped(const Variable& x, int64_t rate, int64_t groups) {
  Variable whole = pad(x, {{.axis = 1, .after = groups * rate - x.size(1)}});
  return reshape(whole, {x.size(0), groups, rate, x.size(2)});
}

}  // namespace

CompressiveMixer::CompressiveMixer(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "compressive", rng), settings(options.settings.as<Settings>()) {}

Attended CompressiveMixer::read(const OwnHeads& h) const {
  const auto [window, rate] = settings;
  const int64_t T = h.x.size(1), D = h.x.size(2), groups = (T + rate - 1) / rate;
  Tensor ones = h.words.defined() ? h.words.to(h.x.dtype()).unsqueeze(-1) : Tensor::ones({1, T, 1}, h.x.dtype());
  Variable count = sum(grouped(Variable(ones), rate, groups), {2});  // [B, groups, 1]
  Variable means = sum(grouped(h.x, rate, groups), {2}) / clamp(count, 1, static_cast<double>(rate));
  Variable keys = linear(means, slice(in_proj_weight, 0, D, 2 * D), slice(in_proj_bias, 0, D, 2 * D));
  Variable values = linear(means, slice(in_proj_weight, 0, 2 * D, 3 * D), slice(in_proj_bias, 0, 2 * D, 3 * D));
  OwnHeads all = h;
  all.k = concat({h.k, split_heads(keys, options.heads)}, 2);
  all.v = concat({h.v, split_heads(values, options.heads)}, 2);
  all.allowed = sight(T, window, rate, options.causal);
  if (h.words.defined()) {
    Tensor there = greater(count.value(), 0).squeeze(-1);  // groups of padding alone are not read
    Tensor both = concat({h.words, there}, 1);
    all.allowed = logical_and(all.allowed, both.unsqueeze(1).unsqueeze(1));
  }
  Attended read = attend(all.scores(), all.v, all.allowed);
  return {read.context, slice(read.weights, -1, 0, T)};
}

}  // namespace heed::nn
