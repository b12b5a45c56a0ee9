// The same text in five vocabularies, each of them tiny. The library cuts it.
#include <algorithm>

#include "nn/text/unicode.h"
#include "nn/tokenizers/byte_letters.h"
#include "nn/tokenizers/token_model.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

using Words = std::vector<std::string>;

// The names of the tokens of these words; of a space, the mark of the vocabulary is already in the word.
Words cut_into_tokens(const tokenizers::TokenModel& model, const Words& words) {
  Words names;
  for (const std::string& word : words) {
    std::vector<tokenizers::Piece> pieces;
    model.append_pieces(word, pieces);
    for (const tokenizers::Piece& piece : pieces) names.push_back(*model.table.token(piece.id));
  }
  return names;
}
std::string in_byte_letters(const std::string& word) {
  std::string letters;
  for (char byte : word) text::append(letters, tokenizers::byte_letters.letter[static_cast<unsigned char>(byte)]);
  return letters;
}
// The letters of the words and what the merges make, then those merges.
tokenizers::Model of_merges(const Words& words, std::vector<std::pair<std::string, std::string>> merges,
                            bool fallback) {
  Words names{"<unk>"};
  auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& word : words)
    for (std::size_t at = 0, begin = 0; at < word.size(); begin = at) {
      text::next(word, at);
      if (!fallback || word.substr(begin, at - begin) != "é") add(word.substr(begin, at - begin));
    }
  for (unsigned b = 0; b < 256 && fallback; ++b) add(tokenizers::byte_token(static_cast<unsigned char>(b)));
  for (const auto& merge : merges) add(merge.first + merge.second);
  return tokenizers::byte_pairs(tokenizers::table_of(names), {.merges = std::move(merges), .byte_fallback = fallback});
}

}  // namespace

Canvas draw_tokens() {
  constexpr double kTop = 84, kRow = 56, kHigh = 36, kLeft = 172, kLetter = 12.2, kPad = 9, kGap = 5;
  const Words plain{"lowest", "cafe", "1992"}, letters{"lowest", in_byte_letters(" café"), in_byte_letters(" 1992")},
      marked{"▁lowest", "▁café", "▁1992"};
  const tokenizers::Model words =
      tokenizers::unigram({.pieces = {{"[UNK]", -99}, {"1992", -1}, {"lowest", -1}}, .unknown = 0});
  const tokenizers::Model wordpiece =
      tokenizers::wordpiece(tokenizers::table_of(Words{"[UNK]", "low", "##est", "cafe", "19", "##92"}), {});
  const tokenizers::Model bytes = of_merges(
      letters,
      {{"l", "o"}, {"lo", "w"}, {"e", "s"}, {"es", "t"}, {"Ġ", "c"}, {"a", "f"}, {"Ġc", "af"}, {"Ġ", "1"}, {"Ġ1", "9"}},
      false);
  const tokenizers::Model unigram = tokenizers::unigram(
      {.pieces = {{"<unk>", -99}, {"▁low", -3}, {"est", -2}, {"▁caf", -4}, {"▁19", -3}, {"92", -4}}, .unknown = 0});
  const tokenizers::Model fallback = of_merges(marked,
                                               {{"▁", "l"},
                                                {"o", "w"},
                                                {"▁l", "ow"},
                                                {"e", "s"},
                                                {"es", "t"},
                                                {"▁", "c"},
                                                {"a", "f"},
                                                {"▁c", "af"},
                                                {"▁", "1"},
                                                {"▁1", "9"},
                                                {"9", "2"}},
                                               true);
  const std::vector<std::pair<std::string, Words>> rows{{"words", cut_into_tokens(*words, {"lowest", "café", "1992"})},
                                                        {"WordPiece", cut_into_tokens(*wordpiece, plain)},
                                                        {"byte-level BPE", cut_into_tokens(*bytes, letters)},
                                                        {"unigram", cut_into_tokens(*unigram, marked)},
                                                        {"byte fallback", cut_into_tokens(*fallback, marked)}};
  Canvas c(kTop + kRow * static_cast<double>(rows.size()) + 14);
  c.text({14, 34}, "the text", {.size = 21, .anchor = Anchor::start});
  c.text({kLeft, 34}, "lowest café 1992", {.size = 24, .anchor = Anchor::start, .bold = true, .weight = false});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = kTop + kRow * static_cast<double>(r);
    c.text({14, y + kHigh / 2}, rows[r].first, {.size = 21, .anchor = Anchor::start});
    double x = kLeft;
    for (const std::string& token : rows[r].second) {
      const bool lost = token == "[UNK]" || token == "<unk>",
                 byte = token.starts_with("<0x") || token == "Ã" || token == "©";
      const double width = 2 * kPad + kLetter * static_cast<double>(text::code_points(token).size());
      c.box({x, y, width, kHigh}, token,
            {.fill = lost   ? Ink::gold
                     : byte ? Ink::faint
                            : Ink::accent,
             .strength = lost ? 0.45 : 0.22,
             .thickness = 1,
             .radius = 5,
             .text = {.size = 20, .code = true, .weight = false}});
      x += width + kGap;
    }
  }
  return c;
}

}  // namespace heed::course
