// The files of a published encoder of sentences, read: modules.json, the folder of each module, its limits and prompts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/init.h"
#include "nn/io/file.h"
#include "nn/pool.h"
#include "nn/published/sentence.h"
#include "nn/published/use_lite.h"
#include "nn/published/weights.h"
#include "tensor/elementwise.h"

namespace heed::nn::published {
namespace {

// The flags of a pooling's configuration and their poolings, in the order in which the library concatenates them.
constexpr std::pair<const char*, const char*> kModes[] = {{"pooling_mode_cls_token", "cls"},
                                                          {"pooling_mode_max_tokens", "max"},
                                                          {"pooling_mode_mean_tokens", "mean"},
                                                          {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"},
                                                          {"pooling_mode_weightedmean_tokens", "weightedmean"},
                                                          {"pooling_mode_lasttoken", "lasttoken"}};
// Classes of PyTorch, and our names of them.
constexpr std::pair<const char*, const char*> kFunctions[] = {
    {"Tanh", "tanh"}, {"Identity", "linear"}, {"ReLU", "relu"}, {"GELU", "gelu"},
    {"SiLU", "silu"}, {"Sigmoid", "sigmoid"}, {"Mish", "mish"}, {"ReLU6", "relu6"}};

[[noreturn]] void refuse_sentence(const std::string& file, const std::string& rule) {
  throw IoError(fmt::format("open: \"{}\": {}", file, rule));
}

io::Json object_of(const std::string& path) {
  io::Json json = io::parse(io::read_file(path), path);
  if (!json.is_object()) refuse_sentence(path, fmt::format("settings must be an object; got {}", json.kind()));
  return json;
}
io::Json object_or_none(const std::string& path) { return io::exists(path) ? object_of(path) : io::Json::object(); }

bool says_nothing(const io::Json& value) {
  return value.is_null() || ((value.is_object() || value.is_array()) && value.size() == 0);
}

// Refuses keys that may change the vectors.
void only_keys(const io::Json& json, const std::vector<std::string>& known) {
  for (const io::Member& one : json.items())
    if (!says_nothing(one.value) && std::find(known.begin(), known.end(), one.key) == known.end())
      json.refuse(one.key, fmt::format("may change the vectors and is not implemented; got {}; hint: if it changes "
                                       "none, take it out of the file",
                                       one.value.dump()));
}
void only_text(const io::Json& json, const char* key, const std::string& value) {
  if (const io::Json* given = json.find(key); given && !given->is_null() && !(*given == io::Json(value)))
    json.refuse(key, fmt::format("must be \"{}\", the only one that is implemented; got {}", value, given->dump()));
}

std::string after_dots(const std::string& name) { return name.substr(name.rfind('.') + 1); }

struct ListedModule {
  std::string kind, folder;
};

std::vector<ListedModule> listed_modules(const std::string& folder) {
  const std::string path = folder + "/modules.json";
  if (!io::exists(path)) return {{"Transformer", folder}, {"Pooling", ""}};
  const io::Json list = io::parse(io::read_file(path), path);
  if (!list.is_array()) refuse_sentence(path, fmt::format("modules must be a list; got {}", list.kind()));
  std::vector<ListedModule> out;
  for (const io::Json& one : list.elements()) {
    if (!one.is_object()) refuse_sentence(path, fmt::format("a module must be an object; got {}", one.kind()));
    only_keys(one, {"idx", "name", "path", "type"});
    const std::string kind = after_dots(one.text("type")), at = one.text("path");
    if (!one.text("type").starts_with("sentence_transformers."))
      one.refuse("type", fmt::format("names code, which heed never runs; got {}", one.text("type")));
    if (kind != "Transformer" && kind != "Pooling" && kind != "Dense" && kind != "Normalize")
      one.refuse("type", fmt::format("must be Transformer, Pooling, Dense or Normalize; got {}", kind));
    const bool first = out.empty(), second = out.size() == 1;
    if (first != (kind == "Transformer") || second != (kind == "Pooling"))
      one.refuse("type", fmt::format("must be Transformer in the first place, Pooling in the second, and Dense or "
                                     "Normalize after them; got {} in place {}",
                                     kind, out.size() + 1));
    if (at.starts_with('/') || fmt::format("/{}/", at).find("/../") != std::string::npos)
      one.refuse("path", fmt::format("must lead into the folder; got {}", at));
    out.push_back({kind, at.empty() ? folder : folder + "/" + at});
  }
  if (out.size() < 2)
    refuse_sentence(path, fmt::format("the list must have a Transformer and a Pooling; got {} of them", out.size()));
  return out;
}

SentenceModule pooling_module(const std::string& folder, int64_t width) {
  SentenceModule out;
  const io::Json json = object_of(folder + "/config.json");
  std::vector<std::string> known = {"word_embedding_dimension", "embedding_dimension", "pooling_mode",
                                    "include_prompt"};
  for (const auto& mode : kModes) known.emplace_back(mode.first);
  only_keys(json, known);
  for (const char* key : {"word_embedding_dimension", "embedding_dimension"})
    if (json.integer(key, width) != width)
      json.refuse(key, fmt::format("must be the width of the model; got {} for {}", json.integer(key), width));
  out.pools_prompt = json.boolean("include_prompt", true);
  const std::string named = json.text("pooling_mode", "");
  std::string left = "+" + named + "+";
  for (const auto& [flag, mode] : kModes) {
    const std::string piece = fmt::format("+{}+", mode);
    const size_t at = left.find(piece);
    if (at != std::string::npos) left.replace(at, piece.size(), "+");
    if (named.empty() ? json.boolean(flag, std::string(mode) == "mean") : at != std::string::npos)
      out.modes.emplace_back(mode);
  }
  if (!named.empty() && left != "+")
    json.refuse("pooling_mode", fmt::format("must have only poolings that heed has; got {}", named));
  if (out.modes.empty()) refuse_sentence(folder + "/config.json", "a pooling must have a mode; got none");
  return out;
}

SentenceModule dense_module(const std::string& folder, int64_t width, DType dtype) {
  const io::Json json = object_of(folder + "/config.json");
  only_keys(json,
            {"in_features", "out_features", "bias", "activation_function", "module_input_name", "module_output_name"});
  for (const char* key : {"module_input_name", "module_output_name"}) only_text(json, key, "sentence_embedding");
  const int64_t in = json.integer("in_features"), out = json.integer("out_features");
  if (in != width) json.refuse("in_features", fmt::format("must be the width before it; got {} for {}", in, width));
  if (out < 1 || out > 1 << 24) json.refuse("out_features", fmt::format("must be from 1 to 16777216; got {}", out));
  const std::string given = after_dots(json.text("activation_function", "Tanh"));
  SentenceModule dense;
  std::vector<std::string> names;
  for (const auto& [theirs, ours] : kFunctions) {
    if (given == theirs) dense.activation = ours;
    names.emplace_back(theirs);
  }
  if (dense.activation.empty())
    json.refuse("activation_function", fmt::format("must be one of {}; got {}", fmt::join(names, ", "), given));
  const WeightFiles files(folder);
  auto take = [&](const char* name, const Shape& shape) {
    const Tensor* t = files.find(name);
    if (!t || !(t->shape() == shape) || !is_float(t->dtype()))
      refuse_sentence(folder, fmt::format("the weights of Dense must have the tensor {} {} of floats; got {}", name,
                                          to_string(shape), t ? to_string(t->shape()) : "none"));
    for (const auto& file : files.files) file->require_whole();
    if (!all_finite(*t)) refuse_sentence(folder, fmt::format("weights must be finite; got another in {}", name));
    return Variable(t->to(dtype).contiguous().clone());
  };
  const bool bias = json.boolean("bias", true);
  UnsetParameters unset;
  Generator unused(0);
  dense.layer.emplace(Linear::Options{.in = 1, .out = 1, .bias = bias}, unused);
  dense.layer->options = {.in = in, .out = out, .bias = bias};
  dense.layer->weight = take("linear.weight", {out, in});
  if (bias) dense.layer->bias = take("linear.bias", {out});
  return dense;
}

// How many tokens the table of positions serves; 0: any number.
int64_t positions_of(const Model& model) {
  const TowerOptions& t = model.encoder ? model.encoder->options : model.decoder->options;
  return t.positions == 0 ? 0 : t.positions - t.first_place - (t.places == "words" ? 1 : 0);
}

}  // namespace

SentenceEncoder::SentenceEncoder(std::unique_ptr<Model> m, tokenizers::PublishedTokenizer t)
    : model(std::move(m)), tokenizer(std::move(t)) {}

SentenceEncoder SentenceEncoder::open(const std::string& folder, const SentenceOpenOptions& options) {
  if (is_use_lite(folder)) return open_lite(folder, options);
  const std::string transformer = listed_modules(folder).front().folder;
  std::unique_ptr<Model> model = published::open(transformer, {.dtype = options.dtype});
  if (model->encoder && model->decoder && model->config.family() != "t5")
    model->config.refuse("model_type", "must be an encoder or a decoder alone for vectors of sentences");
  SentenceEncoder out(std::move(model), tokenizers::PublishedTokenizer::open(transformer));
  out.read_limits(transformer);
  out.read_modules(folder, options);
  out.read_prompts(folder);
  return out;
}

void SentenceEncoder::read_modules(const std::string& folder, const SentenceOpenOptions& options) {
  for (const ListedModule& one : listed_modules(folder)) {
    if (one.kind == "Transformer") continue;
    if (one.kind == "Normalize") modules.emplace_back();
    if (one.kind == "Dense") modules.push_back(dense_module(one.folder, width(), options.dtype));
    if (one.kind != "Pooling") continue;
    modules.push_back(one.folder.empty() ? SentenceModule{.modes = {"mean"}} : pooling_module(one.folder, width()));
    if (!options.pooling.empty()) modules.back().modes = options.pooling;
    for (const std::string& mode : modules.back().modes)  // a ValueError for one that does not exist
      pool(mode, Variable(Tensor::zeros({1, 1, 1})));
  }
}

void SentenceEncoder::read_prompts(const std::string& folder) {
  const io::Json json = object_or_none(folder + "/config_sentence_transformers.json");
  if (const io::Json* given = json.find("prompts"); given && !given->is_null())
    for (const io::Member& one : json.inner("prompts").items())
      if (!one.value.is_null()) prompts[one.key] = json.inner("prompts").text(one.key);
  if (const io::Json* given = json.find("default_prompt_name"); given && !given->is_null()) {
    default_prompt = json.text("default_prompt_name");
    if (!prompts.contains(default_prompt))
      json.refuse("default_prompt_name", fmt::format("must name one of the prompts; got {}", default_prompt));
  }
}

void SentenceEncoder::read_limits(const std::string& folder) {
  io::Json json = io::Json::object();
  for (const char* kind : {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"})
    if (const std::string path = fmt::format("{}/sentence_{}_config.json", folder, kind); io::exists(path)) {
      json = object_of(path);
      break;
    }
  only_keys(json, {"max_seq_length", "do_lower_case", "transformer_task", "modality_config", "module_output_name"});
  only_text(json, "transformer_task", "feature-extraction"), only_text(json, "module_output_name", "token_embeddings");
  lowercase = json.boolean("do_lower_case", false);
  const int64_t most = positions_of(*model);
  const io::Json* given = json.find("max_seq_length");
  max_tokens = given && !given->is_null() ? given->as_integer() : tokenizer.parts().max_length;
  if (given && !given->is_null() && max_tokens < 1)
    json.refuse("max_seq_length", fmt::format("must be at least 1; got {}", max_tokens));
  if (most > 0 && (max_tokens == 0 || max_tokens > most)) max_tokens = most;
}

}  // namespace heed::nn::published
