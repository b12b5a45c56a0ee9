// tokenizer_config.json beside a tokenizer (classes.h): the names of its special tokens, and what it changes.

#include <fmt/format.h>

#include "nn/io/file.h"
#include "nn/text/unicode.h"
#include "nn/tokenizers/classes.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

constexpr const char* roles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                 "pad_token", "cls_token", "mask_token"};

bool is_set(const io::Json* value) { return value != nullptr && !value->is_null(); }

AddedToken added_of(const io::Json& entry, int64_t id) {  // a token by its name, or an object
  if (entry.is_string()) return {.id = id, .content = entry.as_string()};
  return {.id = id,
          .content = entry.text("content"),
          .single_word = entry.boolean("single_word", false),
          .lstrip = entry.boolean("lstrip", false),
          .rstrip = entry.boolean("rstrip", false),
          .normalized = entry.boolean("normalized", false),
          .special = entry.boolean("special", true)};
}

// Sets keys of a stage, if it is of that type.
void change_stage(io::Json& description, const char* stage, const char* type, const io::Json& settings,
                  std::initializer_list<std::pair<const char*, const char*>> keys) {
  const io::Json* entry = description.find(stage);
  if (!is_set(entry) || entry->text("type") != type) return;
  io::Json changed = *entry;
  for (const auto& [theirs, ours] : keys)
    if (const io::Json* value = settings.find(theirs)) changed.set(ours, *value);
  description.set(stage, changed);
}

// With a flag of bos or eos, the template is what the flags say. Where both are false and the file's own template adds
// nothing, that one stays: it may trim offsets.
void change_template(PublishedTokenizer::Parts& parts, const io::Json& settings, const IdOf& id_of) {
  if (!settings.contains("add_bos_token") && !settings.contains("add_eos_token")) return;
  std::string bos = token_setting(settings, "bos_token"), eos = token_setting(settings, "eos_token");
  bool with_bos = settings.boolean("add_bos_token", false) && !bos.empty();
  bool with_eos = settings.boolean("add_eos_token", false) && !eos.empty();
  size_t added = 0;
  for (const Tokens& part : parts.around({{}}, true)) added += part.size();
  if (!with_bos && !with_eos && added == 0) return;
  std::string before = with_bos ? bos + ":0 " : "", after = with_eos ? " " + eos + ":0" : "";
  std::string before_b = with_bos ? " " + bos + ":1" : "", after_b = with_eos ? " " + eos + ":1" : "";
  std::string single = before + "$A:0" + after;
  parts.around = template_of(template_entry(single, single + before_b + " $B:1" + after_b, id_of));
}

// tokenizer_config.json, with the special tokens of special_tokens_map.json where it names none; {} without either.
io::Json settings_of(const std::string& folder) {
  auto read = [&](const char* name) {
    const std::string path = folder + "/" + name;
    io::Json json = io::exists(path) ? io::parse(io::read_file(path), path) : io::Json::object();
    json.items();  // an object, or a sentence
    return json;
  };
  io::Json settings = read("tokenizer_config.json");
  const io::Json special = read("special_tokens_map.json");
  for (const io::Member& token : special.items())
    if (!settings.contains(token.key)) settings.set(token.key, token.value);
  return settings;
}

}  // namespace

std::string token_setting(const io::Json& settings, std::string_view role) {
  const io::Json* value = settings.find(role);
  return is_set(value) ? added_of(*value, 0).content : "";
}

io::Json template_entry(const std::string& single, const std::string& pair, const IdOf& id_of) {
  io::Json special = io::Json::object();
  auto pieces = [&](const std::string& words) {
    io::Json list = io::Json::array();
    for (size_t begin = 0; begin < words.size();) {
      size_t end = std::min(words.find(' ', begin), words.size()), colon = words.rfind(':', end);
      const std::string name = words.substr(begin, colon - begin);
      bool is_text = name == "$A" || name == "$B";
      list.push(io::Json::object(
          {{is_text ? "Sequence" : "SpecialToken",
            io::Json::object({{"id", is_text ? name.substr(1) : name}, {"type_id", words[colon + 1] - '0'}})}}));
      if (!is_text) {
        std::optional<int64_t> id = id_of(name);
        if (!id)
          throw InputError(
              fmt::format("tokenizer: a special token must be in the vocabulary; got {}", text::in_quotes(name)));
        special.set(name, io::Json::object({{"ids", io::Json::array({*id})}, {"tokens", io::Json::array({name})}}));
      }
      begin = end + 1;
    }
    return list;
  };
  io::Json one = pieces(single), two = pieces(pair);
  return io::Json::object(
      {{"type", "TemplateProcessing"}, {"single", one}, {"pair", two}, {"special_tokens", special}});
}

PublishedTokenizer::Parts parts_of(io::Json description, Model model, const io::Json& settings) {
  change_stage(description, "normalizer", "BertNormalizer", settings,
               {{"do_lower_case", "lowercase"},
                {"strip_accents", "strip_accents"},
                {"tokenize_chinese_chars", "handle_chinese_chars"}});
  for (const auto& [stage, type] : {std::pair("pre_tokenizer", "ByteLevel"), {"post_processor", "RobertaProcessing"}})
    if (is_set(settings.find("add_prefix_space")))
      change_stage(description, stage, type, settings, {{"add_prefix_space", "add_prefix_space"}});
  auto stage = [&](std::string_view name) {
    const io::Json* entry = description.find(name);
    return entry == nullptr ? io::Json() : *entry;
  };
  PublishedTokenizer::Parts parts{.normalizer = normalizer_of(stage("normalizer")),
                                  .splitter = splitter_of(stage("pre_tokenizer")),
                                  .model = std::move(model),
                                  .around = template_of(stage("post_processor")),
                                  .decoder = decoder_of(stage("decoder"))};
  auto id_of = [&](const std::string& token) {
    const AddedToken* added = parts.added.find(token);
    return added != nullptr ? std::optional<int64_t>(added->id) : parts.model->table.id_of(token);
  };
  int64_t end = parts.model->table.end();
  auto add_new = [&](AddedToken token) {  // at its id in the vocabulary, else after it
    if (parts.added.find(token.content) != nullptr || token.content.empty()) return;
    if (token.id < 0) token.id = id_of(token.content).value_or(end);
    end = std::max(end, token.id + 1);
    parts.added.add(token);
  };
  if (const io::Json added = stage("added_tokens"); added.is_array())
    for (const io::Json& token : added.elements()) add_new(added_of(token, token.integer("id")));
  if (const io::Json* added = settings.find("added_tokens_decoder"); is_set(added))
    for (const io::Member& token : added->items()) {
      bool number =
          !token.key.empty() && token.key.size() < 10 && token.key.find_first_not_of("0123456789") == token.key.npos;
      if (!number) added->refuse(token.key, "must be the id of a token");
      add_new(added_of(token.value, std::stoll(token.key)));
    }
  for (const char* role : roles)
    if (const io::Json* token = settings.find(role); is_set(token)) {
      add_new(added_of(*token, -1));
      parts.roles[role] = token_setting(settings, role);
    }
  if (const io::Json* more = settings.find("additional_special_tokens"); is_set(more))
    for (const io::Json& token : more->elements()) add_new(added_of(token, -1));
  change_template(parts, settings, id_of);
  if (const io::Json* longest = settings.find("model_max_length"); is_set(longest))
    parts.max_length =
        longest->as_number() > 0 && longest->as_number() < 1e12 ? static_cast<int64_t>(longest->as_number()) : 0;
  parts.pad_left = settings.text("padding_side", "right") == "left";
  parts.truncate_left = settings.text("truncation_side", "right") == "left";
  parts.clean_up = settings.boolean("clean_up_tokenization_spaces", false);
  return parts;
}

PublishedTokenizer PublishedTokenizer::open(const std::string& folder, OpenOptions options) {
  if (!io::is_folder(folder))
    throw InputError(
        fmt::format("open tokenizer: must be given the folder of a model; got {}", text::in_quotes(folder, 300)));
  io::Json settings = settings_of(folder);
  const std::string path = folder + "/tokenizer.json";
  if (!io::exists(path)) return PublishedTokenizer(parts_of_class(folder, settings, options));
  return described_by(io::parse(io::read_file(path), path), settings);
}

PublishedTokenizer PublishedTokenizer::described_by(io::Json description, const io::Json& settings) {
  Model model = model_of(description.inner("model"));
  description.set("model", io::Json());
  return PublishedTokenizer(parts_of(std::move(description), std::move(model), settings));
}

}  // namespace heed::tokenizers
