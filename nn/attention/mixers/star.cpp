#include "nn/attention/mixers/star.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// The neighbour of each word in the ring of its sentence, i64 [B, T]: `by` is 1 or -1. Padding is its own neighbour.
Tensor neighbours(const Tensor& words, int64_t by) {
  const int64_t B = words.size(0), T = words.size(1);
  std::vector<int64_t> out(static_cast<size_t>(B * T));
  const std::vector<double> is_word = words.to_vector();
  for (int64_t b = 0; b < B; ++b) {
    std::vector<int64_t> ring;
    for (int64_t t = 0; t < T; ++t) {
      out[static_cast<size_t>(b * T + t)] = t;
      if (is_word[static_cast<size_t>(b * T + t)] != 0) ring.push_back(t);
    }
    const auto n = static_cast<int64_t>(ring.size());
    for (int64_t i = 0; i < n; ++i)
      out[static_cast<size_t>(b * T + ring[static_cast<size_t>(i)])] = ring[static_cast<size_t>((i + by + n) % n)];
  }
  return Tensor::from(out, {B, T});
}

Variable at(const Variable& h, const Tensor& index) {  // h [B, T, D] in the order of the index [B, T]
  return gather(h, 1, index.unsqueeze(-1).expand(h.shape()).contiguous());
}

}  // namespace

StarMixer::StarMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "star")),
      settings(options.settings.as<Settings>()),
      satellite(options, rng),
      relay(options, rng),
      satellite_norm({.shape = {o.query}}, rng),
      relay_norm({.shape = {o.query}}, rng) {
  require_not_causal(options, "its relay reads all words");
}

Mixed StarMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), D = x.size(2), H = options.heads, K = D / H;
  Tensor words = word_factors(x, in.words), before = neighbours(words, -1), after = neighbours(words, 1);
  Tensor count = maximum(sum(words, {1}), Tensor::ones({1}, words.dtype())).unsqueeze(-1).unsqueeze(-1);
  Variable embedded = words_only(x, in.words), h = embedded;
  Variable s = sum(embedded, {1}, true) / Variable(count);                                        // [B, 1, D]
  Tensor seen = greater(pad(words, {{.axis = 1, .before = 1}}, 1), 0).unsqueeze(1).unsqueeze(1);  // the relay, words

  auto of_each_word = [&](const Variable& y) {  // [B T, n, D] -> [B, T, H, n, K]
    return permute(reshape(y, {B, T, y.size(1), H, K}), {0, 1, 3, 2, 4});
  };
  for (int64_t i = 0; i < settings.rounds; ++i) {
    Variable around =
        reshape(stack({at(h, before), h, at(h, after), embedded, expand(s, {B, T, D})}, 2), {B * T, 5, D});
    Variable q = of_each_word(satellite.q_proj(reshape(h, {B * T, 1, D})));
    Variable weights = softmax(scaled_scores(q, of_each_word(satellite.k_proj(around))));  // [B, T, H, 1, 5]
    Variable context = reshape(matmul(weights, of_each_word(satellite.v_proj(around))), {B, T, D});
    h = words_only(satellite_norm(relu(satellite.out_proj(context))), in.words);

    Variable all = concat({s, h}, 1);  // [B, 1 + T, D]
    Variable read = attend(scaled_scores(relay.queries(s), relay.keys(all)), relay.values(all), seen).context;
    s = relay_norm(relu(relay.output(read)));
  }
  return {call.result("output", h)};
}

}  // namespace heed::nn
