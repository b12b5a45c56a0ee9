#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/mixers/input_memory.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/registry.h"
#include "tensor/elementwise.h"

namespace heed::nn {

std::unique_ptr<AttentionMemory> Mixer::memory() const { return std::make_unique<InputMemory>(); }

Mixed Mixer::extend(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  memory.append({unsqueeze(x, 1), {}});
  Mixed all = (*this)(squeeze(memory.view().keys, 1), in);
  const int64_t S = memory.words(), first = S - x.size(1);
  Mixed last{slice(all.output, 1, first, S)};
  if (all.weights.defined()) last.weights = slice(all.weights, 2, first, S);
  return last;
}

std::unique_ptr<Mixer> make_mixer(const MixerOptions& given, Generator& rng) {
  MixerOptions o = completed_stage(Kind::mixer, given);
  return stage_entry(Kind::mixer, o.name).mixer(o, rng);
}

void require_not_causal(const MixerOptions& o, const char* reason) {
  if (o.causal)
    throw ValueError(
        fmt::format("{}: {}, so no layer of a decoder can have it; hint: --encoder-mixers {}", o.name, reason, o.name));
}

Variable words_only(const Variable& x, const Tensor& words) {
  return words.defined() ? masked_fill(x, logical_not(words).unsqueeze(-1), 0) : x;
}

}  // namespace heed::nn
