// Parts 1 to 3 of the lesson: merges one after the other, one sentence in five vocabularies, and size against length.
#pragma once

#include "tensor/random.h"
#include "tutorials/34_tokens/vocabularies.h"
#include "tutorials/common/show.h"

namespace from_text {

namespace app = heed::app;
namespace report = heed::report;
using app::heading, app::show;

inline const char* const kSentence = "The agreement on the European Economic Area was signed in August 1992.";

inline std::string names_of(const tokenizers::Tokens& tokens) {
  std::vector<std::string> names;
  for (const tokenizers::Token& t : tokens) names.push_back(t.text);
  return fmt::format("{}", fmt::join(names, " "));
}
inline double share(int64_t part, int64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1));
}

// ---- 1  merges ------------------------------------------------------------------------------------------------------
struct Merging {
  int64_t unlike = 0, unlike_across = 0, merges = 0;  // merges that are not the library's
};
// What goes wrong if pairs are counted across the ends of words: a line is one word, and ▁ a letter of it.
inline std::vector<Counted> unseparated(const std::vector<std::string>& lines) {
  std::vector<Counted> all;
  for (const std::string& line : lines) {
    Counted one{{}, 1};
    for (const std::string& word : words_of(line)) {
      const Pieces letters = spelled(word);
      one.pieces.insert(one.pieces.end(), letters.begin(), letters.end());
    }
    all.push_back(std::move(one));
  }
  return all;
}
inline Merging the_merges(app::Lesson& lesson, const Texts& texts, int64_t merges) {
  const std::vector<std::string>& lines = texts.learned;
  const std::vector<Learned> learned = learn_merges(spelled(lines), merges);
  report::TablePanel table{.title = "Merges, as they are learned",
                           .text =
                               "The pair, the number of times that its parts were neighbours, and the number of tokens "
                               "of the sentence afterwards.",
                           .header = {"merge", "pair", "count", "tokens"}};
  auto length = [&](size_t m) { return std::to_string(pieces_of(kSentence, learned, m).size()); };
  for (size_t m : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 20u, 50u, 100u, 200u, 300u})
    if (m <= learned.size()) {
      const Learned& one = learned[m - 1];
      table.rows.push_back(
          {std::to_string(m), one.pair.first + " + " + one.pair.second, std::to_string(one.count), length(m)});
    }
  show(lesson, table);
  app::tell("\n");
  for (size_t m : {size_t{0}, size_t{10}, size_t{50}, learned.size()})
    app::item(fmt::format("{} merges", m), fmt::format("{}", fmt::join(pieces_of(kSentence, learned, m), " ")));
  Merging result{.merges = std::ssize(learned)};
  result.unlike = unlike_library(learned, lines);
  const int64_t fewer = std::min<int64_t>(30, merges);  // counting whole lines anew takes long
  result.unlike_across = unlike_library(learn_merges(unseparated(lines), fewer), lines);
  return result;
}

// ---- 2  five vocabularies -------------------------------------------------------------------------------------------
struct OnLines {
  int64_t tokens = 0, letters = 0, bytes = 0, unknown = 0, changed = 0, lines = 0;
  double letters_per_token() const { return static_cast<double>(letters) / static_cast<double>(tokens); }
};
inline OnLines on_lines(const Kind& kind, const std::vector<std::string>& lines) {
  OnLines m;
  for (const std::string& line : lines) {
    const tokenizers::Encoding e = kind.tokenizer.encode(line, {.add_special = false});
    for (const tokenizers::Token& t : e.tokens) m.unknown += t.id == kind.unknown;
    m.tokens += std::ssize(e.tokens), m.letters += letters_in(line), m.bytes += std::ssize(line), ++m.lines;
    m.changed += kind.tokenizer.decode(e.ids(), {.skip_special = false}) != line;
  }
  return m;
}
inline std::vector<Kind> five_kinds(const Texts& texts, int64_t most) {
  std::vector<Kind> kinds;
  kinds.push_back(word_vocabulary(texts, most));
  kinds.push_back(wordpiece_vocabulary(texts, most));
  kinds.push_back(byte_vocabulary(texts.learned, most, "byte-level BPE"));
  kinds.push_back(unigram_vocabulary(texts, most));
  kinds.push_back(fallback_vocabulary(texts, most));
  return kinds;
}
inline void the_sentence(app::Lesson& lesson, const std::vector<Kind>& kinds, const Kind& bytes,
                         const std::vector<Kind>& published, const std::vector<std::string>& held_out) {
  report::TablePanel cut{
      .title = "One sentence in five vocabularies",
      .text = std::string("\"") + kSentence +
              "\" Number of tokens, and which they are, separated by spaces; Ġ and ▁ are spaces of the text.",
      .header = {"vocabulary", "tokens", "which"}};
  report::TablePanel measured{.title = "Held-out lines",
                              .text =
                                  "Number of tokens of the vocabulary; mean number of letters per token; share of "
                                  "unknown tokens, and of lines that are not the same after they were decoded.",
                              .header = {"vocabulary", "size", "letters per token", "unknown", "changed lines"}};
  std::vector<const Kind*> all;
  for (const Kind& kind : kinds) all.push_back(&kind);
  for (const Kind& kind : published) all.push_back(&kind);
  all.push_back(&bytes);
  for (const Kind* one : all) {
    const Kind& kind = *one;
    const tokenizers::Tokens tokens = tokens_of(kind, kSentence);
    if (one != &bytes) cut.rows.push_back({kind.name, std::to_string(tokens.size()), names_of(tokens)});
    const OnLines m = on_lines(kind, held_out);
    measured.rows.push_back({kind.name, std::to_string(kind.size), fmt::format("{:.2f}", m.letters_per_token()),
                             fmt::format("{:.2f} %", share(m.unknown, m.tokens)),
                             fmt::format("{:.1f} %", share(m.changed, m.lines))});
  }
  app::item("", std::string("\"") + kSentence + "\" Ġ and ▁ are spaces of the text.");
  for (const std::vector<std::string>& row : cut.rows) app::item(fmt::format("{} ({})", row[0], row[1]), row[2]);
  app::tell("\n");
  lesson.report().table(cut);  // its rows are too long for a table in the terminal
  show(lesson, measured);
}

// ---- 3  size and length ---------------------------------------------------------------------------------------------
// The letters of each word in an order that is drawn anew each time: the same letters, and no pieces that come again.
inline std::vector<std::string> shuffled_words(const std::vector<std::string>& lines, heed::Generator& rng) {
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    std::string made;
    for (const std::string& word : words_of(line)) {
      std::u32string letters = text::code_points(word);
      rng.shuffle(letters);
      made += (made.empty() ? "" : " ") + text::to_utf8(letters);
    }
    out.push_back(made);
  }
  return out;
}
struct Sizes {
  double learned = 0, shuffled = 0;  // letters per token, of the largest vocabulary
};
inline Sizes the_sizes(app::Lesson& lesson, const Texts& texts, int64_t most, uint64_t seed) {
  heed::Generator rng(seed, 1 << 22);
  const Texts mixed{"", shuffled_words(texts.learned, rng), shuffled_words(texts.held_out, rng)};
  report::TablePanel table{.title = "Size of the vocabulary, length of the text",
                           .text =
                               "Letters per token of held-out lines, byte-level BPE. Shuffled: the letters of each "
                               "word are in an order that is drawn anew each time.",
                           .header = {"tokens", "the text", "shuffled"}};
  report::CurvesPanel curves{.title = "Letters per token by the size of the vocabulary",
                             .text = "Held-out lines. Each doubling brings less than the one before.",
                             .x_label = "tokens of the vocabulary",
                             .y_label = "letters per token",
                             .series = {{.name = "the text"}, {.name = "letters shuffled"}},
                             .log_x = true};
  Sizes sizes;
  for (int64_t size : {256, 500, 1000, 2000, 4000}) {
    if (size > most) break;
    const Kind kind = byte_vocabulary(texts.learned, size, "");
    sizes.learned = on_lines(kind, texts.held_out).letters_per_token();
    sizes.shuffled = on_lines(byte_vocabulary(mixed.learned, size, ""), mixed.held_out).letters_per_token();
    table.rows.push_back(
        {std::to_string(kind.size), fmt::format("{:.2f}", sizes.learned), fmt::format("{:.2f}", sizes.shuffled)});
    for (size_t i : {size_t{0}, size_t{1}}) {
      curves.series[i].x.push_back(static_cast<double>(kind.size));
      curves.series[i].y.push_back(i == 0 ? sizes.learned : sizes.shuffled);
    }
  }
  show(lesson, table);
  lesson.report().curves(curves);
  return sizes;
}

}  // namespace from_text
