// Finding added tokens.
#include "nn/tokenizers/added_tokens.h"

#include "nn/text/letters.h"

namespace heed::tokenizers {

namespace {

// Where the last character before `at` begins.
size_t previous(std::string_view text, size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}
char32_t character_at(std::string_view text, size_t at) { return text::next(text, at); }

}  // namespace

void AddedTokens::add(const AddedToken& token) {
  if (token.content.empty()) return;
  auto [place, is_new] = by_content_.try_emplace(token.content, static_cast<int64_t>(tokens_.size()));
  auto index = static_cast<size_t>(place->second);
  if (is_new)
    tokens_.push_back(token);
  else
    tokens_[index] = token;
  by_id_[token.id] = index;
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  auto found = by_content_.find(content);
  return found == by_content_.end() ? nullptr : &tokens_[static_cast<size_t>(found->second)];
}

const AddedToken* AddedTokens::find(int64_t id) const {
  auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

void AddedTokens::prepare(const Normalizer& normalizer) {
  plain_ = normalized_ = {};
  std::vector<std::string> plain, normalized;
  for (const AddedToken& token : tokens_) {
    (token.normalized ? normalized_ : plain_).tokens.push_back(&token);
    if (!token.normalized) {
      plain.push_back(token.content);
    } else {
      AlignedText content(token.content);
      normalizer(content);
      normalized.push_back(content.text());
    }
  }
  plain_.trie = text::Trie(plain), normalized_.trie = text::Trie(normalized);
}

std::vector<AddedTokens::Part> AddedTokens::cut(const AlignedText& text, const Set& set) {
  const std::string& all = text.text();
  std::vector<Part> parts;
  size_t done = 0;
  for (size_t at = 0; at < all.size() && !set.tokens.empty();) {
    int64_t longest = -1;
    size_t begin = at, end = at;
    set.trie.prefixes(std::string_view(all).substr(at),
                      [&](int64_t token, size_t bytes) { longest = token, end = at + bytes; });
    const AddedToken* token = longest < 0 ? nullptr : set.tokens[static_cast<size_t>(longest)];
    if (token == nullptr) {
      text::next(all, at);
      continue;
    }
    at = end;
    if (token->single_word && ((begin > 0 && text::is_word(character_at(all, previous(all, begin)))) ||
                               (end < all.size() && text::is_word(character_at(all, end)))))
      continue;
    while (token->lstrip && begin > done && text::is_white(character_at(all, previous(all, begin))))
      begin = previous(all, begin);
    while (token->rstrip && end < all.size() && text::is_white(character_at(all, end))) text::next(all, end);
    if (begin < done) continue;  // a token of white space that another one has taken
    if (begin > done) parts.push_back({text.part(done, begin), nullptr});
    parts.push_back({text.part(begin, end), token});
    done = end;
  }
  if (done < all.size()) parts.push_back({text.part(done, all.size()), nullptr});
  return parts;
}

std::vector<AddedTokens::Part> AddedTokens::parts_of(AlignedText text, const Normalizer& normalizer) const {
  std::vector<Part> parts;
  for (Part& part : cut(text, plain_)) {
    if (part.token != nullptr) {
      parts.push_back(std::move(part));
      continue;
    }
    normalizer(part.text);
    for (Part& finer : cut(part.text, normalized_)) parts.push_back(std::move(finer));
  }
  return parts;
}

}  // namespace heed::tokenizers
