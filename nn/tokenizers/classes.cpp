// The classes: the stages of each in the words of a tokenizer.json, and one function for each kind of files.
#include "nn/tokenizers/classes.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/io/file.h"
#include "nn/text/unicode.h"
#include "nn/tokenizers/sentencepiece_file.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

using io::Json;

// Tokens by role (a * before the name: with the white space to its left), then the templates, in which roles in braces
// stand for the tokens that the settings name; then the stages.
struct Class {
  const char *kind, *tokens, *single, *pair, *stages;
};
const Class classes[] = {
    {"bert", "cls_token [CLS] sep_token [SEP] pad_token [PAD] unk_token [UNK] mask_token [MASK]",
     "{cls_token}:0 $A:0 {sep_token}:0", " $B:1 {sep_token}:1",
     R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
         "decoder": {"type": "WordPiece"}})"},
    {"mpnet", "cls_token <s> sep_token </s> pad_token <pad> unk_token [UNK] mask_token *<mask>",
     "{cls_token}:0 $A:0 {sep_token}:0", " {sep_token}:0 $B:1 {sep_token}:1",
     R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
         "decoder": {"type": "WordPiece"}})"},
    {"gpt2", "bos_token <|endoftext|> eos_token <|endoftext|> unk_token <|endoftext|>", "", "",
     R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "decoder": {"type": "ByteLevel"},
         "post_processor": {"type": "ByteLevel", "trim_offsets": false}})"},
    {"qwen2", "eos_token <|endoftext|> pad_token <|endoftext|>", "", "",
     R"({"normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
         {"type": "Split", "pattern": {"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
         {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]}, "decoder": {"type": "ByteLevel"},
         "post_processor": {"type": "ByteLevel", "trim_offsets": false}})"},
    {"roberta",
     "bos_token <s> eos_token </s> sep_token </s> cls_token <s> unk_token <unk> pad_token <pad> mask_token *<mask>", "",
     "",
     R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "decoder": {"type": "ByteLevel"},
         "post_processor": {"type": "RobertaProcessing", "add_prefix_space": false}})"},
    {"t5", "eos_token </s> unk_token <unk> pad_token <pad>", "$A:0 {eos_token}:0", " $B:0 {eos_token}:0", "{}"},
    {"albert", "cls_token [CLS] sep_token [SEP] unk_token <unk> pad_token <pad> mask_token *[MASK]",
     "{cls_token}:0 $A:0 {sep_token}:0", " $B:1 {sep_token}:1", "{}"},
    {"xlmroberta",
     "bos_token <s> eos_token </s> sep_token </s> cls_token <s> unk_token <unk> pad_token <pad> mask_token *<mask>",
     "{cls_token}:0 $A:0 {sep_token}:0", " {sep_token}:0 $B:0 {sep_token}:0", "{}"},
    {"llama", "bos_token <s> eos_token </s> unk_token <unk>", "", "", "{}"},
    {"marian", "eos_token </s> unk_token <unk> pad_token <pad>", "$A:0 {eos_token}:0", "", "{}"},
    {"uselite", "", "", "",
     R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Prepend", "prepend": "▁"},
         {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}, "decoder": {"type": "Metaspace"}})"},
};
const char* const llama_decoder =
    R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": "▁", "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";

// A folder with the class that it has been found to have.
struct Files {
  const std::string& folder;
  Json settings;  // with the special tokens of the class, where the files name none
  const Class* entry = nullptr;
  std::string kind = "";

  std::string path(const char* name) const { return folder + "/" + name; }
  bool has(const char* name) const { return io::exists(path(name)); }
  bool flag(std::string_view key, bool fallback) const {
    const Json* value = settings.find(key);
    return value == nullptr || value->is_null() ? fallback : value->as_bool();
  }
  std::string filled(std::string words) const {  // the roles in braces
    for (size_t open = words.find('{'); open != words.npos; open = words.find('{')) {
      size_t close = words.find('}', open);
      words.replace(open, close + 1 - open, token_setting(settings, words.substr(open + 1, close - open - 1)));
    }
    return words;
  }
  // The stages of the class around a model.
  PublishedTokenizer::Parts around(Model model, Json description) const {
    const std::string single = filled(entry->single);
    if (!single.empty()) {
      auto id_of = [&](const std::string& token) { return model->table.id_of(token); };
      description.set("post_processor", template_entry(single, single + filled(entry->pair), id_of));
    }
    return parts_of(std::move(description), std::move(model), settings);
  }
  Json stages() const { return io::parse(entry->stages, kind); }
};

std::vector<std::string> lines_of_file(const std::string& path) {
  std::vector<std::string> lines = text::lines_of(io::read_file(path));
  for (std::string& line : lines)
    if (line.ends_with('\r')) line.pop_back();
  return lines;
}

TokenTable vocabulary_of(const std::string& path) { return table_of(io::parse(io::read_file(path), path)); }

PublishedTokenizer::Parts from_words(const Files& files) {
  return files.around(wordpiece(table_of(lines_of_file(files.path("vocab.txt"))),
                                {.unknown = token_setting(files.settings, "unk_token")}),
                      files.stages());
}

PublishedTokenizer::Parts from_bytes(const Files& files) {
  BytePairOptions options;
  const std::string path = files.path("merges.txt");
  for (const std::string& line : lines_of_file(path)) {
    if (line.empty() || line.starts_with("#version")) continue;
    size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos)
      throw IoError(fmt::format("merges: each line must be two tokens with a space between; got {} in {}",
                                text::in_quotes(line), path));
    options.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  Model model = byte_pairs(vocabulary_of(files.path("vocab.json")), std::move(options));
  Json description = files.stages();
  if (files.kind == "roberta") {
    Json around = description.at("post_processor");
    for (const auto& [key, role] : {std::pair("sep", "sep_token"), {"cls", "cls_token"}}) {
      const std::string token = token_setting(files.settings, role);
      around.set(key, Json::array({token, model->table.id_of(token).value_or(0)}));
    }
    description.set("post_processor", around);
  }
  return files.around(std::move(model), std::move(description));
}

PublishedTokenizer::Parts from_unigram(Files& files) {
  bool albert = files.kind == "albert", fairseq = files.kind == "xlmroberta";
  SentencepieceFile file = SentencepieceFile::read(files.path(fairseq ? "sentencepiece.bpe.model" : "spiece.model"));
  UnigramOptions options = file.unigram_options();
  if (files.kind == "t5") {
    Json more = Json::array();
    int64_t extra = files.settings.integer("extra_ids", 100);
    if (extra < 0 || extra > 10'000)
      files.settings.refuse("extra_ids", fmt::format("must be 0 to 10000; got {}", extra));
    while (--extra >= 0) {
      options.pieces.emplace_back(fmt::format("<extra_id_{}>", extra), 0.0);
      more.push(options.pieces.back().first);
    }
    files.settings.set("additional_special_tokens", more);
  }
  if (fairseq) {  // its own four first tokens, and <mask> last
    auto& pieces = options.pieces;
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(3, pieces.size())));
    pieces.insert(pieces.begin(), {{"<s>", 0.0}, {"<pad>", 0.0}, {"</s>", 0.0}, {"<unk>", 0.0}});
    pieces.emplace_back("<mask>", 0.0), options.unknown = 3;
  }
  std::string before;
  if (albert)
    before =
        R"({"type": "Replace", "pattern": "``", "content": "\""}, {"type": "Replace", "pattern": "''", "content": "\""},)";
  if (albert && !files.flag("keep_accents", false)) before += R"({"type": "NFKD"}, {"type": "StripAccents"},)";
  if (albert && files.flag("do_lower_case", true)) before += R"({"type": "Lowercase"},)";
  std::string after = albert ? R"(, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})" : "";
  Json table = Json::object({{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(file.charsmap)}});
  Json description = io::parse(
      R"({"normalizer": {"type": "Sequence", "normalizers": [)" + before + table.dump() + after +
          R"(]}, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace"}]},
          "decoder": {"type": "Metaspace"}})",
      files.kind);
  return files.around(unigram(std::move(options)), std::move(description));
}

// [[piece, score], ..]. A score that is null counts 0. Pieces 0 to 5 never occur in a text: unknown, <s>, </s> and
// three more. Of two that are equal the later one counts.
PublishedTokenizer::Parts from_scores(const Files& files) {
  constexpr size_t reserved = 6;
  const std::string path = files.path("vocab.json");
  UnigramOptions options{.unknown = 0, .lite = true};
  std::vector<std::string> names;
  const Json list = io::parse(io::read_file(path), path);
  auto refuse = [&](const std::string& got) {
    throw IoError(fmt::format("vocabulary: must be a list of lists of a piece and its score; got {} in {}", got, path));
  };
  if (!list.is_array()) refuse(list.kind());
  for (const Json& piece : list.elements()) {
    const bool pair = piece.is_array() && piece.size() == 2 && piece.elements()[0].is_string();
    if (!pair || (!piece.elements()[1].is_null() && !piece.elements()[1].is_number())) refuse(piece.dump());
    names.push_back(piece.elements()[0].as_string());
    options.pieces.emplace_back(names.back(), piece.elements()[1].is_null() ? 0 : piece.elements()[1].as_number());
  }
  const TokenTable table = table_of(names);
  for (size_t i = 0; i < names.size(); ++i)
    options.in_text.push_back(i >= reserved && table.id_of(names[i]) == static_cast<int64_t>(i));
  return files.around(unigram(std::move(options)), files.stages());
}

PublishedTokenizer::Parts from_llama(Files& files) {
  SentencepieceFile file = SentencepieceFile::read(files.path("tokenizer.model"));
  files.settings.set("add_bos_token", files.flag("add_bos_token", true));
  files.settings.set("add_eos_token", files.flag("add_eos_token", false));
  bool prefix = files.flag("add_prefix_space", true);
  std::string stages = R"("decoder": )" + std::string(llama_decoder) + ", ";
  if (files.flag("legacy", true))
    stages += R"("normalizer": {"type": "Sequence", "normalizers": [)" +
              std::string(prefix ? R"({"type": "Prepend", "prepend": "▁"},)" : "") +
              R"({"type": "Replace", "pattern": " ", "content": "▁"}]})";
  else
    stages += R"("pre_tokenizer": {"type": "Metaspace", "split": false, "prepend_scheme": ")" +
              std::string(prefix ? "first" : "never") + "\"}";
  return files.around(
      file.is_bpe ? byte_pairs(file.table(), file.byte_pair_options()) : unigram(file.unigram_options()),
      io::parse("{" + stages + "}", files.kind));
}

// A file of sentencepiece as that library reads it: the text is normalised as a whole, and no control token is found in
// it.
Model model_alone(const SentencepieceFile& file, std::optional<TokenTable> names, const std::string& unknown) {
  if (file.is_bpe && !names) return byte_pairs(file.table(), file.byte_pair_options());
  UnigramOptions options = file.unigram_options();
  options.in_floats = true;
  if (names) options.unknown = names->id_of(unknown);
  options.names = std::move(names);
  using Type = SentencepieceFile::Type;
  for (const SentencepieceFile::Entry& piece : file.pieces)
    options.in_text.push_back(piece.type == Type::normal || piece.type == Type::user_defined);
  return unigram(std::move(options));
}
Normalizer normalizer_alone(const SentencepieceFile& file) {
  return [map = std::make_shared<const Charsmap>(file.charsmap), spaces = file.spaces](AlignedText& text) {
    map->normalize(text, spaces);
  };
}

PublishedTokenizer::Parts from_marian(const Files& files, bool target) {
  const char* names = target && files.flag("separate_vocabs", false) ? "target_vocab.json" : "vocab.json";
  SentencepieceFile file = SentencepieceFile::read(files.path(target ? "target.spm" : "source.spm"));
  Model model = model_alone(file, vocabulary_of(files.path(names)), token_setting(files.settings, "unk_token"));
  PublishedTokenizer::Parts parts = files.around(std::move(model), Json::object());
  parts.normalizer = normalizer_alone(file);
  parts.language_codes = true;
  parts.decoder = [joined = decoder_of(io::parse(llama_decoder, files.kind))](std::vector<std::string> tokens) {
    std::string text;
    for (const std::string& part : joined(std::move(tokens))) text += part;
    size_t begin = std::min(text.find_first_not_of(' '), text.size()), end = text.find_last_not_of(' ') + 1;
    return std::vector<std::string>{text.substr(begin, std::max(begin, end) - begin)};
  };
  return parts;
}

// "BertTokenizerFast" and "bert" are the same.
std::string plain(std::string name) {
  for (std::string_view end : {"Fast", "Tokenizer"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  std::string plain;
  for (char c : name)
    if (c != '-' && c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return plain;
}

std::string kind_of_folder(const Files& files) {
  std::string kind = plain(files.settings.text("tokenizer_class", ""));
  if (kind.empty() && files.has("config.json"))
    kind = plain(io::parse(io::read_file(files.path("config.json")), files.path("config.json")).text("model_type", ""));
  for (const auto& [name, same] : {std::pair("distilbert", "bert"),
                                   {"electra", "bert"},
                                   {"mobilebert", "bert"},
                                   {"bart", "roberta"},
                                   {"longformer", "roberta"},
                                   {"led", "roberta"},
                                   {"opt", "gpt2"},
                                   {"mistral", "llama"},
                                   {"codellama", "llama"},
                                   {"qwen3", "qwen2"},
                                   {"mt5", "t5"}})
    if (kind == name) kind = same;
  for (const auto& [file, family] : {std::pair("vocab.txt", "bert"),
                                     {"source.spm", "marian"},
                                     {"merges.txt", "gpt2"},
                                     {"spiece.model", "t5"},
                                     {"tokenizer.model", "llama"},
                                     {"model.json", "uselite"}})
    if (kind.empty() && files.has(file)) kind = family;
  return kind;
}

}  // namespace

PublishedTokenizer::Parts parts_of_class(const std::string& folder, const Json& settings, OpenOptions options) {
  Files files{.folder = folder, .settings = settings};
  files.kind = kind_of_folder(files);
  std::string known;
  for (const Class& c : classes) {
    if (files.kind == c.kind) files.entry = &c;
    known += std::string(known.empty() ? "" : ", ") + c.kind;
  }
  if (files.entry == nullptr)
    throw InputError(
        fmt::format("open tokenizer: the folder must have a tokenizer.json, or the files of a class that heed knows "
                    "({}); got {} of class {}",
                    known, text::in_quotes(folder, 300), text::in_quotes(files.kind)));
  const std::vector<std::string> tokens = [&] {
    std::vector<std::string> words;
    for (std::string_view rest = files.entry->tokens; !rest.empty();
         rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()))) {
      words.emplace_back(rest.substr(0, rest.find(' ')));
      if (rest.find(' ') == rest.npos) break;
    }
    return words;
  }();
  for (size_t i = 0; i + 1 < tokens.size(); i += 2) {
    bool left = tokens[i + 1][0] == '*';
    if (token_setting(settings, tokens[i]).empty()) files.settings.set(tokens[i], tokens[i + 1].substr(left ? 1 : 0));
    if (left)
      files.settings.set(tokens[i],
                         Json::object({{"content", token_setting(files.settings, tokens[i])}, {"lstrip", true}}));
  }
  const std::string& kind = files.kind;
  if (kind == "bert" || kind == "mpnet") return from_words(files);
  if (kind == "gpt2" || kind == "roberta" || kind == "qwen2") return from_bytes(files);
  if (kind == "llama") return from_llama(files);
  if (kind == "uselite") return from_scores(files);
  if (kind == "marian") return from_marian(files, options.target);
  return from_unigram(files);
}

PublishedTokenizer PublishedTokenizer::sentencepiece(const std::string& path) {
  return sentencepiece(io::read_file(path), path);
}

PublishedTokenizer PublishedTokenizer::sentencepiece(std::string_view bytes, const std::string& path) {
  SentencepieceFile file = SentencepieceFile::from_bytes(bytes, path);
  Parts parts = parts_of(Json::object(), model_alone(file, {}, ""), Json::object());
  parts.normalizer = normalizer_alone(file);
  parts.decoder = decoder_of(io::parse(llama_decoder, path));
  return PublishedTokenizer(std::move(parts));
}

}  // namespace heed::tokenizers
