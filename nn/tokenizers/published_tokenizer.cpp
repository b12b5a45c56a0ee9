// The stages one after the other, and back.
#include "nn/tokenizers/published_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

template <class Get>
auto each_of(const Tokens& tokens, const Get& get) {
  std::vector<decltype(get(tokens.front()))> all;
  all.reserve(tokens.size());
  for (const Token& token : tokens) all.push_back(get(token));
  return all;
}

// How many tokens each text keeps of `limit`. Of two, the longer one is cut first; when both are longer than half, each
// keeps half.
std::vector<size_t> kept(const std::vector<Tokens>& texts, size_t limit, Truncation how) {
  std::vector<size_t> sizes;
  size_t total = 0;
  for (const Tokens& text : texts) sizes.push_back(text.size()), total += text.size();
  if (total <= limit) return sizes;
  size_t surplus = total - limit;
  if (how == Truncation::longest_first && sizes.size() == 1) return {limit};
  if (how == Truncation::longest_first) {
    bool swapped = sizes[0] > sizes[1];
    size_t shorter = std::min(sizes[0], sizes[1]), longer = std::max(shorter, limit - std::min(shorter, limit));
    if (shorter + longer > limit) shorter = limit / 2, longer = limit - limit / 2;
    return swapped ? std::vector<size_t>{longer, shorter} : std::vector<size_t>{shorter, longer};
  }
  size_t which = how == Truncation::only_first ? 0 : 1;
  if (which >= sizes.size() || (limit > 0 && sizes[which] <= surplus))
    throw InputError(
        fmt::format("truncate: the text to cut must be longer than what is too much; got {} tokens, {} too many",
                    which < sizes.size() ? sizes[which] : 0, surplus));
  sizes[which] -= std::min(surplus, sizes[which]);
  return sizes;
}

// Where a language code ends: the last << of the first line, if the text begins with >> and has something between.
size_t language_code_end(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  size_t last = line.rfind("<<");
  return line.starts_with(">>") && last != line.npos && last > 2 ? last + 2 : 0;
}

}  // namespace

std::vector<int64_t> Encoding::ids() const {
  return each_of(tokens, [](const Token& t) { return t.id; });
}
std::vector<int64_t> Encoding::type_ids() const {
  return each_of(tokens, [](const Token& t) { return t.type_id; });
}
std::vector<int64_t> Encoding::attention_mask() const { return std::vector<int64_t>(tokens.size(), 1); }
std::vector<int64_t> Encoding::special_mask() const {
  return each_of(tokens, [](const Token& t) { return int64_t{t.from_template}; });
}
std::vector<Span> Encoding::offsets() const {
  return each_of(tokens, [](const Token& t) { return t.at; });
}

PublishedTokenizer::PublishedTokenizer(Parts parts) : parts_(std::move(parts)) {
  parts_.added.prepare(parts_.normalizer);
}

// Of a text that is truncated, only as many whole words as give max_length tokens: which of two texts is the longer one
// is decided on these.
Tokens PublishedTokenizer::tokens_of(std::string_view input, int64_t sequence, const EncodeOptions& options) const {
  if (auto bad = text::invalid_utf8(input))
    throw InputError(fmt::format("encode: text must be UTF-8; got byte 0x{:02X} at offset {}",
                                 static_cast<unsigned char>(input[*bad]), *bad));
  Tokens tokens;
  const auto limit = static_cast<size_t>(std::max<int64_t>(options.max_length, 0));
  const bool left = options.truncate_left.value_or(parts_.truncate_left);
  std::vector<size_t> words;  // where each begins
  auto enough = [&] { return limit > 0 && !left && tokens.size() >= limit; };
  auto add = [&](int64_t id, std::string name, Span at) {
    tokens.push_back({.id = id, .text = std::move(name), .at = at, .type_id = sequence, .sequence = sequence});
  };
  AlignedText text(input);
  if (size_t end = parts_.language_codes ? language_code_end(input) : 0; end > 0) {
    std::string code(input.substr(0, end));
    if (auto id = id_of(code) ? id_of(code) : special("unk_token")) add(*id, code, text.span(0, end));
    text = text.part(end, input.size());
  }
  std::vector<Piece> pieces;
  for (AddedTokens::Part& part : parts_.added.parts_of(std::move(text), parts_.normalizer)) {
    if (enough()) break;
    if (part.token != nullptr) {
      words.push_back(tokens.size());
      add(part.token->id, part.text.text(), part.text.span(0, part.text.text().size()));
      continue;
    }
    for (const AlignedText& word : parts_.splitter(std::move(part.text))) {
      if (enough()) break;
      words.push_back(tokens.size());
      pieces.clear();
      parts_.model->append_pieces(word.text(), pieces);
      for (const Piece& p : pieces) {
        const std::string* name = p.verbatim ? nullptr : parts_.model->table.token(p.id);
        add(p.id, name != nullptr ? *name : word.text().substr(p.begin, p.end - p.begin), word.span(p.begin, p.end));
      }
    }
  }
  while (limit > 0 && left && !words.empty() && tokens.size() - words.back() < limit) words.pop_back();
  if (limit > 0 && left && !words.empty())
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(words.back()));
  return tokens;
}

Encoding PublishedTokenizer::around(std::vector<Tokens> texts, const EncodeOptions& options) const {
  if (options.max_length > 0) {
    size_t added = 0;
    for (const Tokens& part : parts_.around(std::vector<Tokens>(texts.size()), options.add_special))
      added += part.size();
    auto limit = static_cast<size_t>(options.max_length);
    if (limit < added)
      throw InputError(
          fmt::format("truncate: max_length must leave room for the {} special tokens; got {}", added, limit));
    std::vector<size_t> sizes = kept(texts, limit - added, options.truncation);
    bool left = options.truncate_left.value_or(parts_.truncate_left);
    for (size_t i = 0; i < texts.size(); ++i) {
      size_t surplus = texts[i].size() - sizes[i];
      auto first = left ? texts[i].begin() : texts[i].end() - static_cast<std::ptrdiff_t>(surplus);
      texts[i].erase(first, first + static_cast<std::ptrdiff_t>(surplus));
    }
  }
  Encoding encoding;
  for (Tokens& part : parts_.around(std::move(texts), options.add_special))
    for (Token& token : part) encoding.tokens.push_back(std::move(token));
  return encoding;
}

Encoding PublishedTokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  return around({tokens_of(text, 0, options)}, options);
}

Encoding PublishedTokenizer::encode(std::string_view first, std::string_view second,
                                    const EncodeOptions& options) const {
  return around({tokens_of(first, 0, options), tokens_of(second, 1, options)}, options);
}

std::string PublishedTokenizer::decode(std::span<const int64_t> ids, DecodeOptions options) const {
  std::vector<std::string> tokens;
  for (int64_t id : ids) {
    const AddedToken* added = parts_.added.find(id);
    if (added != nullptr && added->special && options.skip_special) continue;
    const std::string* name = added != nullptr ? &added->content : parts_.model->table.token(id);
    if (name != nullptr) tokens.push_back(*name);
  }
  std::string text;
  for (const std::string& part : parts_.decoder(std::move(tokens))) text += part;
  return options.clean_up.value_or(parts_.clean_up) ? without_token_spaces(std::move(text)) : text;
}

int64_t PublishedTokenizer::vocabulary_size() const {
  int64_t end = parts_.model->table.end();
  for (const AddedToken& token : parts_.added.all()) end = std::max(end, token.id + 1);
  return end;
}

std::optional<int64_t> PublishedTokenizer::id_of(std::string_view token) const {
  const AddedToken* added = parts_.added.find(token);
  return added != nullptr ? std::optional<int64_t>(added->id) : parts_.model->table.id_of(token);
}

std::string PublishedTokenizer::token(int64_t id) const {
  const AddedToken* added = parts_.added.find(id);
  const std::string* name = added != nullptr ? &added->content : parts_.model->table.token(id);
  return name == nullptr ? "" : *name;
}

std::optional<int64_t> PublishedTokenizer::special(const std::string& role) const {
  auto found = parts_.roles.find(role);
  return found == parts_.roles.end() ? std::nullopt : id_of(found->second);
}

}  // namespace heed::tokenizers
