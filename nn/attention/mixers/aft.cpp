#include "nn/attention/mixers/aft.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "autograd/ops.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/running_means.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

constexpr double kLeastSum = 1e-30, kLowest = -1e30;  // a row without words is 0, not 0 / 0
constexpr int64_t kRunningChunk = 16;

constexpr double kMostSpread = 60;  // exp(-60) is still far above kLeastSum

// The largest difference between two keys of a feature and a sentence. k is -inf at padding.
double spread(const Tensor& k, const Tensor& words) {
  if (k.count() == 0) return 0;
  Tensor low = words.defined() ? where(words.unsqueeze(-1), k, Tensor::full({1}, HUGE_VAL, k.dtype())) : k;
  const double most = amax(sub(amax(k, {1}), amin(low, {1}))).to(DType::f64).item();
  return most;
}

Linear biased_layer(int64_t width, Generator& rng) { return Linear({.in = width, .out = width}, rng); }

}  // namespace

AftMixer::AftMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "aft_full")),
      settings(options.settings.as<AftLocalSettings>()),
      query(biased_layer(o.query, rng)),
      key(biased_layer(o.query, rng)),
      value(biased_layer(o.query, rng)),
      output(biased_layer(o.query, rng)) {
  head_width(options);
  if (options.settings.contains("max_source")) {
    const Shape shape{settings.max_source, settings.rank};
    of_query = normal_parameter(shape, 0.1, rng), of_key = normal_parameter(shape, 0.1, rng);
  }
  if (options.name == "aft_conv") table = normal_parameter({o.heads, 2 * settings.window - 1}, 0.1, rng);
}

Variable AftMixer::bias(int64_t T) const {
  if (options.name == "aft_simple") return Variable(Tensor::zeros({1, T, T}, key.weight.dtype()));
  const int64_t window = options.settings.contains("window") ? settings.window : T;
  if (table.defined()) {
    Tensor which = Tensor::empty({T, T}, DType::i64);
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < T; ++s)
        which.set({t, s}, static_cast<double>(std::abs(t - s) < window ? t - s + window - 1 : 2 * window - 1));
    return index_select(pad(table, {{.axis = 1, .after = 1}}), 1, which);  // its last entry is 0
  }
  if (T > of_query.size(0))
    throw ValueError(fmt::format("{}: it knows the places of {} words only; got a sentence of {}; hint: --mixers {}:{}",
                                 options.name, of_query.size(0), T, options.name, T));
  Variable w = matmul(slice(of_query, 0, 0, T), transpose(slice(of_key, 0, 0, T), 0, 1));
  Tensor far = mask_of_distances("aft", {.queries = T, .keys = T}, [&](int64_t d) { return std::abs(d) >= window; });
  return unsqueeze(masked_fill(w, far, 0), 0);
}

Variable AftMixer::seen_bias(int64_t T) const {
  Variable w = bias(T);
  return options.causal ? masked_fill(w, logical_not(causal_mask({.queries = T, .keys = T})), -INFINITY) : w;
}

// A softmax for each feature, [B, H, T, T, K] numbers: for keys so far apart that exp(k) loses the smaller ones, which
// may be all that a causal word sees.
Mixed AftMixer::far_apart(const Variable& x, const Variable& k) const {
  Call call(*this);
  const int64_t H = options.heads;
  Variable e = unsqueeze(seen_bias(x.size(1)), -1) + unsqueeze(split_heads(k, H), 2);  // [B, H, T, T, K]
  Variable mean = sum(softmax(e, 3) * unsqueeze(split_heads(value(x), H), 2), {3});
  return {call.result("output", output(sigmoid(query(x)) * join_heads(mean)))};
}

Mixed AftMixer::mix(const Variable& given, const MixerInput& in) const {
  if (running()) {
    StateMemory none;
    return continued(given, none, in);
  }
  Call call(*this);
  const int64_t T = given.size(1), H = options.heads;
  Variable x = words_only(given, in.words), k = key(x);
  if (in.words.defined()) k = masked_fill(k, logical_not(in.words).unsqueeze(-1), -INFINITY);
  if (!running() && options.name != "aft_simple" && spread(k.value(), in.words) > kMostSpread) return far_apart(x, k);
  // exp(k) and exp(w) without overflow: the largest cancel in the quotient and have no gradient.
  k = exp(k - clamp(Variable(amax(k.value(), {1}, true)), kLowest, HUGE_VAL));
  Variable w;
  if (options.name != "aft_simple") {
    w = seen_bias(T);
    if (in.words.defined()) w = masked_fill(w, logical_not(in.words).unsqueeze(1).unsqueeze(1), -INFINITY);
    w = exp(w - clamp(Variable(amax(w.value(), {-1}, true)), kLowest, HUGE_VAL));
  }
  // Without a bias every word has the same sums.
  auto summed = [&](const Variable& y) {
    return w.defined() ? join_heads(matmul(w, split_heads(y, H))) : sum(y, {1}, true);
  };
  Variable mean = summed(k * value(x)) / clamp(summed(k), kLeastSum, HUGE_VAL);
  return {call.result("output", output(sigmoid(query(x)) * mean))};
}

std::unique_ptr<AttentionMemory> AftMixer::memory() const {
  if (running()) return std::make_unique<StateMemory>();
  return Mixer::memory();
}

Mixed AftMixer::continued(const Variable& given, AttentionMemory& memory, const MixerInput& in) const {
  if (!running()) return Mixer::continued(given, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory("aft_simple", memory);
  Tensor words = of_last(in.words, given.size(1));
  Variable x = words_only(given, words);
  RunningMeans before = kept.state.empty() ? RunningMeans() : RunningMeans{kept.state[0], kept.state[1]};
  MeansRead read = running_means(key(x), value(x), {}, {}, words, kRunningChunk, before);
  kept.state = {read.state.mean, read.state.log_total};
  kept.append({unsqueeze(x, 1), {}});
  return {call.result("output", output(sigmoid(query(x)) * read.output))};
}

}  // namespace heed::nn
