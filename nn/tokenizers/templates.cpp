// What is put around the tokens of one text, or of a pair: the beginning and end that a model was trained with.
//
// clang-format off
//   BERT      [CLS] A [SEP]            [CLS] A [SEP] B [SEP]         type ids 0 ..0, 1 ..1
//   RoBERTa   <s> A </s>               <s> A </s> </s> B </s>        all 0
//   T5        A </s>                   A </s> B </s>
//   Llama     <s> A                    <s> A <s> B
// clang-format on
//
// In a tokenizer.json: TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel (which adds nothing, but takes
// the space out of the offsets of "Ġword"), Sequence.
#include <algorithm>

#include "nn/text/letters.h"
#include "nn/tokenizers/byte_letters.h"
#include "nn/tokenizers/stages.h"

namespace heed::tokenizers {

namespace {

// The space that byte-level BPE joins to the next word is no part of that word: " word" has the offsets of "word".
void trim_offsets(Tokens& tokens, bool prefix_added) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::u32string text = text::code_points(tokens[i].text);
    auto space = [](char32_t c) { return c == byte_letters.letter[' '] || text::is_white(c); };
    auto leading = static_cast<uint32_t>(std::find_if_not(text.begin(), text.end(), space) - text.begin());
    auto trailing = static_cast<uint32_t>(std::find_if_not(text.rbegin(), text.rend(), space) - text.rbegin());
    Span& at = tokens[i].at;
    if (leading == 1 && prefix_added && (i == 0 || at.begin == 0)) leading = 0;  // a space that is not in the text
    at.begin = std::min(at.begin + leading, at.end);
    if (at.end >= trailing) at.end = std::max(at.end - trailing, at.begin);
  }
}

struct Part {
  int64_t type_id;
  int64_t text;  // 0, 1; -1: the special tokens
  Tokens special = {};
};

Template filled(std::vector<Part> single, std::vector<Part> pair) {
  return [single = std::move(single), pair = std::move(pair)](std::vector<Tokens> texts, bool add_special) {
    if (texts.size() > 2) return texts;
    std::vector<Tokens> result;
    for (const Part& part : texts.size() == 1 ? single : pair) {
      if (part.text < 0 && !add_special) continue;
      result.push_back(part.text < 0 ? part.special : texts[static_cast<size_t>(part.text)]);
      for (Token& token : result.back()) token.type_id = part.type_id;
    }
    return result;
  };
}

std::vector<Part> parts_of(const io::Json& entry, const char* form) {
  std::vector<Part> parts;
  for (const io::Json& piece : entry.list(form)) {
    if (const io::Json* sequence = piece.find("Sequence")) {
      size_t text = choice_of(*sequence, "id", sequence->text("id"), {"A", "B"});
      if (text == 1 && std::string_view(form) == "single") entry.refuse(form, "must not contain the second text, B");
      parts.push_back({sequence->integer("type_id", 0), static_cast<int64_t>(text)});
      continue;
    }
    const io::Json& special = piece.inner("SpecialToken");
    const io::Json& named = entry.inner("special_tokens").inner(special.text("id"));
    parts.push_back({special.integer("type_id", 0), -1});
    const std::vector<io::Json>&ids = named.list("ids"), &names = named.list("tokens");
    for (size_t i = 0; i < ids.size() && i < names.size(); ++i)
      parts.back().special.push_back({.id = ids[i].as_integer(), .text = names[i].as_string(), .from_template = true});
  }
  return parts;
}

Tokens special_of(const io::Json& entry, const char* key) {  // ["[SEP]", 102]
  const std::vector<io::Json>& named = entry.list(key);
  if (named.size() != 2) entry.refuse(key, "must be a token and its id");
  return {{.id = named[1].as_integer(), .text = named[0].as_string(), .from_template = true}};
}

}  // namespace

Template template_of(const io::Json& entry) {
  if (entry.is_null()) return [](std::vector<Tokens> texts, bool) { return texts; };
  enum { general, sequence, bytes, bert, roberta };
  size_t type = choice_of(entry, "type", entry.text("type"),
                          {"TemplateProcessing", "Sequence", "ByteLevel", "BertProcessing", "RobertaProcessing"});
  if (type == general) return filled(parts_of(entry, "single"), parts_of(entry, "pair"));
  if (type == sequence) {
    std::vector<Template> all;
    for (const io::Json& one : entry.list("processors")) all.push_back(template_of(one));
    return [all](std::vector<Tokens> texts, bool add_special) {
      for (const Template& one : all) texts = one(std::move(texts), add_special);
      return texts;
    };
  }
  Template around = [](std::vector<Tokens> texts, bool) { return texts; };
  if (type == bert || type == roberta) {
    const Tokens cls = special_of(entry, "cls"), sep = special_of(entry, "sep");
    const std::vector<Part> single = {{0, -1, cls}, {0, 0}, {0, -1, sep}};
    std::vector<Part> pair = single;
    if (type == roberta) pair.push_back({0, -1, sep});
    const int64_t second = type == bert ? 1 : 0;
    pair.push_back({second, 1}), pair.push_back({second, -1, sep});
    around = filled(single, pair);
  }
  bool trims = type != bert && entry.boolean("trim_offsets", true), prefix = entry.boolean("add_prefix_space", true);
  return [around, trims, prefix](std::vector<Tokens> texts, bool add_special) {
    for (Tokens& tokens : texts)
      if (trims) trim_offsets(tokens, prefix);
    return around(std::move(texts), add_special);
  };
}

}  // namespace heed::tokenizers
