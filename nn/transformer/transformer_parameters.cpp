// The number of parameters of a transformer, from its options: the formulas of transformer_options.h, and what its
// stages and its output head have, which are made once for small widths and counted.
#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/registry.h"
#include "nn/layers.h"
#include "nn/models/output_heads/output_head.h"
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
  mixer.causal = o.causal;
  return count_stage(mixer, o.model, o.heads, make_mixer);
}

// What the stages of all layers of a stack have, and its mixers have more than an attention without stages.
int64_t of_stack(const TransformerStackOptions& o, int64_t attention) {
  int64_t all = 0;
  for (int64_t i = 0; i < o.layers; ++i) {
    TransformerLayerOptions layer = layer_of(o, i);
    all += layer.mixer.name.empty() ? of_stages(layer) + of_scope(layer) : of_mixer(layer) - attention;
    if (layer.shared_keys) {
      const int64_t K = layer.model / layer.heads, groups = layer.kv_heads == 0 ? layer.heads : layer.kv_heads;
      all -= 2 * groups * K * (layer.model + 1) + (layer.query_key_norm ? K : 0);
    }
    if (layer.cross) {
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
}  // namespace

int64_t transformer_parameters(const TransformerOptions& o) {
  int64_t D = o.model, F = o.inner, V = o.target_vocabulary;
  int64_t H = o.heads, K = D / H, E = o.kv_heads == 0 ? D : o.kv_heads * K;
  // The stages have what they have: made once, and counted.
  Generator unused(0);
  HeadPositionOptions position = head_position_of(o);
  position.query = position.key = K, position.heads = H;
  std::unique_ptr<HeadPosition> placed = make_head_position(position, unused);
  int64_t of_position = count_parameters(*placed), table = placed->shared() ? of_position : 0;
  int64_t attention = 2 * D * D + 2 * D * E + 2 * D + 2 * E + (o.query_key_norm ? 2 * K : 0) +
                      (o.attention_gate ? D * D + D : 0) + (o.head_scale ? H : 0);
  int64_t mixes = o.value_residual ? 2 * (o.encoder_layers + o.decoder_layers - 2) : 0;
  int64_t per_layer = placed->shared() ? 0 : of_position;
  int64_t feed_forward = is_gated(o.activation) ? 3 * D * F + 2 * F + D : 2 * D * F + F + D;
  int64_t norm = o.norm == "rms" ? D : 2 * D, final_norm = o.final_norm ? norm : 0;
  int64_t encoder = o.encoder_layers * (attention + per_layer + feed_forward + 2 * norm) + final_norm + table;
  int64_t decoder = o.decoder_layers * (2 * attention + per_layer + feed_forward + 3 * norm) + final_norm + table;
  int64_t matrices = (o.tie == "all" ? 0 : o.source_vocabulary) + V;
  int64_t positions =
      2 * embedding_position_parameters({.name = o.positions, .width = D, .max_positions = o.max_positions});
  int64_t stages = of_stack(stack_of(o, TransformerPart::encoder), attention) +
                   of_stack(stack_of(o, TransformerPart::decoder), attention);
  return encoder + decoder + mixes + stages + matrices * D + positions + of_output(o);
}

}  // namespace heed::nn
