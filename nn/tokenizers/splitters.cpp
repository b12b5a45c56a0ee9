// Cuts a normalised text into words, within which the model then looks for its pieces. (The `tokenizers` library calls
// these pre-tokenizers.)
//
// clang-format off
//   "Hi there, it's 2024."
//   BertPreTokenizer   Hi there , it ' s 2024 .      at spaces, and each punctuation mark alone
//   Whitespace         Hi there , it ' s 2024 .      \w+ | [^\w\s]+
//   WhitespaceSplit    Hi there, it's 2024.          at spaces alone
//   ByteLevel          Hi Ġthere , Ġit 's Ġ2024 .    GPT-2's expression; then in byte letters
//   Metaspace          ▁Hi ▁there, ▁it's ▁2024.      before each space, which becomes ▁
//   Digits Punctuation CharDelimiterSplit Split FixedLength Sequence      what they say
// clang-format on
#include <algorithm>

#include "nn/text/letters.h"
#include "nn/text/regex.h"
#include "nn/tokenizers/stages.h"

namespace heed::tokenizers {

namespace {

using text::Behaviour, text::Stretch;

// English contractions, words, numbers and other signs with the space before them, and white space; the last space
// before a word belongs to the word. From encoder.py of GPT-2.
const char* const gpt2_expression = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Behaviour behaviour_of(const io::Json& entry) {
  return static_cast<Behaviour>(
      choice_of(entry, "behavior", entry.text("behavior", "Isolated"),
                {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"}));
}

Splitter at(text::Pattern pattern, Behaviour behaviour) {
  return [pattern = std::move(pattern), behaviour](const AlignedText& text) { return text.split(pattern, behaviour); };
}

std::vector<AlignedText> whole(AlignedText text) {
  std::vector<AlignedText> one;
  one.push_back(std::move(text));
  return one;
}

Splitter one_after_the_other(std::vector<Splitter> all) {
  return [all = std::move(all)](AlignedText text) {
    std::vector<AlignedText> parts = whole(std::move(text));
    for (const Splitter& one : all) {
      std::vector<AlignedText> finer;
      for (AlignedText& part : parts)
        for (AlignedText& word : one(std::move(part))) finer.push_back(std::move(word));
      parts = std::move(finer);
    }
    return parts;
  };
}

// \w+ | [^\w\s]+ : runs of one kind; the white space between is the match.
std::vector<Stretch> words_and_signs(std::string_view text) {
  std::vector<Stretch> found;
  int before = -1;
  for (size_t at = 0, begin = 0; at < text.size(); begin = at) {
    char32_t c = text::next(text, at);
    int kind = text::is_word(c) ? 0 : text::is_white(c) ? 1 : 2;
    if (kind == before)
      found.back().end = at;
    else
      found.push_back({begin, at, kind == 1});
    before = kind;
  }
  return found;
}

Splitter metaspace(const io::Json& entry) {
  const std::string mark = entry.text("replacement", "\u2581");
  return [mark, scheme = prepend_scheme_of(entry), split = entry.boolean("split", true), space = text::literal(" "),
          at_mark = text::literal(mark)](AlignedText text) {
    text.replace(space, mark);
    bool wanted = scheme == PrependScheme::always || (scheme == PrependScheme::first && text.begin() == 0);
    if (wanted && !text.text().starts_with(mark)) text.prepend(mark);
    return split ? text.split(at_mark, Behaviour::with_next) : whole(std::move(text));
  };
}

Splitter byte_level(const io::Json& entry) {
  Splitter words = entry.boolean("use_regex", true) ? at(text::regex(gpt2_expression), Behaviour::isolated) : whole;
  Normalizer letters = normalizer_of(io::Json::object({{"type", "ByteLevel"}}));
  return [prefix = entry.boolean("add_prefix_space", true), words, letters](AlignedText text) {
    if (prefix && !text.text().starts_with(' ')) text.prepend(" ");
    std::vector<AlignedText> parts = words(std::move(text));
    for (AlignedText& word : parts) letters(word);
    return parts;
  };
}

// The stretches that the pattern leaves are what is wanted.
text::Pattern inverted(text::Pattern pattern) {
  return [pattern = std::move(pattern)](std::string_view text) {
    std::vector<Stretch> found = pattern(text);
    for (Stretch& s : found) s.matched = !s.matched;
    return found;
  };
}

text::Pattern runs_of(int64_t length) {
  return [length](std::string_view text) {
    std::vector<Stretch> found;
    for (size_t at = 0, begin = 0; at < text.size(); begin = at) {
      for (int64_t i = 0; i < length && at < text.size(); ++i) text::next(text, at);
      found.push_back({begin, at, true});
    }
    return found;
  };
}

}  // namespace

PrependScheme prepend_scheme_of(const io::Json& entry) {
  const std::string name = entry.text("prepend_scheme", entry.boolean("add_prefix_space", true) ? "always" : "never");
  return static_cast<PrependScheme>(choice_of(entry, "prepend_scheme", name, {"always", "first", "never"}));
}

Splitter splitter_of(const io::Json& entry) {
  if (entry.is_null()) return whole;
  enum { bert, words, spaces, bytes, meta, punctuation, digits, delimiter, length, split, sequence };
  switch (choice_of(entry, "type", entry.text("type"),
                    {"BertPreTokenizer", "Whitespace", "WhitespaceSplit", "ByteLevel", "Metaspace", "Punctuation",
                     "Digits", "CharDelimiterSplit", "FixedLength", "Split", "Sequence"})) {
    case bert:
      return one_after_the_other({at(text::characters(text::is_white), Behaviour::removed),
                                  at(text::characters(text::is_punctuation), Behaviour::isolated)});
    case words:
      return at(words_and_signs, Behaviour::removed);
    case spaces:
      return at(text::characters(text::is_white), Behaviour::removed);
    case bytes:
      return byte_level(entry);
    case meta:
      return metaspace(entry);
    case punctuation:
      return at(text::characters(text::is_punctuation), behaviour_of(entry));
    case digits:
      return at(text::characters(text::is_number),
                entry.boolean("individual_digits", false) ? Behaviour::isolated : Behaviour::contiguous);
    case delimiter:
      return at(text::literal(entry.text("delimiter")), Behaviour::removed);
    case length:
      return at(runs_of(std::max<int64_t>(entry.integer("length", 5), 1)), Behaviour::isolated);
    case split: {
      text::Pattern pattern = pattern_of(entry);
      return at(entry.boolean("invert", false) ? inverted(pattern) : pattern, behaviour_of(entry));
    }
    default:
      break;
  }
  std::vector<Splitter> all;
  for (const io::Json& one : entry.list("pretokenizers")) all.push_back(splitter_of(one));
  return one_after_the_other(std::move(all));
}

}  // namespace heed::tokenizers
