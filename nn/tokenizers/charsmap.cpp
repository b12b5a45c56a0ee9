// Reading the compiled table, and applying it in its two ways.
#include "nn/tokenizers/charsmap.h"

#include <fmt/format.h>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
using text::Change;

uint32_t four_bytes(std::string_view bytes, size_t at) {  // little-endian
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

uint32_t offset_of(uint32_t unit) { return unit >> 10 << (unit >> 6 & 8); }

// `old` characters become those of `with`: one by one, the surplus ones are new or dropped.
void add_replacement(std::vector<Change>& changes, int64_t old, std::string_view with) {
  int64_t count = 0;
  for (size_t at = 0; at < with.size(); ++count) changes.push_back({text::next(with, at), count < old ? 0 : 1});
  if (count < old && !changes.empty()) changes.back().change -= old - count;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  uint32_t value = 0;
  int bits = 0;
  for (char c : bytes) {
    value = value << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) text += base64_digits[value >> (bits - 6) & 63];
  }
  if (bits > 0) text += base64_digits[value << (6 - bits) & 63];
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  uint32_t value = 0;
  int bits = 0;
  for (char c : text) {
    if (c == '=') break;
    size_t digit = base64_digits.find(c);
    if (digit == base64_digits.npos)
      throw InputError(fmt::format("charsmap: must be written in base 64; got {}", text::in_quotes(std::string(1, c))));
    value = value << 6 | static_cast<uint32_t>(digit);
    if ((bits += 6) >= 8) bytes += static_cast<char>(value >> (bits -= 8) & 0xFF);
  }
  return bytes;
}

Charsmap::Charsmap(std::string table) {
  if (table.empty()) return;
  size_t size = table.size() >= 4 ? four_bytes(table, 0) : table.size();
  if (table.size() < 4 || size > table.size() - 4 || size % 4 != 0)
    throw InputError(fmt::format("charsmap: must contain its whole table; got {} bytes", table.size()));
  for (size_t at = 4; at < 4 + size; at += 4) units_.push_back(four_bytes(table, at));
  strings_ = table.substr(4 + size);
}

std::optional<Charsmap::Found> Charsmap::find(std::string_view text, bool longest) const {
  std::optional<Found> found;
  if (units_.empty()) return found;
  size_t node = offset_of(units_[0]);
  for (size_t i = 0; i < text.size() && text[i] != 0; ++i) {
    node ^= static_cast<unsigned char>(text[i]);
    if (node >= units_.size()) break;
    uint32_t unit = units_[node];
    if ((unit & 0x800000FFu) != static_cast<unsigned char>(text[i])) break;
    node ^= offset_of(unit);
    if ((unit >> 8 & 1) == 0) continue;
    size_t begins = node < units_.size() ? units_[node] & 0x7FFFFFFFu : strings_.size();
    if (begins >= strings_.size()) break;
    found = {i + 1, std::string_view(strings_.c_str() + begins)};
    if (!longest) break;
  }
  return found;
}

void Charsmap::normalize(AlignedText& text) const {
  const std::u32string all = text::code_points(text.text());
  std::vector<Change> changes;
  for (size_t at = 0, end = 0; at < all.size(); at = end) {
    end = text::cluster_end(all, at);
    std::string cluster = text::to_utf8(all.substr(at, end - at));
    auto whole = cluster.size() < 6 ? find(cluster, false) : std::nullopt;
    if (whole) {
      add_replacement(changes, static_cast<int64_t>(end - at), whole->with);
      continue;
    }
    for (; at < end; ++at) {
      if (auto found = find(text::to_utf8(all.substr(at, 1)), false))
        add_replacement(changes, 1, found->with);
      else
        changes.push_back({all[at], 0});
    }
  }
  text.rewrite(changes);
}

void Charsmap::normalize(AlignedText& text, const SentencepieceSpaces& spaces) const {
  const std::string& all = text.text();
  std::vector<Change> changes;
  size_t dropped_first = 0;
  bool after_space = spaces.remove_extra_whitespaces;
  for (size_t at = 0; at < all.size();) {
    auto found = find(std::string_view(all).substr(at), true);
    size_t end = at;
    int64_t old = 0;
    do text::next(all, end), ++old;
    while (found && end < at + found->bytes);
    std::string with(found ? found->with : std::string_view(all).substr(at, end - at));
    if (after_space) with.erase(0, with.find_first_not_of(' '));
    at = end;
    if (changes.empty() && with.empty()) {
      dropped_first += static_cast<size_t>(old);
      continue;
    }
    if (!with.empty()) after_space = spaces.remove_extra_whitespaces && with.back() == ' ';
    add_replacement(changes, old, with);
  }
  while (spaces.remove_extra_whitespaces && !changes.empty() && changes.back().character == U' ') changes.pop_back();
  for (Change& c : changes)
    if (c.character == U' ') c.character = U'\u2581';
  text.rewrite(changes, dropped_first);
  if (spaces.add_dummy_prefix) text.prepend("\u2581");
}

}  // namespace heed::tokenizers
