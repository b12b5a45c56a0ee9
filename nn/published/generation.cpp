#include "nn/published/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "nn/io/file.h"
#include "tensor/error.h"

namespace heed::nn::published {
namespace {

// Keys that change no token: where the file comes from, what the call of that library returns, how it saves time.
// clang-format off
constexpr std::string_view kNoToken =
    " _from_model_config assistant_confidence_threshold assistant_early_exit assistant_lookbehind cache_config"
    " cache_implementation chat_template compile_config continuous_batching_config disable_compile is_assistant"
    " low_memory max_matching_ngram_size num_assistant_tokens num_assistant_tokens_schedule num_return_sequences"
    " output_attentions output_hidden_states output_logits output_scores prefill_chunk_size"
    " prompt_lookup_num_tokens return_dict_in_generate return_legacy_cache target_lookbehind transformers_version"
    " trust_remote_code use_cache use_model_defaults ";
// clang-format on

// Rules that are not implemented, with the value that is no rule.
const io::Json& without_rule() {
  static const io::Json values = io::parse(
      R"({"diversity_penalty": 0, "encoder_no_repeat_ngram_size": 0, "encoder_repetition_penalty": 1,
          "epsilon_cutoff": 0, "eta_cutoff": 0, "guidance_scale": 1, "num_beam_groups": 1, "penalty_alpha": 0,
          "remove_invalid_values": false, "token_healing": false, "top_h": 1, "typical_p": 1})",
      "generation");
  return values;
}

// One of the two files. A key with null is as good as a missing one.
class Source {
 public:
  Source(const io::Json& json, bool alone) : json_(json), alone_(alone) {}

  const io::Json* find(const char* key) {
    known_ += std::string(" ") + key + " ";
    const io::Json* value = json_.find(key);
    return value && !value->is_null() ? value : nullptr;
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& rule) const {
    json_.refuse(key, fmt::format("{}; got {}", rule, json_.at(key).dump()));
  }
  void read(const char* key, bool& to) {
    if (find(key)) to = json_.boolean(key);
  }
  void read(const char* key, int64_t& to, Range range = {}) {
    if (!find(key)) return;
    to = json_.integer(key);
    require(key, static_cast<double>(to), range);
  }
  void read(const char* key, double& to, Range range = {}) {
    if (!find(key)) return;
    to = json_.number(key);
    require(key, to, range);
  }
  void read(const char* key, std::vector<int64_t>& to) {  // a token, or a list
    const io::Json* value = find(key);
    if (!value) return;
    to.clear();
    for (const io::Json& one : value->is_array() ? value->elements() : std::vector{*value})
      to.push_back(token(key, one));
  }
  int64_t token(const char* key, const io::Json& value) const {
    if (!value.is_integer() || value.as_integer() < 0) refuse(key, "must be numbers of tokens");
    return value.as_integer();
  }
  void read_texts(const char* key, std::vector<std::string>& to) {
    const io::Json* value = find(key);
    if (!value) return;
    for (const io::Json& one : value->is_array() ? value->elements() : std::vector{*value}) {
      if (!one.is_string() || one.as_string().empty()) refuse(key, "must be texts that end what is written");
      to.push_back(one.as_string());
    }
  }
  void require_known() {
    for (const io::Member& one : without_rule().items())
      if (const io::Json* given = find(one.key.c_str()); given && !(*given == one.value))
        if (!given->is_number() || !one.value.is_number() || given->as_number() != one.value.as_number())
          refuse(one.key, fmt::format("changes what is written, and only {} is implemented", one.value.dump()));
    for (const io::Member& one : json_.items()) {
      const std::string word = " " + one.key + " ";
      if (!alone_ || one.value.is_null() || kNoToken.find(word) != kNoToken.npos || known_.find(word) != known_.npos)
        continue;
      refuse(one.key, "may change what is written, and is not implemented");
    }
  }

 private:
  void require(const char* key, double x, const Range& range) const {
    if (!range.holds(x)) refuse(key, "is no number that this rule can have");
  }
  const io::Json& json_;
  bool alone_;  // a file of nothing else
  std::string known_;
};

}  // namespace

int64_t places_of(const Model& model, const Tower& tower) {
  const TowerOptions& t = tower.options;
  if (t.positions > 0) return t.positions - t.first_place - (t.places == "words" ? 1 : 0);  // those count from 1
  const io::Json* given = model.config.json.find("max_position_embeddings");
  return given && given->is_integer() ? given->as_integer() : 0;
}

GenerationOptions generation_options(const Model& model) {
  const std::string path = model.folder + "/generation_config.json";
  const bool alone = io::exists(path);
  const io::Json own = alone ? io::parse(io::read_file(path), path) : model.config.json;
  if (!own.is_object()) throw IoError(fmt::format("{}: must be an object; got {}", path, own.kind()));
  Source file(own, alone), beside(model.config.json, false);
  GenerationOptions o;
  std::vector<int64_t> begin, start, first;
  for (Source* one : {&beside, &file}) {  // tokens that the file does not have may be in config.json
    one->read("eos_token_id", o.end), one->read("bos_token_id", begin);
    one->read("decoder_start_token_id", start), one->find("pad_token_id");
  }
  file.read("forced_bos_token_id", first), file.read("forced_eos_token_id", o.forced_last);
  for (const auto& [list, to] : {std::pair{&begin, &o.begin}, {&start, &o.start}, {&first, &o.forced_first}})
    if (!list->empty()) *to = list->front();
  if (o.start < 0) o.start = o.begin;
  if (const io::Json* words = file.find("bad_words_ids")) {
    const auto lists = [](const io::Json& one) { return one.is_array() && one.size() > 0; };
    if (!words->is_array() || !std::all_of(words->elements().begin(), words->elements().end(), lists))
      file.refuse("bad_words_ids", "must be a list of lists of tokens");
    for (const io::Json& word : words->elements()) {
      std::vector<int64_t>& tokens = o.forbidden.emplace_back();
      for (const io::Json& one : word.elements()) tokens.push_back(file.token("bad_words_ids", one));
    }
  }
  file.read("suppress_tokens", o.suppressed), file.read("begin_suppress_tokens", o.suppressed_first);
  file.read_texts("stop_strings", o.stop);
  file.read("max_length", o.length), file.read("max_new_tokens", o.max_new);
  file.read("min_length", o.min_length), file.read("min_new_tokens", o.min_new);
  file.read("repetition_penalty", o.repetition_penalty, kPositive);
  file.read("no_repeat_ngram_size", o.no_repeat_ngram), file.read("renormalize_logits", o.renormalize);
  file.read("num_beams", o.beams, {1, 64}), file.read("length_penalty", o.length_penalty, kAnyNumber);
  if (const io::Json* early = file.find("early_stopping")) {
    o.early_stopping = early->is_string() ? early->as_string() : early->dump();
    if (o.early_stopping != "true" && o.early_stopping != "false" && o.early_stopping != "never")
      file.refuse("early_stopping", "must be true, false or \"never\"");
  }
  file.read("do_sample", o.sampled), file.read("temperature", o.sampling.temperature, {0, 1e6});
  file.read("top_k", o.sampling.top_k), file.read("top_p", o.sampling.top_p, {0, 1, Range::kAbove});
  file.read("min_p", o.sampling.min_p, {0, 1});
  file.require_known();
  if (o.sampling.temperature == 0) o.sampling.temperature = 1, o.sampled = false;
  return o;
}

}  // namespace heed::nn::published
