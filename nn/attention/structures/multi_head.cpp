#include "nn/attention/structures/multi_head.h"

#include <utility>

#include "autograd/ops.h"
#include "nn/padding.h"

namespace heed::nn {

MultiHeadOutput MultiHeadAttention::operator()(const Variable& x, const HeadMasks& masks) const {
  if (options.shared_keys) return of_shared_keys(x, masks);
  if (!in_proj_weight.defined() && !options.apart)
    return (*this)(x, x, x, masks);  // keys or values of another width: that call throws
  Call call(*this);
  require_query(x), require_whole_rows(masks.words);
  int64_t D = options.heads * width(), E = options.kv_heads * width();  // H K, G K
  Variable clean = without_padding(x, masks.words);                     // not even a NaN in padding matters
  auto qkv =
      options.apart ? in_parts(clean) : split(in_proj(clean), {D, E, E}, -1);  // x [W_q; W_k; W_v]^T: all heads at once
  const Places places = own_places(masks, x, x.size(1));
  HeadMemory memory = marked(memory_of(qkv[1], qkv[2], places), clean, masks.words);  // [B, G, S, K] each
  memory.values = values_of(memory.values, masks.passed);
  pass_on(memory, masks.passed);
  return shown(call, read(qkv[0], clean, memory, masks, places, true));
}

Variable MultiHeadAttention::heads(const Variable& x) const {
  return reshape(x, {x.size(0), x.size(1), x.size(2) / width(), width()});
}

HeadMemory MultiHeadAttention::memory_of(const Variable& keys, const Variable& values, const Places& places) const {
  Variable k = heads(keys);
  for (const auto& wrapper : around) k = wrapper->keys(k);
  return {prepare_keys(k, places), transpose(heads(values), 1, 2)};
}

MultiHeadOutput MultiHeadAttention::read(const Variable& queries, const Variable& x, const HeadMemory& memory,
                                         const HeadMasks& masks, const Places& places, bool self) const {
  Variable q = heads(queries);                                 // [B, T, H, K]
  for (const auto& wrapper : around) q = wrapper->queries(q);  // the paper has none
  StageContext context{.places = places, .state = masks.state};
  Attended seen = attend_to(q, call_of(q, memory, masks, self), context);  // head_1 .. head_H
  const Variable weights = masks.weights || watched() ? seen.weights : Variable();
  Variable c = contexts_of(std::move(seen), x, masks);  // [B, H, T, K]
  return {out_proj(reshape(transpose(c, 1, 2), {c.size(0), c.size(2), c.size(1) * c.size(3)})), weights};
}

std::vector<Variable> MultiHeadAttention::in_parts(const Variable& x) const {
  return {linear(x, q_proj_weight, q_proj_bias), linear(x, k_proj_weight, k_proj_bias),
          linear(x, v_proj_weight, v_proj_bias)};
}

Variable MultiHeadAttention::in_proj(const Variable& x) const { return linear(x, in_proj_weight, in_proj_bias); }

Variable MultiHeadAttention::project_query(const Variable& query) const {
  require_query(query);
  if (options.apart) return linear(query, q_proj_weight, q_proj_bias);
  int64_t D = options.heads * width();
  Variable bias = in_proj_bias.defined() ? slice(in_proj_bias, 0, 0, D) : Variable();
  return linear(query, in_proj_weight.defined() ? slice(in_proj_weight, 0, 0, D) : q_proj_weight, bias);
}

HeadMemory MultiHeadAttention::projected(const Variable& given_key, const Variable& given_value,
                                         const Tensor& words) const {
  Variable key = without_padding(given_key, words),
           value = given_value.same_as(given_key) ? key : without_padding(given_value, words);
  require_keys(key, value);
  if (options.apart) return {linear(key, k_proj_weight, k_proj_bias), linear(value, v_proj_weight, v_proj_bias)};
  int64_t D = options.heads * width(), E = options.kv_heads * width();
  auto rows = [&](const Variable& all, int64_t from, int64_t to) {  // units of E, after W_q: W_k is 0 to 1, W_v 1 to 2
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

HeadMemory MultiHeadAttention::remember(const Variable& key, const Variable& value, const Places& places,
                                        const Tensor& words) const {
  Call call(*this);
  const HeadMemory raw = projected(key, value, words);
  HeadMemory memory = memory_of(raw.keys, raw.values, words.defined() ? from_first_words(places, words) : places);
  memory = marked(memory, key, words);
  return {call.result("keys", memory.keys), call.result("values", memory.values)};
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& query, const HeadMemory& memory,
                                               const HeadMasks& masks) const {
  Call call(*this);
  HeadMemory clean = {without_padding(memory.keys, masks.words, 2), without_padding(memory.values, masks.words, 2)};
  // The places of a source's words count from its first word. In self-attention own_places has counted them.
  const bool source = masks.words.defined() && !masks.query_words.defined();
  const Places places = source ? from_first_words(masks.places, masks.words) : masks.places;
  return shown(call, read(project_query(query), query, clean, masks, places));
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& query, const Variable& key, const Variable& value,
                                               const HeadMasks& masks) const {
  if (in_proj_weight.defined() && query.same_as(key) && key.same_as(value)) return (*this)(query, masks);
  if (!query.same_as(key)) require_own_words("MultiHeadAttention", "keys of other words");
  return (*this)(query, remember(key, value, masks.places, masks.words), masks);
}

}  // namespace heed::nn
