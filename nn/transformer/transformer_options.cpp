#include "nn/transformer/transformer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/registry.h"
#include "nn/output_heads/output_head.h"

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

std::vector<LayerMixer> mixers_from(const std::string& text) {
  std::vector<LayerMixer> mixers;
  if (text.empty()) return mixers;
  Generator unused(0);
  for (const std::string& item : stage_texts(text)) {
    mixers.push_back(mixer_from(item));
    ScopeOptions scope = mixers.back().scope;
    scope.query = scope.key = 1;
    if (!scope.name.empty()) make_scope(scope, unused);  // checks each scope of a composition
  }
  return mixers;
}

// Positions inside attention have no effect in a mixer, so they are refused together.
void require_mixers(const TransformerOptions& o) {
  std::vector<LayerMixer> all = mixers_from(o.mixers), encoder = mixers_from(o.encoder_mixers);
  for (const LayerMixer& m : encoder) all.push_back(m);
  for (const LayerMixer& m : all) {
    if (m.mixer.name.empty()) continue;
    if (!added_to_embedding(o.positions) && o.positions != "none")
      throw ValueError(
          fmt::format("Transformer: positions inside attention do not reach the mixer {}; got the positions {}; hint: "
                      "sinusoidal, learned or none",
                      m.mixer.name, o.positions));
  }
}

int64_t most_layers(const TransformerOptions& o) { return std::max(o.encoder_layers, o.decoder_layers); }

// Whether a layer of either stack has the scope of the options, and neither a mixer nor a scope of its own.
bool scope_is_used(const TransformerOptions& o) {
  auto in = [](const std::string& text, int64_t layers) {
    const std::vector<LayerMixer> mixers = mixers_from(text);
    return mixers.empty() ||
           std::any_of(mixers.begin(), mixers.begin() + std::min(std::ssize(mixers), layers),
                       [](const LayerMixer& m) { return m.mixer.name.empty() && m.scope.name.empty(); });
  };
  return in(o.mixers, o.decoder_layers) || in(o.encoder_mixers.empty() ? o.mixers : o.encoder_mixers, o.encoder_layers);
}

Need a_layer_for_each(const std::string& mixers, const char* option, std::function<int64_t()> layers) {
  const auto count = mixers.empty() ? int64_t{0} : std::ssize(stage_texts(mixers));
  return {option, fmt::format("{} or more", count), [count, layers] { return count <= layers(); }};
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
  auto stage = [&](Kind kind, std::string& place, const std::string& help, bool may_be_empty = false) -> OptionField& {
    return f(name_of(kind), stage_place(kind, &place, may_be_empty), help, stage_names(kind));
  };
  // A text field; `read` throws if the text is invalid.
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
  for (const AroundRow& row : around_rows())
    if (bool& on = around[row.about->name()].on; !row.require) {
      OptionField& added = f(row.about->name(), on, row.help);
      if (row.passes) added.needs = Need{"layers", "2 or more", [this, &on] { return !on || most_layers(*this) > 1; }};
    }
  f("shared_keys", shared_keys, "layers in a row that share the keys and values of the first", layer);
  for (const AroundRow& row : around_rows())
    if (row.require)
      f(row.about->name(),
        checked(around[row.about->name()].text, [&row](const std::string& text) { row.require(text, 0, 0); }), row.help,
        row.examples)
          .any_text = true;
  f("inner", inner, "feed-forward width (d_ff)", width);
  f("encoder_layers", encoder_layers, "number of layers of the encoder, and of the decoder", layer).option = "layers";
  f("decoder_layers", decoder_layers, "number of layers of the decoder, where it has others", layer).usual =
      "as --layers";
  f("activation", activation, "activation of the feed-forward network", {"relu", "gelu", "geglu", "swiglu"});
  f("norm", norm, "layer norm or RMS norm", {"layer", "rms"});
  f("norm_first", norm_first, "normalise before each sub-layer (pre-norm), not after it");
  f("final_norm", final_norm, "normalise after the last layer of each stack");
  f("dropout", dropout, "dropout probability", kFraction);
  f("attention_dropout", attention_dropout, "dropout of the attention weights; -1: as --dropout", dropped).usual =
      "as --dropout";
  f("inner_dropout", inner_dropout, "dropout inside the feed-forward network; -1: as --dropout", dropped).usual =
      "as --dropout";
  f("positions", checked(positions, as_positions), "kind of positions: added to the embedding, or inside attention",
    all_positions);
  f("max_positions", max_positions, "number of learned positions", width).needs =
      Need{"positions", "learned", [this] { return positions == "learned"; }};
  stage(Kind::score, score, "attention score; scaled_dot, or what the positions need, if not given", true);
  stage(Kind::scope, scope, "which words attention may look at").needs =
      Need{"mixers", "with attention among them", [this] { return scope_is_used(*this); }};
  stage(Kind::normaliser, normaliser, "how attention scores become weights");
  stage(Kind::evaluator, evaluator, "how attention is computed");
  f("mixers", checked(mixers, mixers_from),
    "self-attention layer by layer, in turn, as in attention,window:8; all alike if not given", all_mixers)
      .needs = a_layer_for_each(mixers, encoder_mixers.empty() ? "layers" : "decoder_layers",
                                [this] { return encoder_mixers.empty() ? most_layers(*this) : decoder_layers; });
  f("encoder_mixers", checked(encoder_mixers, mixers_from),
    "the same for the encoder, where it has others than --mixers", all_mixers)
      .needs = a_layer_for_each(encoder_mixers, "layers", [this] { return encoder_layers; });
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
  return stage_from(Kind::position, o.positions);
}

Arounds arounds_of(const TransformerOptions& o) {
  Arounds chosen;
  for (const auto& [name, option] : o.around) around_row(name);  // is there one of this name?
  for (const AroundRow& row : around_rows())
    if (auto at = o.around.find(row.about->name());
        at != o.around.end() && (row.require ? !at->second.text.empty() : at->second.on))
      chosen.push_back({at->first, at->second.text});
  return chosen;
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
  for (const ChosenAround& one : arounds_of(o)) {
    const AroundRow& row = around_row(one.name);
    if (row.require) row.require(one.text, std::max(o.encoder_layers, o.decoder_layers), o.heads);
    require_alike("Transformer", one.name, !(o.mixers.empty() && o.encoder_mixers.empty()));
  }
  require_output(o);
  return o;
}

namespace {
TransformerStackOptions stack_from(const TransformerOptions& o, TransformerPart part) {
  bool encodes = part == TransformerPart::encoder;
  for (const ChosenAround& one : arounds_of(o))  // all stacks that are made have it
    if (const AroundRow& row = around_row(one.name); row.require)
      row.require(one.text, encodes ? o.encoder_layers : o.decoder_layers, o.heads);
  return {.layer = {.model = o.model,
                    .heads = o.heads,
                    .inner = o.inner,
                    .causal = !encodes,
                    .cross = part == TransformerPart::decoder,
                    .kv_heads = o.kv_heads,
                    .around = arounds_of(o),
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
          .mixers = mixers_from(encodes && !o.encoder_mixers.empty() ? o.encoder_mixers : o.mixers)};
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
