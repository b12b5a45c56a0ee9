// What multi-head attention has around the paper's formula: masks, wrappers (nn/attention/around/), factors of heads,
// keys and values of another layer, and the checks of a call.
#include <fmt/format.h>

#include <utility>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/padding.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

void require_sequence(const char* what, const Variable& x, int64_t width) {
  if (x.rank() != 3 || x.size(2) != width)
    throw ShapeError(fmt::format("MultiHeadAttention: {} must be [B, {}, {}]; got {}", what, what[0] == 'q' ? "T" : "S",
                                 width, to_string(x.shape())));
}

HeadMemory shared_in(Passed* passed) {
  return passed ? HeadMemory{passed->left["keys"], passed->left["values"]} : HeadMemory{};
}

}  // namespace

Tensor MultiHeadAttention::key_mask(const Tensor& words, int64_t B, int64_t S) {
  if (!words.defined()) return {};
  if (!(words.shape() == Shape{B, S}) || words.dtype() != DType::boolean)
    throw ShapeError(fmt::format("MultiHeadAttention: words must be bool {}; got {} {}", to_string(Shape{B, S}),
                                 name_of(words.dtype()), to_string(words.shape())));
  return words.unsqueeze(1).unsqueeze(1);
}

void MultiHeadAttention::require_query(const Variable& x) const { require_sequence("query", x, options.model); }

void MultiHeadAttention::require_keys(const Variable& key, const Variable& value) const {
  if (options.shared_keys)
    throw ValueError("MultiHeadAttention: it reads keys and values of another layer; got words to make its own of");
  require_sequence("key", key, options.key);
  require_sequence("value", value, options.value);
  if (key.size(0) != value.size(0) || key.size(1) != value.size(1))
    throw ShapeError(fmt::format("MultiHeadAttention: needs a value for each key; got keys {} and values {}",
                                 to_string(key.shape()), to_string(value.shape())));
}

void MultiHeadAttention::require_whole_rows(const Tensor& words) const {
  if (!normaliser->row_wise() && words.defined() && amin(words.to(DType::f32)).item() == 0)
    throw ValueError(
        fmt::format("MultiHeadAttention: the normaliser {} needs rows without padding; got a key padding "
                    "mask that hides words; hint: sentences of one length",
                    stages.normaliser.name));
}

AttentionCall MultiHeadAttention::call_of(const Variable& q, const HeadMemory& memory, const HeadMasks& masks,
                                          bool self) const {
  int64_t B = q.size(0), T = q.size(1), S = masks.memory ? masks.memory->words() : memory.keys.size(2);
  if (!masks.memory && memory.keys.size(0) != B)
    throw ShapeError(fmt::format("MultiHeadAttention: queries and keys must come from one batch; got {} and {}", B,
                                 memory.keys.size(0)));
  Tensor allowed = beside_heads(masks.allowed);
  const Shape scores{B, options.heads, T, S};
  if (allowed.defined()) require_beside("MultiHeadAttention", "mask", allowed.shape(), scores);
  const Tensor of_keys = key_mask(masks.words, B, S);
  const Unmarked own = unmarked(memory, masks.words);
  AttentionCall call{.keys = own.memory.keys,
                     .values = memory.values,
                     .allowed = both(of_keys, allowed),
                     .query_words = self ? masks.words : masks.query_words,
                     .bias = beside_heads(masks.bias),
                     .marks = own.marks,
                     .weights = masks.weights,
                     .clean = !masks.allowed.defined(),
                     .self = self,
                     .memory = masks.memory};
  for (const auto& wrapper : around) wrapper->before(call, masks.passed);
  if (call.bias.defined()) require_beside("MultiHeadAttention", "bias", call.bias.shape(), scores);
  return call;
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

Variable MultiHeadAttention::contexts_of(Attended seen, const Variable& x, const HeadMasks& masks) const {
  Variable& c = seen.context;  // [B, H, T, K]
  int64_t B = c.size(0), H = options.heads;
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
  return c;
}

HeadMemory MultiHeadAttention::marked(const HeadMemory& memory, const Variable& x, const Tensor& words) const {
  const auto* scheme = dynamic_cast<const ReadsWords*>(position.get());
  return scheme ? with_marks(*scheme, memory, x, words) : memory;
}

Unmarked MultiHeadAttention::unmarked(const HeadMemory& memory, const Tensor& words) const {
  const auto* scheme = dynamic_cast<const ReadsWords*>(position.get());
  return scheme && memory.keys.defined() ? without_marks(*scheme, memory, options.heads, words) : Unmarked{memory, {}};
}

MultiHeadOutput MultiHeadAttention::shown(Call& call, MultiHeadOutput seen) const {
  return {call.result("output", seen.output),
          seen.weights.defined() ? call.result("weights", seen.weights) : Variable()};
}

void MultiHeadAttention::pass_on(const HeadMemory& memory, Passed* passed) const {
  if (passed) passed->left["keys"] = unmarked(memory).memory.keys, passed->left["values"] = memory.values;
}

MultiHeadOutput MultiHeadAttention::of_shared_keys(const Variable& x, const HeadMasks& masks) const {
  const HeadMemory shared = shared_in(masks.passed);
  if (!shared.keys.defined())
    throw ValueError("MultiHeadAttention: it reads keys and values of another layer; got none in HeadMasks::passed");
  HeadMasks own = masks;
  own.places = own_places(masks, x, shared.keys.size(2));
  if (!own.query_words.defined()) own.query_words = masks.words;
  return (*this)(x, shared, own);
}

// The places of self-attention whose queries x [B, T, D] are the last T of S words. If a stage reads more than
// distances, places count from the first word of each sentence, so that padding before it changes nothing.
Places MultiHeadAttention::own_places(const HeadMasks& masks, const Variable& x, int64_t S) const {
  if (!masks.words.defined() || !reads_places() || x.rank() != 3) return masks.places;
  key_mask(masks.words, x.size(0), S);  // checked
  return from_first_words(masks.places, masks.words, x.size(1));
}

}  // namespace heed::nn
