// What happens to a text before it is cut into words: spelling is unified, so that a vocabulary contains a word once.
//
// clang-format off
//   BertNormalizer   control characters dropped, white space is " ", spaces around ideographs,
//                    accents dropped and lower case if the model is "uncased"
//   NFC NFD NFKC NFKD      the normal forms of Unicode Standard Annex 15
//   Lowercase StripAccents Strip Replace Prepend Nmt ByteLevel     what they say
//   Precompiled            a table of replacements that sentencepiece makes (charsmap.h)
//   Sequence               several, in order
// clang-format on
#include <fmt/format.h>

#include <algorithm>

#include "nn/text/letters.h"
#include "nn/text/normal_forms.h"
#include "nn/text/regex.h"
#include "nn/text/unicode.h"
#include "nn/tokenizers/byte_letters.h"
#include "nn/tokenizers/charsmap.h"
#include "nn/tokenizers/stages.h"

namespace heed::tokenizers {

namespace {

using text::Change;

void lowercase(AlignedText& text) {
  std::vector<Change> changes;
  for (size_t at = 0; at < text.text().size();) {
    char32_t c = text::next(text.text(), at);
    if (c < 0x80) {
      changes.push_back({c >= 'A' && c <= 'Z' ? c + 32 : c, 0});
      continue;
    }
    int64_t change = 0;  // one character by itself: a capital sigma is σ wherever it is
    for (char32_t small : text::code_points(text::lower(text::to_utf8(std::u32string(1, c)))))
      changes.push_back({small, change}), change = 1;
  }
  text.rewrite(changes);
}

void strip_accents(AlignedText& text) {
  text.keep_if([](char32_t c) { return c < 0x80 || !text::is_mark(c); });
}

void clean_as_bert(AlignedText& text, bool clean, bool ideographs, bool accents_away, bool lower) {
  if (clean) {
    text.keep_if([](char32_t c) {
      return c != 0 && c != 0xFFFD && (c == '\t' || c == '\n' || c == '\r' || !text::is_control(c));
    });
    text.map([](char32_t c) { return text::is_white(c) ? U' ' : c; });
  }
  std::vector<Change> changes;
  for (size_t at = 0; at < text.text().size() && ideographs;) {
    char32_t c = text::next(text.text(), at);
    if (text::is_ideograph(c))
      changes.insert(changes.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
    else
      changes.push_back({c, 0});
  }
  if (ideographs) text.rewrite(changes);
  if (accents_away) {
    normalize(text, text::NormalForm{});
    text.keep_if([](char32_t c) { return c < 0x80 || text::category(c) != "Mn"; });
  }
  if (lower) lowercase(text);
}

// White space at the ends.
void strip(AlignedText& text, bool left, bool right) {
  const std::u32string all = text::code_points(text.text());
  size_t begin = 0, end = all.size();
  while (left && begin < end && text::is_white(all[begin])) ++begin;
  while (right && end > begin && text::is_white(all[end - 1])) --end;
  std::vector<Change> changes;
  for (size_t i = begin; i < end; ++i) changes.push_back({all[i], 0});
  if (!changes.empty()) changes.back().change = -static_cast<int64_t>(all.size() - end);
  text.rewrite(changes, begin);
}

// What Google's "neural machine translation" drops, and what it calls white space.
void nmt(AlignedText& text) {
  text.keep_if([](char32_t c) {
    return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F);
  });
  text.map([](char32_t c) {
    constexpr std::u32string_view white = U"\t\n\f\r\u1680\u200B\u200C\u200D\u200E\u200F\u2028\u2029\u2581\uFEFF\uFFFD";
    return white.find(c) != white.npos ? U' ' : c;
  });
}

void to_byte_letters(AlignedText& text) {
  std::vector<Change> changes;
  for (char c : text.text()) {
    auto byte = static_cast<unsigned char>(c);
    changes.push_back({byte_letters.letter[byte], (byte & 0xC0) == 0x80 ? 1 : 0});
  }
  text.rewrite(changes);
}

}  // namespace

size_t choice_of(const io::Json& entry, const char* key, const std::string& value,
                 const std::vector<std::string>& known) {
  auto found = std::find(known.begin(), known.end(), value);
  if (found == known.end())
    entry.refuse(
        key, fmt::format("must be one that heed knows ({}); got {}", fmt::join(known, ", "), text::in_quotes(value)));
  return static_cast<size_t>(found - known.begin());
}

text::Pattern pattern_of(const io::Json& entry) {
  const io::Json& pattern = entry.at("pattern");
  if (pattern.is_string()) return text::literal(pattern.as_string());
  if (pattern.contains("String")) return text::literal(pattern.text("String"));
  return text::regex(pattern.text("Regex"));
}

Normalizer normalizer_of(const io::Json& entry) {
  if (entry.is_null()) return [](AlignedText&) {};
  const std::string& type = entry.text("type");
  enum {
    nfd,
    nfc,
    nfkd,
    nfkc,
    bert_,
    lower_,
    accents_,
    byte_level,
    strip_,
    replace,
    prepend,
    nmt_,
    precompiled,
    sequence
  };
  switch (choice_of(entry, "type", type,
                    {"NFD", "NFC", "NFKD", "NFKC", "BertNormalizer", "Lowercase", "StripAccents", "ByteLevel", "Strip",
                     "Replace", "Prepend", "Nmt", "Precompiled", "Sequence"})) {
    case nfd:
    case nfc:
    case nfkd:
    case nfkc:
      return [form = text::NormalForm{.compatible = type[2] == 'K', .composed = type.back() == 'C'}](
                 AlignedText& text) { normalize(text, form); };
    case bert_: {
      bool lower = entry.boolean("lowercase", true);
      const io::Json* accents = entry.find("strip_accents");  // null: as lowercase
      bool away = accents != nullptr && !accents->is_null() ? entry.boolean("strip_accents") : lower;
      return [clean = entry.boolean("clean_text", true), ideographs = entry.boolean("handle_chinese_chars", true), away,
              lower](AlignedText& text) { clean_as_bert(text, clean, ideographs, away, lower); };
    }
    case lower_:
      return lowercase;
    case accents_:
      return strip_accents;
    case byte_level:
      return to_byte_letters;
    case nmt_:
      return nmt;
    case strip_:
      return [left = entry.boolean("strip_left", true), right = entry.boolean("strip_right", true)](AlignedText& text) {
        strip(text, left, right);
      };
    case replace:
      return [pattern = pattern_of(entry), with = entry.text("content")](AlignedText& text) {
        text.replace(pattern, with);
      };
    case prepend:
      return [front = entry.text("prepend")](AlignedText& text) { text.prepend(front); };
    case precompiled: {
      const io::Json* table = entry.find("precompiled_charsmap");
      auto map =
          std::make_shared<const Charsmap>(from_base64(table == nullptr || table->is_null() ? "" : table->as_string()));
      return [map](AlignedText& text) { map->normalize(text); };
    }
    default:
      break;
  }
  std::vector<Normalizer> all;
  for (const io::Json& one : entry.list("normalizers")) all.push_back(normalizer_of(one));
  return [all](AlignedText& text) {
    for (const Normalizer& one : all) one(text);
  };
}

}  // namespace heed::tokenizers
