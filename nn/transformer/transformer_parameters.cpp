// The number of parameters of a transformer, from its options: the formulas of transformer_options.h, and what its
// stages and its output head have, which are made once for small widths and counted.
#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/evaluators/halves_heads.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/positions/turns_by_head.h"
#include "nn/attention/registry.h"
#include "nn/feed_forward.h"
#include "nn/layers.h"
#include "nn/output_heads/output_head.h"
#include "nn/transformer/transformer_options.h"

namespace heed::nn {

namespace {
// Parameters of a stage of `heads` heads of this width.
template <class Make>
int64_t count_stage(StageOptions stage, int64_t width, int64_t heads, Make make) {
  if (chosen_by_call(stage)) return 0;
  Generator unused(0);
  stage.query = stage.key = width, stage.heads = heads;
  return count_parameters(*make(stage, unused));
}

// Parameters that score, normaliser and evaluator of one attention have, or its scope.
int64_t of_stages(const TransformerLayerOptions& o) {
  int64_t K = o.model / o.heads;
  return count_stage(o.score, K, o.heads, make_score) + count_stage(o.normaliser, K, o.heads, make_normaliser) +
         count_stage(o.evaluator, K, o.heads, make_evaluator);
}
int64_t of_scope(const TransformerLayerOptions& o) {
  return count_stage(o.scope, o.model / o.heads, o.heads, make_scope);
}

int64_t of_mixer(const TransformerLayerOptions& o) {
  StageOptions mixer = o.mixer;
  mixer.causal = o.causal, mixer.layer = o.layer, mixer.layers = o.layers;  // the first layer may have fewer
  return count_stage(mixer, o.model, o.heads, make_mixer);
}

int64_t of_around(const TransformerLayerOptions& o, bool cross) {
  Generator unused(0);
  int64_t all = 0;
  for (auto& wrapper : make_arounds(
           o.around,
           {.model = o.model, .heads = o.heads, .layer = o.layer, .cross = cross, .own_keys = cross || !o.shared_keys},
           unused))
    all += count_parameters(*wrapper);
  return all;
}

// What the stages of all layers of a stack have, and its mixers have more than an attention without stages.
int64_t of_stack(const TransformerStackOptions& o, int64_t attention) {
  int64_t all = 0;
  for (int64_t i = 0; i < o.layers; ++i) {
    TransformerLayerOptions layer = layer_of(o, i);
    all += layer.mixer.name.empty() ? of_stages(layer) + of_scope(layer) : of_mixer(layer) - attention;
    if (layer.shared_keys) {
      const int64_t K = layer.model / layer.heads, groups = layer.kv_heads == 0 ? layer.heads : layer.kv_heads;
      all -= 2 * groups * K * (layer.model + 1);
    }
    if (layer.mixer.name.empty()) all += of_around(layer, false);
    if (layer.cross) {
      all += of_around(layer, true);
      layer.evaluator = o.layer.evaluator;
      all += of_stages(layer);
    }
  }
  return all;
}

// Those of the output head without a tied matrix. The head is made for one word, not for a vocabulary.
int64_t of_output(const TransformerOptions& o) {
  Generator unused(0);
  std::unique_ptr<OutputHead> head = make_output_head(
      {.name = o.output, .features = o.model, .vocabulary = 1, .bias = o.output_bias, .states = o.model}, unused);
  int64_t all = count_parameters(*head);
  const Linear* layer = head->vocabulary_layer();
  if (!layer) return all;
  int64_t word = layer->weight.count() + (o.output_bias ? 1 : 0), tied = o.tie != "none" ? o.model : 0;
  return all + (o.target_vocabulary - 1) * word - tied * o.target_vocabulary;
}

// Does a position turn halves of heads apart?
bool halves_heads(const TransformerOptions& o) {
  EvaluatorOptions by = stage_from(Kind::evaluator, o.evaluator);
  if (chosen_by_call(by)) return false;
  Generator unused(0);
  by.query = by.key = o.model / o.heads;
  return dynamic_cast<const HalvesHeads*>(make_evaluator(by, unused).get()) != nullptr;
}

// A stack: its layers, its norm, and the position that its layers share.
int64_t of_part(const TransformerOptions& o, TransformerPart part) {
  const int64_t D = o.model, F = o.inner, K = D / o.heads, E = o.kv_heads == 0 ? D : o.kv_heads * K;
  HeadPositionOptions position = head_position_of(o);  // made once, and counted
  position.query = position.key = halves_heads(o) ? K / 2 : K;
  position.heads = o.heads;
  Generator unused(0);
  std::unique_ptr<HeadPosition> placed = make_head_position(position, unused);
  if (auto* each = dynamic_cast<TurnsByHead*>(placed.get())) each->share(o.kv_heads == 0 ? o.heads : o.kv_heads);
  const int64_t of_position = count_parameters(*placed), table = placed->shared() ? of_position : 0;
  const int64_t attention = 2 * D * D + 2 * D * E + 2 * D + 2 * E;
  const int64_t feed_forward = is_gated(o.activation) ? 3 * D * F + 2 * F + D : 2 * D * F + F + D;
  const int64_t norm = o.norm == "rms" ? D : 2 * D, final_norm = o.final_norm ? norm : 0;
  const int64_t cross = part == TransformerPart::decoder ? attention + norm : 0;
  const int64_t layers = part == TransformerPart::encoder ? o.encoder_layers : o.decoder_layers;
  return layers * (attention + cross + of_position - table + feed_forward + 2 * norm) + final_norm + table +
         of_stack(stack_of(o, part), attention);
}
}  // namespace

int64_t encoder_parameters(const TransformerOptions& o) { return of_part(o, TransformerPart::encoder); }

int64_t transformer_parameters(const TransformerOptions& o) {
  const int64_t matrices = (o.tie == "all" ? 0 : o.source_vocabulary) + o.target_vocabulary;
  return of_part(o, TransformerPart::encoder) + of_part(o, TransformerPart::decoder) + matrices * o.model +
         2 * embedding_position_parameters({.name = o.positions, .width = o.model, .max_positions = o.max_positions}) +
         of_output(o);
}

}  // namespace heed::nn
