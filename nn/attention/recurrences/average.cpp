#include "nn/attention/recurrences/average.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

int64_t inner(const MixerOptions& o) { return o.query * o.settings.as<AverageMixer::Settings>().inner; }

// 1 for a word, 0 for padding. [B, T, 1], or [1, T, 1] where every word counts
Tensor ones_of(const Variable& x, const Tensor& words) {
  return words.defined() ? words.to(x.dtype()).unsqueeze(-1) : Tensor::ones({1, x.size(1), 1}, x.dtype());
}

constexpr double kFewestWords = 1;  // a sentence without words has the mean 0
Variable counts(const Variable& n) { return clamp(n, kFewestWords, HUGE_VAL); }

}  // namespace

AverageMixer::AverageMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "average")),
      linear1({.in = o.query, .out = inner(options)}, rng),
      linear2({.in = inner(options), .out = o.query}, rng),
      gates({.in = 2 * o.query, .out = 2 * o.query}, rng) {}

Variable AverageMixer::gated(const Variable& x, const Variable& mean) const {
  const int64_t D = x.size(-1);
  Variable g = expand(linear2(relu(linear1(mean))), x.shape());  // one mean for all words, or one for each
  Variable open = sigmoid(gates(concat({x, g}, -1)));            // [B, T, 2 D]
  return slice(open, -1, 0, D) * x + slice(open, -1, D, 2 * D) * g;
}

Mixed AverageMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable counted = words_only(x, in.words), ones(ones_of(x, in.words));
  Variable total = options.causal ? cumsum(counted, 1) : sum(counted, {1}, true);
  Variable count = options.causal ? cumsum(ones, 1) : sum(ones, {1}, true);
  return {call.result("output", gated(x, total / counts(count)))};
}

std::unique_ptr<AttentionMemory> AverageMixer::memory() const { return std::make_unique<StateMemory>(); }

Mixed AverageMixer::continued(const Variable& given, AttentionMemory& memory, const MixerInput& in) const {
  if (!options.causal) return Mixer::continued(given, memory, in);
  Call call(*this);
  StateMemory& kept = state_memory("average", memory);
  Tensor words = of_last(in.words, given.size(1));
  Variable x = words_only(given, words), total = cumsum(x, 1);
  Variable count = cumsum(Variable(ones_of(x, words)), 1);
  if (!kept.state.empty()) total = total + kept.state[0], count = count + kept.state[1];
  const int64_t n = x.size(1);
  kept.state = {slice(total, 1, n - 1, n), expand(slice(count, 1, n - 1, n), {x.size(0), 1, 1})};
  kept.append({unsqueeze(x, 1), {}});
  return {call.result("output", gated(x, total / counts(count)))};
}

}  // namespace heed::nn
