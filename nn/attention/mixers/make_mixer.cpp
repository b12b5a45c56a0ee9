#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/mixers/input_memory.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/registry.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Mixed Mixer::operator()(const Variable& x, const MixerInput& in) const {
  if (x.rank() != 3 || (width > 0 && x.size(2) != width))
    throw ShapeError(fmt::format("mixer: x must be [B, T, {}]; got {}", width > 0 ? std::to_string(width) : "D",
                                 to_string(x.shape())));
  if (in.words.defined() && (in.words.dtype() != DType::boolean || in.words.shape() != Shape{x.size(0), x.size(1)}))
    throw ShapeError(fmt::format("mixer: words must be bool [{}, {}], one for each word of x; got {} {}", x.size(0),
                                 x.size(1), name_of(in.words.dtype()), to_string(in.words.shape())));
  if (x.count() == 0) return {x};
  return mix(words_only(x, in.words), in);
}

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
  std::unique_ptr<Mixer> mixer = stage_entry(Kind::mixer, o.name).mixer(o, rng);
  mixer->width = o.query;
  return mixer;
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
