// From tokens back to a text: each decoder undoes what a splitter and a model did to the words.
//
// clang-format off
//   WordPiece      un ##aff ##able !    unaffable!      ## joins; a space before the others,
//                                                       not before punctuation (cleanup)
//   ByteLevel      caf Ã© Ġnoir         café noir       letters to bytes, bytes to characters
//   Metaspace      ▁caf é ▁noir         café noir       ▁ is a space, the first one none
//   ByteFallback   <0xC3> <0xA9>        é               bytes to characters
//   BPEDecoder CTC Replace Strip Fuse Sequence          what they say
// clang-format on
#include <array>

#include "nn/text/unicode.h"
#include "nn/tokenizers/byte_letters.h"
#include "nn/tokenizers/stages.h"

namespace heed::tokenizers {

namespace {

using Strings = std::vector<std::string>;

std::string replaced(const std::string& text, const text::Pattern& pattern, std::string_view with) {
  std::string result;
  for (const text::Stretch& s : pattern(text))
    result += s.matched ? with : std::string_view(text).substr(s.begin, s.end - s.begin);
  return result;
}
std::string replaced(const std::string& text, const std::string& what, std::string_view with) {
  return replaced(text, text::literal(what), with);
}

// A token with any other character is taken as it is: an added token.
Strings from_byte_letters(const Strings& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) {
    std::string these;
    for (size_t at = 0; at < token.size();) {
      int byte = byte_letters.byte_of(text::next(token, at));
      if (byte >= 0)
        these += static_cast<char>(byte);
      else
        these = token, at = token.size();
    }
    bytes += these;
  }
  return {text::well_formed(bytes)};
}

Strings from_byte_tokens(const Strings& tokens) {  // <0x0A>
  Strings result;
  std::string bytes;
  auto flush = [&] {  // bytes that are no text become one U+FFFD each
    if (bytes.empty()) return;
    if (!text::invalid_utf8(bytes))
      result.push_back(bytes);
    else
      result.insert(result.end(), bytes.size(), "\uFFFD");
    bytes.clear();
  };
  for (const std::string& token : tokens) {
    bool is_byte = token.size() == 6 && token.starts_with("<0x") && token[5] == '>' &&
                   token.find_first_not_of("0123456789abcdefABCDEF", 3) == 5;
    if (is_byte) {
      bytes += static_cast<char>(std::stoi(token.substr(3, 2), nullptr, 16));
    } else {
      flush();
      result.push_back(token);
    }
  }
  flush();
  return result;
}

std::string stripped(std::string token, const std::string& what, int64_t left, int64_t right) {
  if (what.empty()) return token;
  for (; left > 0 && token.starts_with(what); --left) token.erase(0, what.size());
  for (; right > 0 && token.ends_with(what); --right) token.erase(token.size() - what.size());
  return token;
}

// One token after the other, each with its index.
Decoder each(std::function<std::string(const Strings&, size_t)> one) {
  return [one = std::move(one)](const Strings& tokens) {
    Strings parts;
    for (size_t i = 0; i < tokens.size(); ++i) parts.push_back(one(tokens, i));
    return parts;
  };
}

}  // namespace

std::string without_token_spaces(std::string text) {
  constexpr std::array<std::array<const char*, 2>, 10> spaces = {{{" .", "."},
                                                                  {" ?", "?"},
                                                                  {" !", "!"},
                                                                  {" ,", ","},
                                                                  {" ' ", "'"},
                                                                  {" n't", "n't"},
                                                                  {" 'm", "'m"},
                                                                  {" 's", "'s"},
                                                                  {" 've", "'ve"},
                                                                  {" 're", "'re"}}};
  for (const auto& [with, without] : spaces)
    if (text.find(with) != text.npos) text = replaced(text, with, without);
  return text;
}

Decoder decoder_of(const io::Json& entry) {
  if (entry.is_null()) return each([](const Strings& tokens, size_t i) { return (i > 0 ? " " : "") + tokens[i]; });
  enum { pieces, letters, bytes, meta, bpe, fuse, replace, strip, ctc, sequence };
  bool cleanup = entry.boolean("cleanup", true);
  switch (choice_of(entry, "type", entry.text("type"),
                    {"WordPiece", "ByteLevel", "ByteFallback", "Metaspace", "BPEDecoder", "Fuse", "Replace", "Strip",
                     "CTC", "Sequence"})) {
    case pieces:
      return each([prefix = entry.text("prefix", "##"), cleanup](const Strings& tokens, size_t i) {
        bool joins = i > 0 && tokens[i].starts_with(prefix);
        std::string token = joins ? tokens[i].substr(prefix.size()) : (i > 0 ? " " : "") + tokens[i];
        return cleanup ? replaced(without_token_spaces(token), " do not", " don't") : token;
      });
    case letters:
      return from_byte_letters;
    case bytes:
      return from_byte_tokens;
    case meta:
      return each(
          [mark = entry.text("replacement", "\u2581"), first = prepend_scheme_of(entry) == PrependScheme::never](
              const Strings& tokens, size_t i) { return replaced(tokens[i], mark, i > 0 || first ? " " : ""); });
    case bpe:
      return each([suffix = entry.text("suffix", "</w>")](const Strings& tokens, size_t i) {
        return replaced(tokens[i], suffix, i + 1 < tokens.size() ? " " : "");
      });
    case fuse:
      return [](const Strings& tokens) {
        std::string all;
        for (const std::string& token : tokens) all += token;
        return Strings{all};
      };
    case replace:
      return each([pattern = pattern_of(entry), with = entry.text("content")](const Strings& tokens, size_t i) {
        return replaced(tokens[i], pattern, with);
      });
    case strip:
      return each([what = entry.text("content"), left = entry.integer("start"), right = entry.integer("stop")](
                      const Strings& tokens, size_t i) { return stripped(tokens[i], what, left, right); });
    case ctc:  // of speech: a token that is repeated is one, and padding is nothing
      return each([pad = entry.text("pad_token", "<pad>"), space = entry.text("word_delimiter_token", "|"), cleanup](
                      const Strings& tokens, size_t i) {
        if (i > 0 && tokens[i] == tokens[i - 1]) return std::string();
        std::string token = replaced(tokens[i], pad, "");
        return cleanup ? replaced(without_token_spaces(token), space, " ") : token;
      });
    default:
      break;
  }
  std::vector<Decoder> all;
  for (const io::Json& one : entry.list("decoders")) all.push_back(decoder_of(one));
  return [all](Strings tokens) {
    for (const Decoder& one : all) tokens = one(std::move(tokens));
    return tokens;
  };
}

}  // namespace heed::tokenizers
