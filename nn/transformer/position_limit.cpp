// The largest number of words that a transformer can read or write. Most stages take sentences of any length. Those
// with a table that has a row for each position do not: learned positions, the scores location and synthesizer, the
// evaluator cosformer, and mixers such as gmlp. The smallest of these tables is the limit of the model.
#include <algorithm>

#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/registry.h"
#include "nn/transformer/transformer_options.h"

namespace heed::nn {
namespace {

// The number of rows of a stage's table; 0: it has none.
int64_t rows_of(Kind kind, const StageOptions& stage) {
  if (stage.name.empty() || chosen_by_call(stage)) return 0;
  const Settings settings = completed_stage(kind, stage).settings;
  for (const char* name : {"max_source", "longest"})
    if (settings.contains(name)) return settings.whole(name);
  return 0;
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
    for (const LayerMixer& layer : stack.mixers) {
      add(rows_of(Kind::mixer, layer.mixer));
      add(rows_of(Kind::evaluator, layer.evaluator));
    }
  }
  return limit;
}

}  // namespace heed::nn
