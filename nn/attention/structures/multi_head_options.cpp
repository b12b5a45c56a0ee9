// What multi-head attention is made of: its options checked, and its parameters.
#include <fmt/format.h>

#include <utility>

#include "nn/attention/positions/turns_by_head.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

MultiHeadOptions checked(MultiHeadOptions o) {
  if (o.model < 1 || o.heads < 1 || o.head < 0 || (o.head == 0 && o.model % o.heads != 0))
    throw ValueError(fmt::format("MultiHeadAttention: the heads must divide the width of the model; got {} heads of {}",
                                 o.heads, o.model));
  if (o.head == 0) o.head = o.model / o.heads;
  if (o.key == 0) o.key = o.model;
  if (o.value == 0) o.value = o.model;
  if (o.key < 1 || o.value < 1)
    throw ValueError(
        fmt::format("MultiHeadAttention: widths must be positive; got keys {} and values {}", o.key, o.value));
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  if (o.kv_heads < 1 || o.heads % o.kv_heads != 0)
    throw ValueError(
        fmt::format("MultiHeadAttention: the heads of keys must divide those of queries; got {} of keys and {} heads",
                    o.kv_heads, o.heads));
  if (o.score.name.empty()) o.score.name = default_stage(Kind::score, Role::head);
  return o;
}

// The options of the stages of one head, with the widths of a head.
AttentionOptions stages_of(const MultiHeadOptions& o) {
  AttentionOptions stages{.score = o.score,
                          .scope = o.scope,
                          .normaliser = o.normaliser,
                          .position = o.position,
                          .evaluator = o.evaluator,
                          .dropout = o.dropout};
  stages.score.query = stages.score.key = o.head, stages.score.heads = o.heads;
  for (StageOptions* stage : {&stages.scope, &stages.normaliser, &stages.position, &stages.evaluator})
    stage->query = stage->key = 0, stage->heads = 1;  // 0: take the width from the score
  for (StageOptions* stage : {&stages.score, &stages.scope, &stages.normaliser, &stages.position, &stages.evaluator})
    stage->layer = o.layer, stage->layers = o.layers;
  return stages;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const Options& o, Generator& rng)
    : MultiHeadAttention(checked(o),
                         Linear({.in = o.head > 0 ? o.heads * o.head : o.model, .out = o.model, .bias = o.bias}, rng),
                         rng) {}

MultiHeadAttention::MultiHeadAttention(const Options& o, Linear out, Generator& rng)
    : Pipeline("MultiHeadAttention", stages_of(o), rng), options(o), out_proj(std::move(out)) {
  int64_t D = options.model, Q = options.heads * width(), E = options.kv_heads * width();
  if (auto* each = dynamic_cast<TurnsByHead*>(position.get())) each->share(options.kv_heads);
  if (options.shared_keys) {
    q_proj_weight = xavier_parameter({Q, D}, rng);
  } else if (options.key == D && options.value == D && !options.apart) {
    in_proj_weight = xavier_parameter({Q + 2 * E, D}, rng);
  } else {
    q_proj_weight = xavier_parameter({Q, D}, rng);
    k_proj_weight = xavier_parameter({E, options.key}, rng);
    v_proj_weight = xavier_parameter({E, options.value}, rng);
  }
  if (options.cross || options.shared_keys)
    require_own_words("MultiHeadAttention", options.cross ? "cross-attention" : "keys and values of another layer");
  around = make_arounds(options.around,
                        {.model = D,
                         .heads = options.heads,
                         .head = width(),
                         .layer = options.layer,
                         .cross = options.cross,
                         .own_keys = !options.shared_keys,
                         .bias = options.bias},
                        rng);
  if (const char* why = any(&Around::needs_values); why && options.shared_keys)
    throw ValueError(fmt::format("MultiHeadAttention: {}; got keys and values of another layer", why));
  if (options.shared_keys && evaluator && evaluator->keeps_state())
    throw ValueError(fmt::format(
        "MultiHeadAttention: keys and values of another layer need an evaluator that reads them; got {}; use auto",
        stages.evaluator.name));
  if (const char* why = any(&Around::needs_scores); why && evaluator && !evaluator->exact())
    throw ValueError(fmt::format("MultiHeadAttention: {}; got {}; use auto", why, stages.evaluator.name));
  if (!options.bias) return;
  if (options.apart) {
    q_proj_bias = zeros_parameter({Q});
    k_proj_bias = zeros_parameter({E});
    v_proj_bias = zeros_parameter({E});
  } else {
    in_proj_bias = zeros_parameter({options.shared_keys ? Q : Q + 2 * E});
  }
  out_proj.bias = zeros_parameter({D});
}

void MultiHeadAttention::visit(Visitor& v) {
  v.parameter("in_proj_weight", in_proj_weight);
  v.parameter(options.apart ? "q_proj.weight" : "q_proj_weight", q_proj_weight);
  v.parameter(options.apart ? "k_proj.weight" : "k_proj_weight", k_proj_weight);
  v.parameter(options.apart ? "v_proj.weight" : "v_proj_weight", v_proj_weight);
  v.parameter("in_proj_bias", in_proj_bias);
  v.parameter("q_proj.bias", q_proj_bias);  // these three of options.apart
  v.parameter("k_proj.bias", k_proj_bias);
  v.parameter("v_proj.bias", v_proj_bias);
  v.child("out_proj", out_proj);
  for (auto& wrapper : around) v.child("", *wrapper);
  visit_stages(v);
  v.child("dropout", weight_dropout);
}

}  // namespace heed::nn
