#include "nn/attention/structures/multi_head.h"

#include <fmt/format.h>

#include <utility>

#include "autograd/ops.h"
#include "nn/attention/mixers/state_memory.h"
#include "nn/attention/scopes/masks.h"
#include "nn/padding.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

void require_sequence(const char* what, const Variable& x, int64_t width) {
  if (x.rank() != 3 || x.size(2) != width)
    throw ShapeError(fmt::format("MultiHeadAttention: {} must be [B, {}, {}]; got {}", what, what[0] == 'q' ? "T" : "S",
                                 width, to_string(x.shape())));
}

// For the layers that share them, and there.
void pass_on(const HeadMemory& memory, Passed* passed) {
  if (passed) passed->left["keys"] = memory.keys, passed->left["values"] = memory.values;
}

HeadMemory shared_in(Passed* passed) {
  return passed ? HeadMemory{passed->left["keys"], passed->left["values"]} : HeadMemory{};
}

Tensor keys_of(const Tensor& words, int64_t B, int64_t S) {
  if (!words.defined()) return {};
  if (!(words.shape() == Shape{B, S}) || words.dtype() != DType::boolean)
    throw ShapeError(fmt::format("MultiHeadAttention: words must be bool {}; got {} {}", to_string(Shape{B, S}),
                                 name_of(words.dtype()), to_string(words.shape())));
  return words.unsqueeze(1).unsqueeze(1);
}

}  // namespace

Variable MultiHeadAttention::heads(const Variable& x) const {
  return reshape(x, {x.size(0), x.size(1), x.size(2) / width(), width()});
}

HeadMemory MultiHeadAttention::memory_of(const Variable& keys, const Variable& values, const Places& places) const {
  Variable k = heads(keys);
  for (const auto& wrapper : around) k = wrapper->keys(k);
  return {prepare_keys(k, places), transpose(heads(values), 1, 2)};
}

HeadMemory MultiHeadAttention::unturned(const HeadMemory& projected) const {
  Variable k = heads(projected.keys);
  for (const auto& wrapper : around) k = wrapper->keys(k);
  return {transpose(k, 1, 2), transpose(heads(projected.values), 1, 2)};
}

HeadMemory MultiHeadAttention::turned(const HeadMemory& memory, const Places& places) const {
  return {prepare_keys(transpose(memory.keys, 1, 2), places), memory.values};
}

Variable MultiHeadAttention::project_query(const Variable& query) const {
  require_sequence("query", query, options.model);
  int64_t D = options.model;
  Variable bias = in_proj_bias.defined() ? slice(in_proj_bias, 0, 0, D) : Variable();
  return linear(query, in_proj_weight.defined() ? slice(in_proj_weight, 0, 0, D) : q_proj_weight, bias);
}

HeadMemory MultiHeadAttention::remember(const Variable& key, const Variable& value, const Places& places,
                                        const Tensor& words) const {
  Call call(*this);
  const HeadMemory raw = projected(key, value, words);
  HeadMemory memory = memory_of(raw.keys, raw.values, words.defined() ? from_first_words(places, words) : places);
  return {call.result("keys", memory.keys), call.result("values", memory.values)};
}

HeadMemory MultiHeadAttention::projected(const Variable& given_key, const Variable& given_value,
                                         const Tensor& words) const {
  if (options.shared_keys)
    throw ValueError("MultiHeadAttention: it reads keys and values of another layer; got words to make its own of");
  Variable key = without_padding(given_key, words),
           value = given_value.same_as(given_key) ? key : without_padding(given_value, words);
  require_sequence("key", key, options.key);
  require_sequence("value", value, options.value);
  if (key.size(0) != value.size(0) || key.size(1) != value.size(1))
    throw ShapeError(fmt::format("MultiHeadAttention: needs a value for each key; got keys {} and values {}",
                                 to_string(key.shape()), to_string(value.shape())));
  int64_t D = options.model, E = options.kv_heads * width();
  auto rows = [&](const Variable& all, int64_t from, int64_t to) {  // keys: 0 to 1, values: 1 to 2 (times E)
    return all.defined() ? slice(all, 0, D + from * E, D + to * E) : Variable();
  };
  Variable k, v;  // [B, S, E]
  if (in_proj_weight.defined() && key.same_as(value)) {
    auto both = split(linear(key, rows(in_proj_weight, 0, 2), rows(in_proj_bias, 0, 2)), {E, E}, -1);
    k = both[0], v = both[1];
  } else {
    k = linear(key, in_proj_weight.defined() ? rows(in_proj_weight, 0, 1) : k_proj_weight, rows(in_proj_bias, 0, 1));
    v = linear(value, in_proj_weight.defined() ? rows(in_proj_weight, 1, 2) : v_proj_weight, rows(in_proj_bias, 1, 2));
  }
  return {k, v};
}

const char* MultiHeadAttention::any(const char* (Around::*needs)() const) const {
  for (const auto& wrapper : around)
    if (const char* why = ((*wrapper).*needs)()) return why;
  return nullptr;
}

Variable MultiHeadAttention::values_of(Variable values, Passed* passed) const {
  for (auto wrapper = around.rbegin(); wrapper != around.rend(); ++wrapper) values = (*wrapper)->values(values, passed);
  return values;
}

Variable MultiHeadAttention::outputs_of(Attended seen, const Variable& x, const HeadMasks& masks) const {
  Variable& c = seen.context;  // [B, H, T, K]
  int64_t B = c.size(0), H = options.heads, T = c.size(2);
  if (const Variable& xi = masks.heads; xi.defined()) {
    if (!(xi.shape() == Shape{H}) && !(xi.shape() == Shape{B, H}))
      throw ShapeError(fmt::format("MultiHeadAttention: factors of the heads must be {} or {}; got {}",
                                   to_string(Shape{H}), to_string(Shape{B, H}), to_string(xi.shape())));
    c = c * reshape(xi, {xi.rank() == 1 ? 1 : B, H, 1, 1});
  }
  for (auto wrapper = around.rbegin(); wrapper != around.rend(); ++wrapper) {
    Call call(**wrapper);
    c = call.result("context", (*wrapper)->after(seen, x, masks.passed));
  }
  return reshape(transpose(c, 1, 2), {B, T, options.model});
}

Places MultiHeadAttention::own_places(const HeadMasks& masks, const Variable& x, int64_t S) const {
  if (!masks.words.defined() || !reads_places() || x.rank() != 3) return masks.places;
  keys_of(masks.words, x.size(0), S);  // checked
  return from_first_words(masks.places, masks.words, x.size(1));
}

MultiHeadOutput MultiHeadAttention::read(const Variable& queries, const Variable& x, const HeadMemory& memory,
                                         const HeadMasks& masks, const Places& places, bool self) const {
  int64_t B = queries.size(0), T = queries.size(1), S = masks.memory ? masks.memory->words() : memory.keys.size(2);
  if (!masks.memory && memory.keys.size(0) != B)
    throw ShapeError(fmt::format("MultiHeadAttention: queries and keys must come from one batch; got {} and {}", B,
                                 memory.keys.size(0)));
  Variable q = heads(queries);
  for (const auto& wrapper : around) q = wrapper->queries(q);
  Tensor allowed = beside_heads(masks.allowed);
  Variable bias = beside_heads(masks.bias);
  const Shape scores{B, options.heads, T, S};
  if (allowed.defined()) require_beside("MultiHeadAttention", "mask", allowed.shape(), scores);
  Tensor words = keys_of(masks.words, B, S);
  const Tensor query_words = self ? masks.words : masks.query_words;
  StageContext context{.places = places, .state = masks.state};
  AttentionCall call{.keys = memory.keys,
                     .values = memory.values,
                     .allowed = both(words, allowed),
                     .query_words = query_words,
                     .bias = bias,
                     .weights = masks.weights,
                     .clean = !masks.allowed.defined(),
                     .self = self,
                     .memory = masks.memory};
  for (const auto& wrapper : around) wrapper->before(call, masks.passed);
  if (call.bias.defined()) require_beside("MultiHeadAttention", "bias", call.bias.shape(), scores);
  Attended seen = attend_to(q, std::move(call), context);
  bool shown = masks.weights || watched();
  const Variable weights = shown ? seen.weights : Variable();
  return {out_proj(outputs_of(std::move(seen), x, masks)), weights};
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& x, const HeadMasks& masks) const {
  if (options.shared_keys) {
    const HeadMemory shared = shared_in(masks.passed);
    if (!shared.keys.defined())
      throw ValueError("MultiHeadAttention: it reads keys and values of another layer; got none in HeadMasks::passed");
    HeadMasks own = masks;
    own.places = own_places(masks, x, shared.keys.size(2));
    if (!own.query_words.defined()) own.query_words = masks.words;
    return (*this)(x, shared, own);
  }
  if (!in_proj_weight.defined()) return (*this)(x, x, x, masks);  // this call reports what is wrong with x
  Call call(*this);
  require_sequence("query", x, options.model);
  if (!normaliser->row_wise() && masks.words.defined() && amin(masks.words.to(DType::f32)).item() == 0)
    throw ValueError(
        fmt::format("MultiHeadAttention: the normaliser {} needs rows without padding; got a key padding "
                    "mask that hides words; hint: sentences of one length",
                    stages.normaliser.name));
  int64_t D = options.model, E = options.kv_heads * width();
  Variable clean = without_padding(x, masks.words), all = linear(clean, in_proj_weight, in_proj_bias);
  auto parts = split(all, {D, E, E}, -1);  // one product for q, k and v
  const Places places = own_places(masks, x, x.size(1));
  HeadMemory memory = memory_of(parts[1], parts[2], places);
  memory.values = values_of(memory.values, masks.passed);
  pass_on(memory, masks.passed);
  MultiHeadOutput seen = read(parts[0], clean, memory, masks, places, true);
  return {call.result("output", seen.output),
          seen.weights.defined() ? call.result("weights", seen.weights) : Variable()};
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& query, const HeadMemory& memory,
                                               const HeadMasks& masks) const {
  Call call(*this);
  HeadMemory seen_by = {without_padding(memory.keys, masks.words, 2), without_padding(memory.values, masks.words, 2)};
  // The places of a source count from its first word. Those of words of the row itself have been counted (own_places).
  const bool source = masks.words.defined() && !masks.query_words.defined();
  const Places places = source ? from_first_words(masks.places, masks.words) : masks.places;
  MultiHeadOutput seen = read(project_query(query), query, seen_by, masks, places);
  return {call.result("output", seen.output),
          seen.weights.defined() ? call.result("weights", seen.weights) : Variable()};
}

std::unique_ptr<AttentionMemory> MultiHeadAttention::memory() const {
  if (options.shared_keys) return std::make_unique<StateMemory>();
  return Pipeline::memory();
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
  if (memory.one_word_at_a_time()) fresh.padding_mask = masks.query_words;
  if (const char* why = any(&Around::needs_values); why && memory.keeps_inputs())
    throw ValueError(fmt::format("MultiHeadAttention: {}; got one of inputs", why));
  if (!memory.keeps_inputs()) fresh.values = values_of(fresh.values, masks.passed);
  if (own && masks.words.defined()) {  // a state that keeps no words must know now which of them are padding
    int64_t before = memory.words(), after = before + x.size(1);
    keys_of(masks.words, x.size(0), after);
    fresh.padding_mask = masks.words.slice(1, before, after);
    if (state) masks.words = {};
    fresh.keys = without_padding(fresh.keys, fresh.padding_mask, 2);
    fresh.values = without_padding(fresh.values, fresh.padding_mask, 2);
  }
  memory.append(fresh);
  auto view = [&] { return memory.keeps_unturned() ? turned(memory.view(), masks.places) : memory.view(); };
  if (masks.passed) pass_on(view(), masks.passed), masks.passed->kept = memory.kept();
  bool shown = masks.weights || watched() || any(&Around::needs_scores);  // which needs all keys side by side
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

MultiHeadOutput MultiHeadAttention::operator()(const Variable& query, const Variable& key, const Variable& value,
                                               const HeadMasks& masks) const {
  if (in_proj_weight.defined() && query.same_as(key) && key.same_as(value)) return (*this)(query, masks);
  return (*this)(query, remember(key, value, masks.places, masks.words), masks);
}

}  // namespace heed::nn
