// The list of families, what several of them read alike, and opening and saving.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/scaled_rope.h"
#include "nn/init.h"
#include "nn/io/file.h"
#include "nn/published/albert.h"
#include "nn/published/bart.h"
#include "nn/published/distilbert.h"
#include "nn/published/electra.h"
#include "nn/published/gpt2.h"
#include "nn/published/gpt_neox.h"
#include "nn/published/llama.h"
#include "nn/published/modernbert.h"
#include "nn/published/mpnet.h"
#include "nn/published/opt.h"
#include "nn/published/roberta.h"
#include "nn/published/t5.h"
#include "nn/published/weights.h"

namespace heed::nn::published {
namespace {

const std::vector<Family>& all_families() {
  static const std::vector<Family> all = {bert(),  roberta(), distilbert(), mpnet(), electra(), albert(),    gpt2(),
                                          llama(), opt(),     gpt_neox(),   t5(),    bart(),    modernbert()};
  return all;
}

// Before memory is asked for: no matrix is larger than all weights together, and no computed table much larger.
void require_weights_for(const TowerOptions& t, const WeightFiles& files) {
  int64_t numbers = 0;
  for (const auto& one : files.tensors) numbers += one.second.count();
  const BlockOptions& block = t.block();
  const std::pair<int64_t, int64_t> matrices[] = {
      {t.vocabulary, t.words()},
      {t.sinusoidal ? t.positions / 1024 : t.positions, t.words()},
      {block.inner, block.model},
      {block.head > 0 ? block.heads * block.head : block.model, block.model}};
  for (const auto& [rows, columns] : matrices)
    if (rows * columns > numbers)
      throw IoError(
          fmt::format("open: \"{}\": the sizes in config.json must be those of the weights; got a matrix of {} "
                      "rows and {} columns, and {} numbers in all",
                      files.folder, rows, columns, numbers));
}

}  // namespace

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const Family& one : all_families()) names.insert(names.end(), one.types.begin(), one.types.end());
  return names;
}

const Family& family_of(const Config& c) {
  const std::string name = c.family();
  for (const Family& one : all_families())
    if (std::find(one.types.begin(), one.types.end(), name) != one.types.end()) return one;
  const std::vector<std::string> known = families();
  std::string list, near = nearest(name, known);
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  c.refuse("model_type", fmt::format("must be a family that heed has, of {}", list),
           near.empty() ? "" : fmt::format("nearest: \"{}\"", near));
}

std::string known_activation(const Config& c, const std::string& key, const std::string& fallback) {
  const std::string name = c.text(key, fallback);
  if (!is_activation(name)) c.refuse(key, "must be an activation that heed has");
  return name;
}

BlockOptions bert_block(const Config& c, double eps) {
  return {.model = c.size("hidden_size"),
          .heads = c.size("num_attention_heads"),
          .inner = c.size("intermediate_size"),
          .activation = known_activation(c, "hidden_act", "gelu"),
          .eps = c.number("layer_norm_eps", eps),
          .dropout = c.number("hidden_dropout_prob", 0.1),
          .attention_dropout = c.number("attention_probs_dropout_prob", 0.1)};
}

TowerOptions bert_tower(const Config& c, double eps) {
  TowerOptions t{.vocabulary = c.size("vocab_size"), .positions = c.size_or("max_position_embeddings", 512)};
  t.embedding_norm = true;
  t.blocks.assign(static_cast<size_t>(c.size("num_hidden_layers", 1024)), bert_block(c, eps));
  return t;
}

HeadOptions masked_words(const TowerOptions& t, const std::string& name) {
  return {.name = "masked_words",
          .in = t.block().model,
          .inner = t.words(),
          .out = t.vocabulary,
          .activation = name,
          .norm = "layer",
          .eps = t.block().eps};
}

HeadOptions task_head(const Config& c, const TowerOptions& t, const std::string& reads) {
  const int64_t D = t.block().model;
  if (c.is_for("QuestionAnswering")) return {.name = "answer", .in = D, .out = c.labels()};
  if (c.is_for("TokenClassification")) return {.name = "word_classes", .in = D, .out = c.labels()};
  return {.name = "classes", .reads = reads, .in = D, .out = c.is_for("MultipleChoice") ? 1 : c.labels()};
}

void tie(ModelOptions& o, const std::string& head, const std::string& tower) {
  o.ties["heads." + head + ".out.weight"] = tower + ".words.weight";
}

void decoder_heads(const Config& c, const Has& has, ModelOptions& o, bool tied) {
  const TowerOptions& t = *o.decoder;
  const int64_t E = t.project_output ? t.words() : t.block().model;
  if (has("score.weight")) o.heads.push_back({.name = "classes", .reads = "last", .in = E, .out = c.labels()});
  if (has("classifier.weight")) o.heads.push_back({.name = "word_classes", .in = E, .out = c.labels()});
  if (has("qa_outputs.weight")) o.heads.push_back({.name = "answer", .in = E, .out = 2});
  for (HeadOptions& one : o.heads) one.out_bias = one.name != "classes";
  const bool absent = !tied && !has("lm_head.weight") && !has("embed_out.weight");
  if (!o.heads.empty() || (absent && !c.is_for("CausalLM"))) return;
  o.heads.push_back({.name = "next_word", .in = E, .out = t.vocabulary, .out_bias = false});
  if (tied) tie(o, "next_word", "decoder");
}

HeadPositionOptions rotations(const Config& c, double theta, double part) {
  const io::Json* given = c.find("rope_parameters");
  const io::Json* scaling = c.find("rope_scaling");
  double base = c.number("rope_theta", theta);
  const char* key = given ? "rope_parameters" : "rope_scaling";
  const io::Json& rules = given ? *given : scaling ? *scaling : io::Json::object();
  part = c.number("partial_rotary_factor", part);
  constexpr std::string_view kRules =
      " rope_type type rope_theta partial_rotary_factor factor original_max_position_embeddings low_freq_factor "
      "high_freq_factor ";
  std::string type = "default";
  for (const io::Member& one : rules.items()) {
    if (!one.value.is_null() && kRules.find(" " + one.key + " ") == std::string_view::npos)
      c.refuse(key, fmt::format("has the rule {}, which is not implemented", one.key));
    if (one.key == "rope_type" || (one.key == "type" && !rules.contains("rope_type"))) type = one.value.as_string();
    if (one.key == "rope_theta") base = one.value.as_number();
    if (one.key == "partial_rotary_factor") part = one.value.as_number();
  }
  if (type == "default") return part == 1 ? chosen<Rope>({.base = base}) : chosen<Rope>({.base = base, .share = part});
  if (type != "linear" && type != "llama3")
    c.refuse(key, "must turn queries and keys by a rule that is implemented, default, linear or llama3");
  if (part != 1) c.refuse(key, "must turn whole heads where it scales rotations");
  HeadPositionOptions out = chosen<ScaledRope>({.factor = rules.number("factor"), .base = base});
  if (type == "linear") return out;
  out = chosen<ScaledRope>({.factor = rules.number("factor"),
                            .base = base,
                            .trained = rules.number("original_max_position_embeddings"),
                            .slow = rules.number("low_freq_factor"),
                            .fast = rules.number("high_freq_factor")});
  out.name = "rope_llama3";
  return out;
}

bool is_published(const std::string& folder) {
  const std::string path = folder + "/config.json";
  if (!io::is_folder(folder) || !io::exists(path)) return false;
  const io::Json config = io::parse(io::read_file(path), path);
  return config.is_object() && config.contains("model_type");
}

std::unique_ptr<Model> open(const std::string& folder, const OpenOptions& options) {
  const Config config(folder);
  const Family& family = family_of(config);
  config.ignore("tie_word_embeddings");
  const WeightFiles files(folder, {.leave_halves = options.keep_16_bits});
  const Has has = [&](const std::string& name) { return files.find(family.prefix + name) || files.find(name); };
  ModelOptions of_model = family.options(config, has);
  config.require_known();
  for (const auto& tower : {of_model.encoder, of_model.decoder})
    if (tower) require_weights_for(*tower, files);
  return built(config, family, of_model, files, options);
}

std::unique_ptr<Model> built(const Config& config, const Family& family, const ModelOptions& of_model,
                             const WeightFiles& files, const OpenOptions& options) {
  std::unique_ptr<Model> model;
  try {
    UnsetParameters unset;  // bind() gives each parameter its value
    ParameterDType dtype(options.dtype);
    Generator unused(0);
    model = std::make_unique<Model>(config, family, of_model, unused);
  } catch (const Error& error) {  // heads that do not divide the width, ..
    throw IoError(fmt::format("open: \"{}\": {} must describe a model that can be; got this: {}", files.folder,
                              std::filesystem::path(config.file).filename().string(), error.what()));
  }
  bind(*model, files, options);
  set_training(*model, false);
  assign_paths(*model);
  return model;
}

// The files of a folder that are text, but for some names and for the index of weights in several files.
static void copy_texts(const std::string& from, const std::string& to, const std::set<std::string>& but) {
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    const std::string name = entry.path().filename().string(), kind = entry.path().extension().string();
    const bool text = kind == ".json" || kind == ".txt" || kind == ".model" || kind == ".spm";
    if (!entry.is_regular_file() || !text || but.contains(name) || name.ends_with(".index.json")) continue;
    io::atomic_write(to + "/" + name, io::read_file(entry.path().string()));
  }
}

void save(const Model& model, const std::string& folder) {
  namespace fs = std::filesystem;
  if (!model.family.options)
    throw ValueError(
        fmt::format("save: the model must have a config.json; got the weights of a graph, {}", model.config.file));
  model.require_usable();
  const std::string index = folder + "/model.safetensors.index.json";
  if (io::exists(index))
    throw IoError(
        fmt::format("save: \"{}\": the folder must have no index of several files, which would be read in the "
                    "place of the new file; got one; hint: another folder",
                    folder));
  io::make_folder(folder);
  io::SafeTensors tensors = unbound(model);
  io::Json config = model.config.json;
  const bool wide = !tensors.tensors.empty() && tensors.tensors[0].second.dtype() == DType::f64;
  for (const char* key : {"dtype", "torch_dtype"})
    if (config.contains(key)) config.set(key, wide ? "float64" : "float32");
  std::error_code same;
  if (!model.folder.empty() && !fs::equivalent(model.folder, folder, same)) {
    copy_texts(model.folder, folder, {"config.json"});
    // The poolings and Dense of an encoder of sentences (sentence.h) lie in folders of their own.
    const std::string modules = model.folder + "/modules.json";
    const io::Json list = io::exists(modules) ? io::parse(io::read_file(modules), modules) : io::Json::array();
    for (const io::Json& module : list.elements()) {
      const std::string path = module.text("path", ""), from = model.folder + "/" + path, to = folder + "/" + path;
      if (path.empty() || path.find("..") != std::string::npos || !io::is_folder(from)) continue;
      io::make_folder(to);
      copy_texts(from, to, {});
      const std::string weights = "/model.safetensors";
      if (io::exists(from + weights)) io::atomic_write(to + weights, io::read_file(from + weights));
    }
  }
  io::save_safetensors(folder + "/model.safetensors", tensors);
  io::atomic_write(folder + "/config.json", config.dump(2) + "\n");
}

}  // namespace heed::nn::published
