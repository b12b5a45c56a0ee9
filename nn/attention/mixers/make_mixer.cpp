#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/mixers/input_memory.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// The index that moves the padding before each sentence to its end, i64 [B, T]: place t is read from place index[t].
// Undefined if all sentences begin with a word.
Tensor words_first(const Tensor& given) {
  if (!given.defined()) return {};
  const Tensor words = given.contiguous();
  const int64_t B = words.size(0), T = words.size(1);
  std::vector<int64_t> from;
  bool moves = false;
  for (const bool* row = words.data<bool>(); row < words.data<bool>() + B * T; row += T) {
    const int64_t first = std::find(row, row + T, true) - row;  // T: no words
    moves = moves || (first > 0 && first < T);
    for (int64_t t = 0; t < T; ++t) from.push_back((t + first) % T);
  }
  return moves ? Tensor::from(from, {B, T}) : Tensor();
}

// x with its places along the axis in the order of the index [B, T].
Variable in_order(const Variable& x, int64_t axis, const Tensor& index) {
  Tensor along = index;
  for (int64_t i = 1; i < axis; ++i) along = along.unsqueeze(1);
  while (along.rank() < x.rank()) along = along.unsqueeze(-1);
  return gather(x, axis, along.expand(x.shape()).contiguous());
}

// x [B, T, D] follows `before` words, and `words` covers all of them.
void require_input(const Variable& x, int64_t width, const Tensor& words, int64_t before) {
  if (x.rank() != 3 || (width > 0 && x.size(2) != width))
    throw ShapeError(fmt::format("mixer: x must be [B, T, {}]; got {}", width > 0 ? std::to_string(width) : "D",
                                 to_string(x.shape())));
  const int64_t all = before + x.size(1);
  if (words.defined() && (words.dtype() != DType::boolean || words.shape() != Shape{x.size(0), all}))
    throw ShapeError(fmt::format("mixer: words must be bool [{}, {}], one for each word of x{}; got {} {}", x.size(0),
                                 all, before > 0 ? " and of the memory" : "", name_of(words.dtype()),
                                 to_string(words.shape())));
}

}  // namespace

Mixed Mixer::operator()(const Variable& x, const MixerInput& in) const {
  require_input(x, width, in.words, 0);
  if (x.count() == 0) return {x};
  Variable clean = words_only(x, in.words);
  const Tensor order = words_first(in.words);
  if (!order.defined()) return mix(clean, in);
  MixerInput moved = in;
  moved.words = greater(gather(in.words.to(DType::i64), 1, order), 0);
  Mixed mixed = mix(in_order(clean, 1, order), moved);
  const Tensor back = argsort(order, -1);
  mixed.output = in_order(mixed.output, 1, back);
  if (mixed.weights.defined()) mixed.weights = in_order(in_order(mixed.weights, 2, back), 3, back);
  return mixed;
}

std::unique_ptr<AttentionMemory> Mixer::memory() const { return std::make_unique<InputMemory>(); }

Mixed Mixer::extend(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  require_input(x, width, in.words, memory.words());
  return or_undo(memory.undo(), [&] { return continued(x, memory, in); });
}

Mixed Mixer::continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
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
