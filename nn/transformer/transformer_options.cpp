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
  std::vector<std::string> evaluators = stage_names(Kind::evaluator), scopes = stage_names(Kind::scope),
                           mixers = stage_names(Kind::mixer);
  if (std::count(mixers.begin(), mixers.end(), name)) return {.mixer = stage_from(Kind::mixer, text)};
  if (std::count(evaluators.begin(), evaluators.end(), name)) return {.evaluator = stage_from(Kind::evaluator, text)};
  if (!joins(text) && !std::count(scopes.begin(), scopes.end(), name))
    throw ValueError(fmt::format("Transformer: no mixer of this name; got `{}`; there are attention, {}, {}, {}", text,
                                 fmt::join(scopes, ", "), fmt::join(evaluators, ", "), fmt::join(mixers, ", ")));
  return {.scope = stage_from(Kind::scope, text)};
}

// 0.3,2.1 -> head 3 of layer 0, head 1 of layer 2.
std::vector<std::pair<int64_t, int64_t>> pruned_from(const std::string& text) {
  std::vector<std::pair<int64_t, int64_t>> heads;
  for (const std::string& item : text.empty() ? std::vector<std::string>{} : stage_texts(text)) {
    size_t dot = item.find('.');
    bool number = item.size() < 10 && item.find_first_not_of("0123456789.") == std::string::npos;
    if (!number || dot == std::string::npos || dot == 0 || dot + 1 == item.size() || item.rfind('.') != dot)
      throw ValueError(fmt::format(
          "Transformer: pruned heads must be layer.head, separated by commas; got `{}`; hint: 0.3,2.1", text));
    heads.emplace_back(std::stoll(item.substr(0, dot)), std::stoll(item.substr(dot + 1)));
  }
  return heads;
}

void require_pruned(const TransformerOptions& o) {
  int64_t layers = std::max(o.encoder_layers, o.decoder_layers);
  for (const auto& [layer, head] : pruned_from(o.pruned_heads))
    if (layer >= layers || head >= o.heads)
      throw ValueError(fmt::format("Transformer: a pruned head must be one of {} layers of {} heads; got {}.{}", layers,
                                   o.heads, layer, head));
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

// What no layer would use, and what a mixer has no place for.
void require_mixers(const TransformerOptions& o) {
  std::vector<LayerMixer> all = mixers_from(o.mixers), encoder = mixers_from(o.encoder_mixers);
  for (const LayerMixer& m : encoder) all.push_back(m);
  for (const LayerMixer& m : all) {
    if (m.mixer.name.empty()) continue;
    if (o.value_residual)
      throw ValueError(fmt::format(
          "Transformer: values that are passed on need attention in every layer; got value residuals with the mixer {}",
          m.mixer.name));
    if (!added_to_embedding(o.positions) && o.positions != "none")
      throw ValueError(
          fmt::format("Transformer: positions inside attention do not reach the mixer {}; got the positions {}; hint: "
                      "sinusoidal, learned or none",
                      m.mixer.name, o.positions));
  }
}

void require_output(const TransformerOptions& o) {
  if (!output_needs_alignment(o.output)) return;
  if (o.source_vocabulary != o.target_vocabulary)
    throw ValueError(
        fmt::format("Transformer: the output {} copies words, so both sides need one vocabulary; got {} and {} words",
                    o.output, o.source_vocabulary, o.target_vocabulary));
}

}  // namespace

void TransformerOptions::fields(OptionFields& f) {
  auto stage = [&](Kind kind, std::string& place, const std::string& help, bool may_be_empty = false) {
    f(name_of(kind), stage_place(kind, &place, may_be_empty), help, stage_names(kind));
  };
  // A text that `read` refuses, or takes.
  auto checked = [](std::string& place, auto read) {
    return TextPlace{[&place] { return place; },
                     [&place, read](const std::string& text) {
                       read(text);
                       place = text;
                     }};
  };
  auto as_positions = [](const std::string& text) {
    TransformerOptions other;
    other.positions = text;
    head_position_of(other);
  };
  std::vector<std::string> all_positions = embedding_positions(), all_mixers = stage_names(Kind::scope);
  for (const std::string& name : stage_names(Kind::position)) all_positions.push_back(name);
  all_mixers.insert(all_mixers.begin(), "attention");
  for (Kind kind : {Kind::evaluator, Kind::mixer})
    for (const std::string& name : stage_names(kind)) all_mixers.push_back(name);
  const Range width{1, 65536}, layer{1, 1024}, dropped{kAsDropout, 1, Range::kBelow};

  f("model", model, "model width (d_model)", width).option = "width";
  f("heads", heads, "number of attention heads", {1, 1024});
  f("kv_heads", kv_heads, "number of key-value heads, a divisor of --heads; 0: the same number", {0, 1024});
  f("query_key_norm", query_key_norm, "normalise the queries and keys of each head");
  f("attention_gate", attention_gate, "multiply the output of the heads by a sigmoid gate");
  f("head_scale", head_scale, "multiply the output of each head by a learned number");
  f("value_residual", value_residual, "mix the values of each layer with those of the first");
  f("score_residual", score_residual, "add the attention scores of the layer before (RealFormer)");
  f("shared_keys", shared_keys, "layers in a row that share the keys and values of the first", layer);
  f("pruned_heads", checked(pruned_heads, pruned_from),
    "heads of self-attention without output: layer.head, as in 0.3,2.1", {"0.0", "0.0,1.1"});
  f("inner", inner, "feed-forward width (d_ff)", width);
  f("encoder_layers", encoder_layers, "number of layers of the encoder, and of the decoder", layer).option = "layers";
  f("decoder_layers", decoder_layers, "number of layers of the decoder, where it has others", layer);
  f("activation", activation, "activation of the feed-forward network", {"relu", "gelu", "geglu", "swiglu"});
  f("norm", norm, "layer norm or RMS norm", {"layer", "rms"});
  f("norm_first", norm_first, "normalise before each sub-layer (pre-norm), not after it");
  f("final_norm", final_norm, "normalise after the last layer of each stack");
  f("dropout", dropout, "dropout probability", kFraction);
  f("attention_dropout", attention_dropout, "dropout of the attention weights; -1: as --dropout", dropped);
  f("inner_dropout", inner_dropout, "dropout inside the feed-forward network; -1: as --dropout", dropped);
  f("positions", checked(positions, as_positions), "kind of positions: added to the embedding, or inside attention",
    all_positions);
  f("max_positions", max_positions, "number of learned positions", width);
  f("max_distance", max_distance, "shaw and t5 clip larger distances to this; -1: 16 for shaw, 128 for t5",
    {kOwnDistance, 65534});
  stage(Kind::score, score, "attention score; scaled_dot, or what the positions need, if not given", true);
  stage(Kind::scope, scope, "which words attention may look at");
  stage(Kind::normaliser, normaliser, "how attention scores become weights");
  stage(Kind::evaluator, evaluator, "how attention is computed");
  f("mixers", checked(mixers, mixers_from),
    "self-attention layer by layer, in turn, as in attention,window:8; all alike if not given", all_mixers);
  f("encoder_mixers", checked(encoder_mixers, mixers_from),
    "the same for the encoder, where it has others than --mixers", all_mixers);
  f("scale_embedding", scale_embedding, "multiply the embedding by the root of the model width");
  f("tie", tie, "which embedding and output matrices are tied", {"none", "target", "all"});
  f("output_bias", output_bias, "give the output layer a bias");
  f("output", output, "what the next word is chosen from", output_names());
  f("token_types", token_types, "kinds of words that have a vector of their own", {0, 65536}).option = kNoOption;
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
  require_options("Transformer", fields_of(o));
  if (o.tie == "all" && o.source_vocabulary != o.target_vocabulary)
    throw ValueError(
        fmt::format("Transformer: embeddings that are one need one vocabulary; got {} and {} words; use "
                    "tie target",
                    o.source_vocabulary, o.target_vocabulary));
  require_stages(o);
  require_mixers(o);
  require_pruned(o);
  if (o.score_residual && !(o.mixers.empty() && o.encoder_mixers.empty()))
    throw ValueError(fmt::format(
        "Transformer: scores that are passed on need layers of one scope; got score residuals with the mixers {}",
        o.mixers.empty() ? o.encoder_mixers : o.mixers));
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
                    .attention_gate = o.attention_gate,
                    .head_scale = o.head_scale,
                    .value_residual = o.value_residual,
                    .score_residual = o.score_residual,
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
          .shared_keys = o.shared_keys,
          .mixers = mixers_from(encodes && !o.encoder_mixers.empty() ? o.encoder_mixers : o.mixers),
          .pruned = pruned_from(o.pruned_heads)};
}
}  // namespace

TransformerStackOptions stack_of(const TransformerOptions& options, TransformerPart part) {
  return stack_from(completed(options), part);
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
  return json_of(fields_of(o));
}

TransformerOptions transformer_options_from(const io::Json& j, const std::vector<std::string>& others) {
  TransformerOptions o;
  try {
    read_option_fields(fields_of(o), j, others);
    require_options("Transformer", fields_of(o));
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
