#include "nn/published/config.h"

#include <fmt/format.h>

#include <string_view>

#include "nn/io/file.h"
#include "nn/published/use_lite.h"
#include "tensor/error.h"

namespace heed::nn::published {
namespace {

// Keys that change no number of a forward pass: where a file comes from, how training began, how text is generated.
// clang-format off
constexpr std::string_view kHarmless =
    " _attn_implementation _attn_implementation_autoset _commit_hash _flash_attn_2_enabled _name_or_path"
    " _num_labels architectures attn_implementation bad_words_ids begin_suppress_tokens bos_token_id"
    " chunk_size_feed_forward cls_token_id decoder_start_token_id directionality diversity_penalty do_sample"
    " dtype early_stopping encoder_no_repeat_ngram_size eos_token_id exponential_decay_length_penalty"
    " finetuning_task forced_bos_token_id forced_eos_token_id gradient_checkpointing id2label init_std"
    " init_xavier_std initializer_factor initializer_range is_composition keys_to_ignore_at_inference label2id"
    " language length_penalty mask_token_id max_length min_length model_type n_ctx name_or_path"
    " no_repeat_ngram_size num_beam_groups num_beams num_labels num_return_sequences output_attentions"
    " output_hidden_states output_past output_scores pad_token_id pooler_fc_size pooler_num_attention_heads"
    " pooler_num_fc_layers pooler_size_per_head pooler_type predict_special_tokens prefix pretraining_tp"
    " problem_type remove_invalid_values repetition_penalty return_dict return_dict_in_generate"
    " sentence_transformers sep_token_id suppress_tokens task_specific_params temperature tf_legacy_loss"
    " tokenizer_class top_k top_p torch_dtype torchscript transformers.js_config transformers_version typical_p"
    " unk_token_id unsloth_fixed unsloth_version use_bfloat16 use_cache use_return_dict ";
// clang-format on

io::Json config_in(const std::string& folder) {
  const std::string path = folder + "/config.json";
  if (!io::is_folder(folder) || !io::exists(path))
    throw IoError(fmt::format("open: a published model must be a folder with config.json; got \"{}\"{}", folder,
                              !io::is_folder(folder) || !io::exists(folder + "/model.json") ? ""
                              : is_use_lite(folder)
                                  ? ", which is Universal Sentence Encoder Lite and makes vectors of sentences; hint: "
                                    "heed embed and heed search read it"
                                  : ", whose model.json is a graph of TensorFlow.js, and not that of Universal "
                                    "Sentence Encoder Lite, which has the tensor module/Embeddings_en; hint: a model "
                                    "with model.safetensors, such as sentence-transformers/all-MiniLM-L6-v2"));
  return io::parse(io::read_file(path), path);
}

}  // namespace

Config::Config(const std::string& folder) : Config(config_in(folder), folder + "/config.json") {}

Config::Config(io::Json contents, std::string name) : json(std::move(contents)), file(std::move(name)) {
  if (!json.is_object()) throw IoError(fmt::format("{}: must be an object; got {}", file, json.kind()));
  if (find("auto_map"))
    refuse("auto_map", "names code in the folder, which heed never runs", "hint: a model of a family that heed has");
  for (const char* key : {"quantization_config", "compression_config"})
    if (find(key))
      refuse(key, "says that the weights are quantised, and no such weights are read",
             "hint: the folder of the model that it was made from, in f32, f16 or bf16");
  if (family().empty()) refuse("model_type", "must name the family of the model");
  only("add_cross_attention", false), only("pruned_heads", io::Json::object()), only("tie_encoder_decoder", false);
}

void Config::refuse(const std::string& key, const std::string& rule, const std::string& hint) const {
  const io::Json* value = json.find(key);
  json.refuse(key, fmt::format("{}; got {}{}", rule, value ? value->dump() : "none", hint.empty() ? "" : "; " + hint));
}

const io::Json* Config::find(const std::string& key) const {
  asked_.insert(key);
  const io::Json* value = json.find(key);
  return value && !value->is_null() ? value : nullptr;
}

int64_t Config::integer(const std::string& key, int64_t fallback) const {
  return find(key) ? json.integer(key) : fallback;
}
double Config::number(const std::string& key, double fallback) const { return find(key) ? json.number(key) : fallback; }
bool Config::flag(const std::string& key, bool fallback) const { return find(key) ? json.boolean(key) : fallback; }
std::string Config::text(const std::string& key, const std::string& fallback) const {
  return find(key) ? json.text(key) : fallback;
}

int64_t Config::size(const std::string& key, int64_t most) const {
  asked_.insert(key);
  const int64_t n = json.integer(key);
  if (n < 1 || n > most) refuse(key, fmt::format("must be a size from 1 to {}", most));
  return n;
}
int64_t Config::size_or(const std::string& key, int64_t fallback) const { return find(key) ? size(key) : fallback; }

void Config::only(const std::string& key, const io::Json& value) const {
  if (const io::Json* given = find(key); given && !(*given == value))
    refuse(key, fmt::format("changes the numbers of the model, and only {} is implemented", value.dump()));
}

std::string Config::architecture() const {
  const io::Json* list = find("architectures");
  return list && list->is_array() && list->size() > 0 && list->elements()[0].is_string()
             ? list->elements()[0].as_string()
             : "";
}

int64_t Config::labels() const {
  if (const io::Json* names = find("id2label"); names && names->is_object() && names->size() > 0)
    return static_cast<int64_t>(names->size());
  return size_or("num_labels", 2);
}

void Config::require_known() const {
  for (const io::Member& member : json.items()) {
    if (member.value.is_null() || asked_.contains(member.key)) continue;
    if (member.key.find("drop") != std::string::npos) continue;  // of training; what the family does not use
    if (kHarmless.find(" " + member.key + " ") != std::string_view::npos) continue;
    refuse(member.key, fmt::format("may change the numbers of the model and is not implemented for {}", family()),
           "hint: if it changes none, take it out of the file");
  }
}

}  // namespace heed::nn::published
