#include "nn/attention/mixers/landmark.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "nn/observe.h"

namespace heed::nn {

LandmarkMixer::LandmarkMixer(const MixerOptions& o, Generator& rng)
    : OwnHeadsMixer(o, "landmark", rng),
      settings(options.settings.as<Settings>()),
      landmark(normal_parameter({o.query}, 0.02, rng)) {}

Variable LandmarkMixer::by_block(const Variable& scores, const Tensor& words) const {
  const int64_t C = settings.block, T = scores.size(3), J = (T + C - 1) / C;
  Variable e = words.defined() ? masked_fill(scores, logical_not(words).unsqueeze(1).unsqueeze(1), -INFINITY) : scores;
  Variable whole = pad(e, {{.axis = 3, .after = J * C - T}}, -INFINITY);
  return reshape(whole, {e.size(0), e.size(1), e.size(2), J, C});
}

Variable LandmarkMixer::keys_of_landmarks(const OwnHeads& h) const {
  const int64_t B = h.k.size(0), H = options.heads, T = h.k.size(2), K = h.k.size(3), D = options.query;
  const int64_t C = settings.block, J = (T + C - 1) / C;
  auto projected = [&](const Variable& x, int64_t part) {
    return split_heads(
        linear(x, slice(in_proj_weight, 0, part * D, (part + 1) * D), slice(in_proj_bias, 0, part * D, (part + 1) * D)),
        H);
  };
  Variable l = expand(reshape(landmark, {1, 1, D}), {B, 1, D});
  if (!settings.reads) return expand(projected(l, 1), {B, H, J, K});
  Variable weights = softmax(by_block(scaled_scores(projected(l, 0), h.k), h.words));  // [B, H, 1, J, C]
  Variable values = reshape(pad(h.v, {{.axis = 2, .after = J * C - T}}), {B, H, J, C, K});
  Variable seen = squeeze(matmul(transpose(weights, 2, 3), values), 3);  // [B, H, J, K]
  return projected(l + out_proj(join_heads(seen)), 1);
}

Attended LandmarkMixer::read(const OwnHeads& h) const {
  const int64_t B = h.k.size(0), H = options.heads, T = h.k.size(2), C = settings.block, J = (T + C - 1) / C;
  Variable e = h.scores(), within = softmax(by_block(e, h.words));  // [B, H, T, T], [B, H, T, J, C]
  Tensor own = Tensor::zeros({T, T}, DType::boolean), others = Tensor::zeros({T, J}, DType::boolean);
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t s = t / C * C; s < std::min(t / C * C + C, T); ++s) own.set({t, s}, 1);
    for (int64_t j = 0; j < (options.causal ? t / C : J); ++j) others.set({t, j}, j != t / C);
  }
  if (h.words.defined()) {  // the blocks that have a word
    Tensor there = pad(h.words.to(DType::f32), {{.axis = 1, .after = J * C - T}}).contiguous().reshape({B, J, C});
    others = logical_and(others, greater(sum(there, {2}), 0).unsqueeze(1).unsqueeze(1));
  }
  Variable marks = masked_fill(scaled_scores(h.q, keys_of_landmarks(h)), logical_not(others), -INFINITY);
  Variable p = softmax(
      concat({masked_fill(e, logical_not(both(own.unsqueeze(0).unsqueeze(0), h.allowed)), -INFINITY), marks}, -1));
  Variable gates = unsqueeze(slice(p, -1, T, T + J), -1);  // [B, H, T, J, 1]
  Variable w = slice(p, -1, 0, T) + slice(reshape(gates * within, {B, H, T, J * C}), -1, 0, T);
  Observe::report(w.value());
  return {matmul(w, h.v), w};
}

}  // namespace heed::nn
