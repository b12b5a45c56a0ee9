#include "nn/transformer/transformer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

void require_one_of(const char* what, const std::string& value, std::initializer_list<const char*> known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string all;
  for (const char* name : known) all += (all.empty() ? "" : ", ") + std::string(name);
  throw ValueError(fmt::format("Transformer: no {} of this name; got `{}`; there are {}", what, value, all));
}

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
  make_scope(stage_from(Kind::scope, o.scope), unused);
  stage_from(Kind::normaliser, o.normaliser);
  stage_from(Kind::evaluator, o.evaluator);
}

}  // namespace

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
  require_one_of("activation", o.activation, {"relu", "gelu", "geglu", "swiglu"});
  require_one_of("norm", o.norm, {"layer", "rms"});
  require_one_of("tie", o.tie, {"none", "target", "all"});
  if (o.model < 1 || o.heads < 1 || o.model % o.heads != 0)
    throw ValueError(
        fmt::format("Transformer: the heads must divide the width of the model; got {} heads of {}", o.heads, o.model));
  if (o.kv_heads < 0 || (o.kv_heads > 0 && o.heads % o.kv_heads != 0))
    throw ValueError(
        fmt::format("Transformer: the heads of keys must divide those of queries; got {} of keys and {} heads",
                    o.kv_heads, o.heads));
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  if (o.max_distance < 0 && o.max_distance != TransformerOptions::kOwnDistance)
    throw ValueError(fmt::format("Transformer: the largest distance must not be negative; got {}", o.max_distance));
  if (o.inner < 1 || o.encoder_layers < 1 || o.decoder_layers < 1 || o.max_positions < 1 || o.token_types < 0)
    throw ValueError(
        fmt::format("Transformer: sizes must be at least 1; got inner {}, layers {} + {}, positions {}, token types {}",
                    o.inner, o.encoder_layers, o.decoder_layers, o.max_positions, o.token_types));
  if (o.tie == "all" && o.source_vocabulary != o.target_vocabulary)
    throw ValueError(
        fmt::format("Transformer: embeddings that are one need one vocabulary; got {} and {} words; use "
                    "tie target",
                    o.source_vocabulary, o.target_vocabulary));
  require_stages(o);
  require_share("dropout", o.dropout);
  if (o.attention_dropout == TransformerOptions::kAsDropout) o.attention_dropout = o.dropout;
  if (o.inner_dropout == TransformerOptions::kAsDropout) o.inner_dropout = o.dropout;
  require_share("attention_dropout", o.attention_dropout);
  require_share("inner_dropout", o.inner_dropout);
  return o;
}

TransformerStackOptions stack_of(const TransformerOptions& options, TransformerPart part) {
  TransformerOptions o = completed(options);
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
          .final_norm = o.final_norm};
}

namespace {
// Parameters of a head's score, normaliser and evaluator.
int64_t of_stages(const TransformerOptions& o, int64_t width, int64_t heads) {
  Generator unused(0);
  auto count = [&](Kind kind, const std::string& text, auto make) {
    if (text.empty() || text == "auto") return int64_t{0};
    StageOptions stage = stage_from(kind, text);
    stage.query = stage.key = width, stage.heads = heads;
    return count_parameters(*make(stage, unused));
  };
  return count(Kind::score, o.score, make_score) + count(Kind::normaliser, o.normaliser, make_normaliser) +
         count(Kind::evaluator, o.evaluator, make_evaluator);
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
  int64_t attention = 2 * D * D + 2 * D * E + 2 * D + 2 * E + (o.query_key_norm ? 2 * K : 0) + of_stages(o, K, H);
  int64_t per_layer = placed->shared() ? 0 : of_position;
  int64_t feed_forward = is_gated(o.activation) ? 3 * D * F + 2 * F + D : 2 * D * F + F + D;
  int64_t norm = o.norm == "rms" ? D : 2 * D, final_norm = o.final_norm ? norm : 0;
  int64_t encoder = o.encoder_layers * (attention + per_layer + feed_forward + 2 * norm) + final_norm + table;
  int64_t decoder = o.decoder_layers * (2 * attention + per_layer + feed_forward + 3 * norm) + final_norm + table;
  int64_t matrices = (o.tie == "all" ? 0 : o.source_vocabulary) + (o.tie == "none" ? 2 : 1) * V;
  int64_t positions = o.positions == "learned" ? 2 * o.max_positions * D : 0;
  return encoder + decoder + matrices * D + positions + (o.output_bias ? V : 0);
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

io::Json to_json(const TransformerOptions& o) {
  return io::Json::object({{"model", o.model},
                           {"heads", o.heads},
                           {"kv_heads", o.kv_heads},
                           {"query_key_norm", o.query_key_norm},
                           {"inner", o.inner},
                           {"encoder_layers", o.encoder_layers},
                           {"decoder_layers", o.decoder_layers},
                           {"activation", o.activation},
                           {"norm", o.norm},
                           {"norm_first", o.norm_first},
                           {"final_norm", o.final_norm},
                           {"dropout", o.dropout},
                           {"attention_dropout", o.attention_dropout},
                           {"inner_dropout", o.inner_dropout},
                           {"positions", o.positions},
                           {"max_positions", o.max_positions},
                           {"max_distance", o.max_distance},
                           {"score", o.score},
                           {"scope", o.scope},
                           {"normaliser", o.normaliser},
                           {"evaluator", o.evaluator},
                           {"scale_embedding", o.scale_embedding},
                           {"tie", o.tie},
                           {"output_bias", o.output_bias},
                           {"token_types", o.token_types}});
}

TransformerOptions transformer_options_from(const io::Json& j) {
  TransformerOptions o;
  o.model = j.integer("model"), o.heads = j.integer("heads"), o.inner = j.integer("inner");
  // Options added later; a file written by an older version does not contain them.
  o.score = j.text("score", o.score), o.scope = j.text("scope", o.scope);
  o.normaliser = j.text("normaliser", o.normaliser), o.evaluator = j.text("evaluator", o.evaluator);
  o.kv_heads = j.integer("kv_heads", o.kv_heads), o.query_key_norm = j.boolean("query_key_norm", false);
  o.max_distance = j.integer("max_distance", o.max_distance);
  o.encoder_layers = j.integer("encoder_layers"), o.decoder_layers = j.integer("decoder_layers");
  o.activation = j.text("activation"), o.norm = j.text("norm"), o.norm_first = j.boolean("norm_first");
  o.final_norm = j.boolean("final_norm"), o.dropout = j.number("dropout");
  o.attention_dropout = j.number("attention_dropout"), o.inner_dropout = j.number("inner_dropout");
  o.positions = j.text("positions"), o.max_positions = j.integer("max_positions");
  o.scale_embedding = j.boolean("scale_embedding"), o.tie = j.text("tie"), o.output_bias = j.boolean("output_bias");
  o.token_types = j.integer("token_types");
  for (int64_t size : {o.model, o.inner, o.encoder_layers, o.decoder_layers, o.max_positions, o.max_distance + 2})
    if (size < 1 || size > 65536) throw IoError(fmt::format("a size must lie in [1, 65536]; got {}", size));
  try {
    return completed(o);
  } catch (const ValueError& error) { throw IoError(error.what()); }
}

}  // namespace heed::nn
