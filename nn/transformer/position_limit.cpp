// The largest number of words that a transformer can read or write. Most stages take sentences of any length. Those
// with a table that has a row for each position do not: learned positions, the scores location and synthesizer, the
// evaluator cosformer, and mixers such as gmlp. The position xpos has no table, but factors that would leave the range
// of their type (positions/counts_in_blocks.h). The smallest of these numbers is the limit of the model.
#include <algorithm>

#include "nn/attention/evaluators/by_blocks.h"
#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "nn/transformer/transformer_options.h"

namespace heed::nn {
namespace {

// The number of rows of a stage's table; 0: it has none.
int64_t rows_of(Kind kind, const StageOptions& stage) {
  if (stage.name.empty() || chosen_by_call(stage)) return 0;
  const SettingValues settings = completed_stage(kind, stage).settings;
  for (const char* name : {"max_source", "longest"})
    if (settings.contains(name)) return static_cast<int64_t>(settings.at(name));
  return 0;
}

// The number of words that the self-attention of one layer can take, if its position counts in blocks; 0: any number.
int64_t words_of(TransformerLayerOptions layer) {
  if (!layer.mixer.name.empty()) return 0;
  Generator unused(0);
  for (StageOptions* stage : {&layer.position, &layer.score, &layer.evaluator, &layer.scope})
    stage->query = stage->key = layer.model / layer.heads, stage->heads = layer.heads, stage->causal = layer.causal;
  auto position = make_head_position(layer.position, unused);
  if (!dynamic_cast<const CountsInBlocks*>(position.get())) return 0;
  if (layer.score.name.empty()) layer.score.name = default_stage(Kind::score, Role::head);
  auto scope = make_scope(layer.scope, unused);
  std::unique_ptr<Evaluator> by;
  if (!chosen_by_call(layer.evaluator)) by = make_evaluator(layer.evaluator, unused);
  auto most = [&](bool ahead) {
    return most_words(*position, *make_score(layer.score, unused), by.get(), ahead, parameter_dtype());
  };
  if (layer.causal || scope->causal()) return most(/*ahead=*/false);
  const int64_t limit = most(/*ahead=*/true);  // in a sentence of that length, words are at most limit - 1 apart
  return scope->reach().value_or(limit) < limit ? most(/*ahead=*/false) : limit;
}

}  // namespace

int64_t position_limit(const TransformerOptions& o) {
  int64_t limit = embedding_position_limit({.name = o.positions, .width = o.model, .max_positions = o.max_positions});
  auto add = [&](int64_t most) {
    if (most > 0) limit = limit > 0 ? std::min(limit, most) : most;
  };
  for (TransformerPart part : {TransformerPart::encoder, TransformerPart::decoder}) {
    const TransformerStackOptions stack = stack_of(o, part);
    add(rows_of(Kind::score, stack.layer.score));
    add(rows_of(Kind::evaluator, stack.layer.evaluator));
    for (int64_t i = 0; i < stack.layers; ++i) add(words_of(layer_of(stack, i)));
    for (const LayerMixer& layer : stack.mixers) {
      add(rows_of(Kind::mixer, layer.mixer));
      add(rows_of(Kind::evaluator, layer.evaluator));
    }
  }
  return limit;
}

}  // namespace heed::nn
