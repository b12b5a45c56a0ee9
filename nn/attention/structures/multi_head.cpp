#include "nn/attention/structures/multi_head.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

MultiHeadOptions checked(MultiHeadOptions o) {
  if (o.model < 1 || o.heads < 1 || o.model % o.heads != 0)
    throw ValueError(fmt::format("MultiHeadAttention: the heads must divide the width of the model; got {} heads of {}",
                                 o.heads, o.model));
  if (o.score != "scaled_dot" && o.score != "dot" && o.score != "cosine")
    throw ValueError(fmt::format(
        "MultiHeadAttention: the score must be a product of query and key (scaled_dot, dot, cosine); got {}", o.score));
  if (o.key == 0) o.key = o.model;
  if (o.value == 0) o.value = o.model;
  if (o.key < 1 || o.value < 1)
    throw ValueError(
        fmt::format("MultiHeadAttention: widths must be positive; got keys {} and values {}", o.key, o.value));
  return o;
}

void require_sequence(const char* what, const Variable& x, int64_t width) {
  if (x.rank() != 3 || x.size(2) != width)
    throw ShapeError(fmt::format("MultiHeadAttention: {} must be [B, {}, {}]; got {}", what, what[0] == 'q' ? "T" : "S",
                                 width, to_string(x.shape())));
}

// What a mask of rank 2 or 3 means beside scores [B, H, T, S]: the same for all heads.
Tensor for_all_heads(const Tensor& mask) { return mask.defined() && mask.rank() == 3 ? mask.unsqueeze(1) : mask; }

Tensor keys_of(const Tensor& words, int64_t B, int64_t S) {
  if (!words.defined()) return {};
  if (!(words.shape() == Shape{B, S}) || words.dtype() != DType::boolean)
    throw ShapeError(fmt::format("MultiHeadAttention: words must be bool {}; got {} {}", to_string(Shape{B, S}),
                                 name_of(words.dtype()), to_string(words.shape())));
  return words.unsqueeze(1).unsqueeze(1);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const Options& o, Generator& rng)
    : options(checked(o)),
      out_proj({.in = options.model, .out = options.model, .bias = options.bias}, rng),
      score(make_score(
          {.name = options.score, .query = options.model / options.heads, .key = options.model / options.heads}, rng)),
      scope(make_scope(options.scope, rng)),
      normaliser(make_normaliser(options.normaliser, rng)),
      dropout({.p = options.dropout}, rng) {
  if (scope->modulates())
    throw ValueError(fmt::format("MultiHeadAttention: the scope must be a mask for all heads; got {}; use local_m",
                                 options.scope.name));
  int64_t D = options.model;
  if (options.key == D && options.value == D) {
    in_proj_weight = xavier_parameter({3 * D, D}, rng);
  } else {
    q_proj_weight = xavier_parameter({D, D}, rng);
    k_proj_weight = xavier_parameter({D, options.key}, rng);
    v_proj_weight = xavier_parameter({D, options.value}, rng);
  }
  if (!options.bias) return;
  in_proj_bias = zeros_parameter({3 * D});
  out_proj.bias.set_value(Tensor::zeros({D}));
}

Variable MultiHeadAttention::heads(const Variable& x) const {
  return transpose(reshape(x, {x.size(0), x.size(1), options.heads, options.model / options.heads}), 1, 2);
}

Variable MultiHeadAttention::project_query(const Variable& query) const {
  require_sequence("query", query, options.model);
  int64_t D = options.model;
  Variable bias = in_proj_bias.defined() ? slice(in_proj_bias, 0, 0, D) : Variable();
  return linear(query, in_proj_weight.defined() ? slice(in_proj_weight, 0, 0, D) : q_proj_weight, bias);
}

HeadMemory MultiHeadAttention::remember(const Variable& key, const Variable& value) const {
  Call call(*this);
  require_sequence("key", key, options.key);
  require_sequence("value", value, options.value);
  if (key.size(0) != value.size(0) || key.size(1) != value.size(1))
    throw ShapeError(fmt::format("MultiHeadAttention: needs a value for each key; got keys {} and values {}",
                                 to_string(key.shape()), to_string(value.shape())));
  int64_t D = options.model;
  auto rows = [&](const Variable& all, int64_t from, int64_t to) {
    return all.defined() ? slice(all, 0, from * D, to * D) : Variable();
  };
  Variable k, v;  // [B, S, D]
  if (in_proj_weight.defined() && key.same_as(value)) {
    auto both = split(linear(key, rows(in_proj_weight, 1, 3), rows(in_proj_bias, 1, 3)), {D, D}, -1);
    k = both[0], v = both[1];
  } else {
    k = linear(key, in_proj_weight.defined() ? rows(in_proj_weight, 1, 2) : k_proj_weight, rows(in_proj_bias, 1, 2));
    v = linear(value, in_proj_weight.defined() ? rows(in_proj_weight, 2, 3) : v_proj_weight, rows(in_proj_bias, 2, 3));
  }
  return {call.result("keys", heads(k)), call.result("values", heads(v))};
}

MultiHeadOutput MultiHeadAttention::read(const Variable& queries, const HeadMemory& memory,
                                         const HeadMasks& masks) const {
  int64_t B = queries.size(0), T = queries.size(1), S = memory.keys.size(2);
  if (memory.keys.size(0) != B)
    throw ShapeError(fmt::format("MultiHeadAttention: queries and keys must come from one batch; got {} and {}", B,
                                 memory.keys.size(0)));
  Variable scores = (*score)(heads(queries), memory.keys);  // [B, H, T, S]
  if (masks.bias.defined()) scores = scores + masks.bias;
  Window window = (*scope)(queries, {.queries = T, .keys = S, .first = masks.first});
  Tensor allowed = both(both(keys_of(masks.words, B, S), for_all_heads(masks.allowed)), for_all_heads(window.allowed));
  Attended seen =
      attend(scores, memory.values, {.allowed = allowed, .normaliser = normaliser.get(), .dropout = &dropout});
  return {out_proj(reshape(transpose(seen.context, 1, 2), {B, T, options.model})), seen.weights};
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& x, const HeadMasks& masks) const {
  if (!in_proj_weight.defined()) return (*this)(x, x, x, masks);  // which says what is wrong with x
  Call call(*this);
  require_sequence("query", x, options.model);
  int64_t D = options.model;
  auto parts = split(linear(x, in_proj_weight, in_proj_bias), {D, D, D}, -1);  // one product for all three
  MultiHeadOutput seen = read(parts[0], {heads(parts[1]), heads(parts[2])}, masks);
  return {call.result("output", seen.output), call.result("weights", seen.weights)};
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& query, const HeadMemory& memory,
                                               const HeadMasks& masks) const {
  Call call(*this);
  MultiHeadOutput seen = read(project_query(query), memory, masks);
  return {call.result("output", seen.output), call.result("weights", seen.weights)};
}

MultiHeadOutput MultiHeadAttention::operator()(const Variable& query, const Variable& key, const Variable& value,
                                               const HeadMasks& masks) const {
  if (in_proj_weight.defined() && query.same_as(key) && key.same_as(value)) return (*this)(query, masks);
  return (*this)(query, remember(key, value), masks);
}

}  // namespace heed::nn
