#include "nn/transformer/transformer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/registry.h"
#include "nn/models/output_heads/output_head.h"

namespace heed::nn {
namespace {

void require_share(const char* what, double p) {
  if (!(p >= 0 && p < 1)) throw ValueError(fmt::format("Transformer: {} must lie in [0, 1); got {}", what, p));
}

// The stages of a head can be made of these options; ValueError says why not.
void require_stages(const TransformerOptions& o) {
  Generator unused(0);
  HeadPositionOptions position = head_position_of(o);
  position.query = position.key = o.model / o.heads, position.heads = o.heads;
  make_head_position(position, unused);
  if (!o.score.empty()) stage_from(Kind::score, o.score);
  ScopeOptions scope = stage_from(Kind::scope, o.scope);
  scope.query = scope.key = position.query;
  make_scope(scope, unused);
  stage_from(Kind::normaliser, o.normaliser);
  stage_from(Kind::evaluator, o.evaluator);
}

// One item of the mixers: which stage of self-attention it replaces.
LayerMixer mixer_from(const std::string& text) {
  if (text == "attention") return {};
  std::string name = text.substr(0, text.find(':'));
  std::vector<std::string> evaluators = stage_names(Kind::evaluator), scopes = stage_names(Kind::scope);
  if (std::count(evaluators.begin(), evaluators.end(), name)) return {.evaluator = stage_from(Kind::evaluator, text)};
  if (!joins(text) && !std::count(scopes.begin(), scopes.end(), name))
    throw ValueError(fmt::format("Transformer: no mixer of this name; got `{}`; there are attention, {}, {}", text,
                                 fmt::join(scopes, ", "), fmt::join(evaluators, ", ")));
  return {.scope = stage_from(Kind::scope, text)};
}

std::vector<LayerMixer> mixers_from(const std::string& text) {
  std::vector<LayerMixer> mixers;
  if (text.empty()) return mixers;
  Generator unused(0);
  for (const std::string& item : stage_texts(text)) {
    mixers.push_back(mixer_from(item));
    ScopeOptions scope = mixers.back().scope;
    scope.query = scope.key = 1;
    if (!scope.name.empty()) make_scope(scope, unused);  // takes a composition apart
  }
  return mixers;
}

void require_output(const TransformerOptions& o) {
  if (!output_needs_alignment(o.output)) return;
  if (o.source_vocabulary != o.target_vocabulary)
    throw ValueError(
        fmt::format("Transformer: the output {} copies words, so both sides need one vocabulary; got {} and {} words",
                    o.output, o.source_vocabulary, o.target_vocabulary));
}

}  // namespace

std::vector<OptionField> option_fields_of(TransformerOptions& o) {
  auto stage = [](Kind kind, std::string* place, const std::string& help, bool may_be_empty = false) {
    return OptionField{.name = name_of(kind),
                       .place = stage_place(kind, place, may_be_empty),
                       .help = help,
                       .names = stage_names(kind),
                       .later = true};
  };
  std::vector<std::string> positions = embedding_positions();
  for (const std::string& name : stage_names(Kind::position)) positions.push_back(name);
  auto set_positions = [&o](const std::string& text) {
    TransformerOptions other;
    other.positions = text;
    head_position_of(other);  // says what is wrong with it
    o.positions = text;
  };
  auto set_mixers = [&o](const std::string& text) {
    mixers_from(text);
    o.mixers = text;
  };
  std::vector<std::string> mixers = stage_names(Kind::scope);
  mixers.insert(mixers.begin(), "attention");
  for (const std::string& name : stage_names(Kind::evaluator)) mixers.push_back(name);
  return {
      {.name = "model",
       .place = &o.model,
       .help = "model width (d_model)",
       .least = 1,
       .most = 65536,
       .option = "width"},
      {"heads", &o.heads, "number of attention heads", {}, 1, 1024},
      {.name = "kv_heads",
       .place = &o.kv_heads,
       .help = "number of key-value heads, a divisor of --heads; 0: the same number",
       .most = 1024,
       .later = true},
      {.name = "query_key_norm",
       .place = &o.query_key_norm,
       .help = "normalise the queries and keys of each head",
       .later = true},
      {"inner", &o.inner, "feed-forward width (d_ff)", {}, 1, 65536},
      {.name = "encoder_layers",
       .place = &o.encoder_layers,
       .help = "number of layers of the encoder, and of the decoder",
       .least = 1,
       .most = 1024,
       .option = "layers"},
      {"decoder_layers", &o.decoder_layers, "number of layers of the decoder, where it has others", {}, 1, 1024},
      {"activation", &o.activation, "activation of the feed-forward network", {"relu", "gelu", "geglu", "swiglu"}},
      {"norm", &o.norm, "layer norm or RMS norm", {"layer", "rms"}},
      {"norm_first", &o.norm_first, "normalise before each sub-layer (pre-norm), not after it"},
      {"final_norm", &o.final_norm, "normalise after the last layer of each stack"},
      {"dropout", &o.dropout, "dropout probability", {}, 0, 1, true},
      {"attention_dropout",
       &o.attention_dropout,
       "dropout of the attention weights; -1: as --dropout",
       {},
       TransformerOptions::kAsDropout,
       1,
       true},
      {"inner_dropout",
       &o.inner_dropout,
       "dropout inside the feed-forward network; -1: as --dropout",
       {},
       TransformerOptions::kAsDropout,
       1,
       true},
      {"positions", TextPlace{[&o] { return o.positions; }, set_positions},
       "kind of positions: added to the embedding, or inside attention", positions},
      {"max_positions", &o.max_positions, "number of learned positions", {}, 1, 65536},
      {.name = "max_distance",
       .place = &o.max_distance,
       .help = "shaw and t5 clip larger distances to this; -1: 16 for shaw, 128 for t5",
       .least = TransformerOptions::kOwnDistance,
       .most = 65534,
       .later = true},
      stage(Kind::score, &o.score, "attention score; scaled_dot, or what the positions need, if not given", true),
      stage(Kind::scope, &o.scope, "which words attention may look at"),
      stage(Kind::normaliser, &o.normaliser, "how attention scores become weights"),
      stage(Kind::evaluator, &o.evaluator, "how attention is computed"),
      {.name = "mixers",
       .place = TextPlace{[&o] { return o.mixers; }, set_mixers},
       .help = "self-attention layer by layer, in turn, as in attention,window:8; all alike if not given",
       .names = mixers,
       .later = true},
      {"scale_embedding", &o.scale_embedding, "multiply the embedding by the root of the model width"},
      {"tie", &o.tie, "which embedding and output matrices are tied", {"none", "target", "all"}},
      {"output_bias", &o.output_bias, "give the output layer a bias"},
      {.name = "output",
       .place = &o.output,
       .help = "what the next word is chosen from",
       .names = output_names(),
       .later = true},
      {.name = "token_types",
       .place = &o.token_types,
       .help = "kinds of words that have a vector of their own",
       .most = 65536,
       .option = kNoOption},
  };
}

int64_t position_limit(const TransformerOptions& o) {
  return embedding_position_limit({.name = o.positions, .width = o.model, .max_positions = o.max_positions});
}

HeadPositionOptions head_position_of(const TransformerOptions& o) {
  if (added_to_embedding(o.positions)) return {};
  std::string name = o.positions.substr(0, o.positions.find(':'));
  std::vector<std::string> inside = stage_names(Kind::position);
  if (std::find(inside.begin(), inside.end(), name) == inside.end())
    throw ValueError(fmt::format("Transformer: no positions of this name; got `{}`; there are {}, {}", name,
                                 fmt::join(embedding_positions(), ", "), fmt::join(inside, ", ")));
  HeadPositionOptions position = stage_from(Kind::position, o.positions);
  if (o.max_distance != TransformerOptions::kOwnDistance && position.settings.contains("max_distance"))
    position.settings["max_distance"] = static_cast<double>(o.max_distance);
  return position;
}

TransformerOptions completed(TransformerOptions o) {
  if (o.model < 1 || o.heads < 1 || o.model % o.heads != 0)
    throw ValueError(
        fmt::format("Transformer: the heads must divide the width of the model; got {} heads of {}", o.heads, o.model));
  if (o.kv_heads < 0 || (o.kv_heads > 0 && o.heads % o.kv_heads != 0))
    throw ValueError(
        fmt::format("Transformer: the heads of keys must divide those of queries; got {} of keys and {} heads",
                    o.kv_heads, o.heads));
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  require_share("dropout", o.dropout);
  if (o.attention_dropout == TransformerOptions::kAsDropout) o.attention_dropout = o.dropout;
  if (o.inner_dropout == TransformerOptions::kAsDropout) o.inner_dropout = o.dropout;
  require_share("attention_dropout", o.attention_dropout);
  require_share("inner_dropout", o.inner_dropout);
  require_options("Transformer", option_fields_of(o));
  if (o.tie == "all" && o.source_vocabulary != o.target_vocabulary)
    throw ValueError(
        fmt::format("Transformer: embeddings that are one need one vocabulary; got {} and {} words; use "
                    "tie target",
                    o.source_vocabulary, o.target_vocabulary));
  require_stages(o);
  mixers_from(o.mixers);
  require_output(o);
  return o;
}

namespace {
TransformerStackOptions stack_from(const TransformerOptions& o, TransformerPart part) {
  bool encodes = part == TransformerPart::encoder;
  return {.layer = {.model = o.model,
                    .heads = o.heads,
                    .inner = o.inner,
                    .causal = !encodes,
                    .cross = part == TransformerPart::decoder,
                    .kv_heads = o.kv_heads,
                    .query_key_norm = o.query_key_norm,
                    .score = o.score.empty() ? ScoreOptions{} : stage_from(Kind::score, o.score),
                    .scope = stage_from(Kind::scope, o.scope),
                    .normaliser = stage_from(Kind::normaliser, o.normaliser),
                    .position = head_position_of(o),
                    .evaluator = stage_from(Kind::evaluator, o.evaluator),
                    .activation = o.activation,
                    .norm = o.norm,
                    .norm_first = o.norm_first,
                    .dropout = o.dropout,
                    .attention_dropout = o.attention_dropout,
                    .inner_dropout = o.inner_dropout},
          .layers = encodes ? o.encoder_layers : o.decoder_layers,
          .final_norm = o.final_norm,
          .mixers = mixers_from(o.mixers)};
}
}  // namespace

TransformerStackOptions stack_of(const TransformerOptions& options, TransformerPart part) {
  return stack_from(completed(options), part);
}

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

// Those of the stages of all layers of a stack.
int64_t of_stack(const TransformerStackOptions& o) {
  int64_t all = 0;
  for (int64_t i = 0; i < o.layers; ++i) {
    TransformerLayerOptions layer = layer_of(o, i);
    all += of_stages(layer) + of_scope(layer);
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
  std::unique_ptr<OutputHead> head =
      make_output_head({.name = o.output, .features = o.model, .vocabulary = 1, .bias = o.output_bias}, unused);
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
  int64_t attention = 2 * D * D + 2 * D * E + 2 * D + 2 * E + (o.query_key_norm ? 2 * K : 0);
  int64_t per_layer = placed->shared() ? 0 : of_position;
  int64_t feed_forward = is_gated(o.activation) ? 3 * D * F + 2 * F + D : 2 * D * F + F + D;
  int64_t norm = o.norm == "rms" ? D : 2 * D, final_norm = o.final_norm ? norm : 0;
  int64_t encoder = o.encoder_layers * (attention + per_layer + feed_forward + 2 * norm) + final_norm + table;
  int64_t decoder = o.decoder_layers * (2 * attention + per_layer + feed_forward + 3 * norm) + final_norm + table;
  int64_t matrices = (o.tie == "all" ? 0 : o.source_vocabulary) + V;
  int64_t positions =
      2 * embedding_position_parameters({.name = o.positions, .width = D, .max_positions = o.max_positions});
  int64_t stages =
      of_stack(stack_from(o, TransformerPart::encoder)) + of_stack(stack_from(o, TransformerPart::decoder));
  return encoder + decoder + stages + matrices * D + positions + of_output(o);
}

TransformerOptions transformer_base(int64_t vocabulary) {
  return {.source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .final_norm = false,
          .dropout = 0.1,
          .attention_dropout = 0,
          .inner_dropout = 0,
          .tie = "all",
          .output_bias = false};
}

TransformerOptions transformer_multi30k_small(int64_t vocabulary) {
  return {.source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .model = 256,
          .heads = 8,
          .inner = 512,
          .encoder_layers = 3,
          .decoder_layers = 3,
          .norm_first = true,
          .dropout = 0.1,
          .tie = "all"};
}

TransformerOptions transformer_multi30k_tiny(int64_t vocabulary) {
  return {.source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .model = 128,
          .heads = 4,
          .inner = 256,
          .encoder_layers = 4,
          .decoder_layers = 4,
          .final_norm = false,
          .dropout = 0.3,
          .tie = "all"};
}

io::Json to_json(const TransformerOptions& options) {
  TransformerOptions o = options;
  return json_of(option_fields_of(o));
}

TransformerOptions transformer_options_from(const io::Json& j) {
  TransformerOptions o;
  try {
    read_option_fields(option_fields_of(o), j);
    require_options("Transformer", option_fields_of(o));
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
