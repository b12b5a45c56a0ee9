// Parts 4 and 5 of the lesson: spaces, numbers and offsets, and languages that the text does not contain.
#pragma once

#include <cctype>

#include "nn/data/grammar/toy_corpus.h"
#include "tutorials/34_tokens/parts.h"

namespace from_text {

// ---- 4  spaces, numbers, offsets ------------------------------------------------------------------------------------
struct Spaces {
  int64_t after = 0, places = 0;                    // tokens that end between a space and its word; of such places
  int64_t twice = 0;                                // tokens that are in the vocabulary with a space, too
  int64_t shapes = 0;                               // ways to cut a number of three digits
  int64_t misplaced = 0, added_up = 0, tokens = 0;  // offsets that point to something else
};
inline int64_t ends_after_space(const Kind& kind, const std::vector<std::string>& lines) {
  int64_t ends = 0;
  for (const std::string& line : lines) {
    const tokenizers::Tokens tokens = tokens_of(kind, line);
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      ends += tokens[i].text.ends_with("Ġ") && std::isalnum(static_cast<unsigned char>(tokens[i + 1].text[0])) != 0;
  }
  return ends;
}
// Lower case, without accents: what WordPiece makes of a part of the text.
inline std::string plain(std::u32string_view part) {
  std::string made;
  for (char32_t c : part)
    for (char32_t d : text::decomposed(c, false))
      if (text::category(d) != "Mn") text::append(made, d);
  return text::lower(made);
}
inline Spaces the_spaces(app::Lesson& lesson, const std::vector<Kind>& kinds, const Kind& bytes, const Texts& texts) {
  const Kind &merged = kinds[2], &pieces = kinds[1];
  Spaces s;
  s.after = ends_after_space(merged, texts.held_out), s.places = ends_after_space(bytes, texts.held_out);
  for (int64_t id = 0; id < merged.size; ++id)
    s.twice += merged.tokenizer.id_of("Ġ" + merged.tokenizer.token(id)).has_value();
  report::TablePanel spaces{.title = "A space is part of a token",
                            .text = "Byte-level BPE. Ġ is a space of the text.",
                            .header = {"text", "tokens"}};
  for (const char* line : {"the attention weights", "attention", " attention", "Attention", "the attention "})
    spaces.rows.push_back({fmt::format("\"{}\"", line), names_of(tokens_of(merged, line))});
  show(lesson, spaces);
  app::tell("\n");
  report::TablePanel numbers{.title = "Numbers in pieces", .header = {"vocabulary"}};
  const std::vector<std::string> shown{"1992", "1993", "471", "385", "0.05"};
  numbers.header.insert(numbers.header.end(), shown.begin(), shown.end());
  for (const Kind& kind : kinds) {
    numbers.rows.push_back({kind.name});
    for (const std::string& number : shown) numbers.rows.back().push_back(names_of(tokens_of(kind, number)));
  }
  show(lesson, numbers);
  std::map<std::vector<int64_t>, int64_t> shapes;
  for (int64_t n = 100; n < 1000; ++n) {
    std::vector<int64_t> shape;
    for (const tokenizers::Token& t : tokens_of(merged, std::to_string(n))) shape.push_back(std::ssize(t.text));
    ++shapes[shape];
  }
  s.shapes = std::ssize(shapes);
  report::TablePanel ways{.title = "How numbers of three digits are cut",
                          .text = "Byte-level BPE: digits of each token, and how many of the 900 numbers.",
                          .header = {"digits of each token", "numbers"}};
  for (const auto& [shape, count] : shapes)
    ways.rows.push_back({fmt::format("{}", fmt::join(shape, " + ")), std::to_string(count)});
  app::tell("\n");
  show(lesson, ways);
  for (const std::string& line : texts.held_out) {
    const std::u32string letters = text::code_points(line);
    size_t place = 0;  // where a token would begin if the lengths of the tokens before it were added up
    for (const tokenizers::Token& t : tokens_of(pieces, line)) {
      if (t.id == pieces.unknown) continue;
      const std::string name = t.text.starts_with("##") && t.text.size() > 2 ? t.text.substr(2) : t.text;
      const auto length = static_cast<size_t>(letters_in(name));
      const std::u32string_view part = std::u32string_view(letters).substr(t.at.begin, t.at.end - t.at.begin);
      s.misplaced += plain(part) != name && text::to_utf8(part) != name;  // the second: [MASK] in the text
      s.added_up += place > letters.size() || plain(std::u32string_view(letters).substr(place, length)) != name;
      place += length, ++s.tokens;
    }
  }
  return s;
}

// ---- 5  languages ---------------------------------------------------------------------------------------------------
struct Languages {
  double far = 1e9, near = 0;  // tokens per letter, English = 1: least of other scripts, most of Latin
  double learned_english = 0, learned_french = 0;  // tokens of French sentences by those of their translations
};
inline Languages the_languages(app::Lesson& lesson, const std::vector<Kind>& kinds, uint64_t seed) {
  Languages l;
  report::TablePanel table{
      .title = "One sentence in ten languages",
      .text =
          "Number of letters, bytes and tokens of the sentence, and tokens per letter (English = 1), "
          "byte-level BPE. Unknown: [UNK] of WordPiece.",
      .header = {"language", "letters", "bytes", "tokens", "per letter", "unknown"}};
  report::BarsPanel bars{
      .title = "Number of tokens of one sentence", .x_label = "tokens", .series = {{.name = "byte-level BPE"}}};
  double english = 0;
  for (const Translation& t : translations()) {
    const auto letters = static_cast<double>(letters_in(t.sentence));
    const auto tokens = static_cast<double>(tokens_of(kinds[2], t.sentence).size());
    if (english == 0) english = tokens / letters;
    const double per_letter = tokens / letters / english;
    int64_t unknown = 0;
    for (const tokenizers::Token& one : tokens_of(kinds[1], t.sentence)) unknown += one.id == kinds[1].unknown;
    if (std::string(t.script) == "Latin")
      l.near = std::max(l.near, per_letter);
    else
      l.far = std::min(l.far, per_letter);
    table.rows.push_back({t.language, fmt::format("{:.0f}", letters), std::to_string(std::string(t.sentence).size()),
                          fmt::format("{:.0f}", tokens), fmt::format("{:.1f}", per_letter), std::to_string(unknown)});
    bars.labels.push_back(t.language);
    bars.series[0].values.push_back(tokens);
  }
  show(lesson, table);
  lesson.report().bars(bars);
  app::tell("\n");
  const heed::data::ToyCorpus corpus =
      heed::data::toy_corpus({.train = 4000, .validation = 0, .test = 500, .seed = seed});
  std::vector<std::string> halves[2], tests[2];
  for (const auto& pair : corpus.train) {
    halves[0].push_back(fmt::format("{}", fmt::join(pair.source, " ")));
    halves[1].push_back(fmt::format("{}", fmt::join(pair.target, " ")));
  }
  for (const auto& pair : corpus.test) {
    tests[0].push_back(fmt::format("{}", fmt::join(pair.source, " ")));
    tests[1].push_back(fmt::format("{}", fmt::join(pair.target, " ")));
  }
  report::TablePanel toy{
      .title = "The same sentences in two languages",
      .text =
          "500 sentences of the toy grammar of lesson 12 and their translations: mean number of tokens per "
          "sentence, byte-level BPE with 400 tokens.",
      .header = {"learned from", "English", "French", "French by English"}};
  for (size_t half : {size_t{0}, size_t{1}}) {
    const Kind kind = byte_vocabulary(halves[half], 400, "");
    double tokens[2];
    for (size_t i : {size_t{0}, size_t{1}})
      tokens[i] = static_cast<double>(on_lines(kind, tests[i]).tokens) / static_cast<double>(tests[i].size());
    const double ratio = tokens[1] / tokens[0];
    (half == 0 ? l.learned_english : l.learned_french) = ratio;
    toy.rows.push_back({half == 0 ? "English" : "French", fmt::format("{:.1f}", tokens[0]),
                        fmt::format("{:.1f}", tokens[1]), fmt::format("{:.2f}", ratio)});
  }
  show(lesson, toy);
  return l;
}

}  // namespace from_text
