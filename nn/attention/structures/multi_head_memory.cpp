// Multi-head attention for words that continue a sequence: a memory keeps keys and values of the earlier words, or what
// they are made of (nn/attention/memories/). "Turned" keys have been rotated by a position such as rope.
#include <fmt/format.h>

#include <utility>

#include "autograd/ops.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/padding.h"

namespace heed::nn {

std::unique_ptr<AttentionMemory> MultiHeadAttention::memory() const {
  if (options.shared_keys) return std::make_unique<StateMemory>();
  return Pipeline::memory();
}

HeadMemory MultiHeadAttention::unturned(const HeadMemory& projected) const {
  Variable k = heads(projected.keys);
  for (const auto& wrapper : around) k = wrapper->keys(k);
  return {transpose(k, 1, 2), transpose(heads(projected.values), 1, 2)};
}

HeadMemory MultiHeadAttention::turned(const HeadMemory& memory, const Places& places) const {
  return {prepare_keys(transpose(memory.keys, 1, 2), places), memory.values};
}

MultiHeadOutput MultiHeadAttention::extend(const Variable& x, AttentionMemory& memory, const HeadMasks& masks) const {
  Undo undo = memory.undo();
  if (masks.state)
    undo = [words = std::move(undo), &state = *masks.state, kept = *masks.state] { words(), state = kept; };
  const bool one_by_one = memory.one_word_at_a_time() && x.rank() == 3 && x.size(1) != 1;
  return or_undo(undo, [&] { return one_by_one ? in_turn(x, memory, masks) : continued(x, memory, masks); });
}

MultiHeadOutput MultiHeadAttention::in_turn(const Variable& x, AttentionMemory& memory, const HeadMasks& masks) const {
  if (masks.allowed.defined() || masks.bias.defined() || masks.weights)
    throw ValueError(fmt::format(
        "MultiHeadAttention: each word reads other keys of a memory that forgets; got {} words with a mask, "
        "a bias or a wish for weights; hint: one word a call",
        x.size(1)));
  if (x.size(1) == 0) return {x, {}};
  std::vector<Variable> outputs;
  for (int64_t t = 0, n = x.size(1); t < n; ++t) {
    HeadMasks one = masks;
    if (masks.words.defined()) one.words = masks.words.slice(1, 0, masks.words.size(1) - n + t + 1).contiguous();
    outputs.push_back(continued(slice(x, 1, t, t + 1), memory, one).output);
  }
  return {concat(outputs, 1), {}};
}

MultiHeadOutput MultiHeadAttention::continued(const Variable& given, AttentionMemory& memory, HeadMasks masks) const {
  const int64_t n = given.rank() == 3 ? given.size(1) : 0,
                known = masks.words.defined() && masks.words.rank() == 2 ? masks.words.size(1) : 0;
  if (n > 0 && known >= n) masks.query_words = masks.words.slice(1, known - n, known);
  Variable x = without_padding(given, masks.query_words);
  if (options.shared_keys) {  // the memory only counts the words
    memory.append({unsqueeze(x, 1), {}});
    const KeptKeys kept = masks.passed ? masks.passed->kept : memory.kept();
    masks.places = with_keys(masks.places, kept, n), masks.words = of_kept(masks.words, kept);
    return (*this)(x, masks);
  }
  if (memory.one_word_at_a_time()) require_own_words("MultiHeadAttention", "a memory that forgets words");
  const KeptKeys kept = memory.kept_after(n);
  const bool counted = masks.places.key_at.defined();
  masks.words = of_kept(masks.words, kept);
  masks.places = with_keys(masks.places, kept, n);
  masks.places = own_places(masks, x, kept.count());
  if (memory.keeps_inputs() && !counted && masks.places.key_at.defined())
    throw ValueError(
        "MultiHeadAttention: a memory of inputs counts places from the beginning of the row, which a stage reads; got "
        "padding before the words; hint: padding after them");
  Places fresh_places = of_last_keys(masks.places, n);
  fresh_places.first_key = memory.words();
  bool state = evaluator && evaluator->keeps_state(), own = state || (evaluator && evaluator->reads_in_place(memory));
  if (state && memory.keeps_inputs())
    throw ValueError(fmt::format("MultiHeadAttention: the evaluator {} has a memory of its own; got one of inputs",
                                 stages.evaluator.name));
  if (!masks.state && set().sequential())
    throw ValueError(
        "MultiHeadAttention: a stage that reads the weights of the step before needs HeadMasks::state to "
        "extend a memory; got none");
  if (masks.state && memory.keeps_inputs()) {  // what a stage keeps of earlier segments has no gradient either
    for (Variable* v : {&masks.state->weights, &masks.state->total, &masks.state->carried})
      if (v->defined()) *v = v->detach();
  }
  if (Variable* past = masks.state ? &masks.state->alignment : nullptr;
      past && past->defined() && memory.keeps_inputs())
    *past = past->detach();
  HeadMemory fresh = memory.keeps_inputs()     ? HeadMemory{unsqueeze(x, 1), {}}
                     : memory.keeps_unturned() ? unturned(projected(x, x, {}))
                                               : remember(x, x, fresh_places);
  if (memory.one_word_at_a_time() || memory.reads_weights()) fresh.padding_mask = masks.query_words;
  if (const char* why = any(&Around::needs_values); why && memory.keeps_inputs())
    throw ValueError(fmt::format("MultiHeadAttention: {}; got one of inputs", why));
  if (!memory.keeps_inputs()) fresh.values = values_of(fresh.values, masks.passed);
  if (own && masks.words.defined()) {  // read in place: which words are padding must be known when they are appended
    int64_t before = memory.words(), after = before + x.size(1);
    key_mask(masks.words, x.size(0), after);
    fresh.padding_mask = masks.words.slice(1, before, after);
    if (state) masks.words = {};
    fresh.keys = without_padding(fresh.keys, fresh.padding_mask, 2);
    fresh.values = without_padding(fresh.values, fresh.padding_mask, 2);
  }
  memory.append(fresh);
  auto view = [&] { return memory.keeps_unturned() ? turned(memory.view(), masks.places) : memory.view(); };
  if (masks.passed) pass_on(view(), masks.passed), masks.passed->kept = memory.kept();
  // To return weights or scores, all keys must lie side by side, so an evaluator's own memory is not read in place.
  bool shown = masks.weights || watched() || any(&Around::needs_scores);
  if (memory.reads_weights()) {
    const bool wanted = std::exchange(masks.weights, true);
    MultiHeadOutput seen = (*this)(x, view(), masks);
    memory.saw(seen.weights.value());
    return {seen.output, wanted ? seen.weights : Variable()};
  }
  if (!own || (!state && shown)) return (*this)(x, view(), masks);
  Call call(*this);
  masks.memory = &memory;
  return {call.result("output", read(project_query(x), x, {}, masks, masks.places).output), {}};
}

}  // namespace heed::nn
