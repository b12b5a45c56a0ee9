// The unigram language model of pieces: each piece has a probability, and a word is cut so that the product is largest.
//
// clang-format off
//   best(0) = 0
//   best(e) = max over pieces x = word[b, e) of  best(b) + log p(x)        Viterbi, from the left
//
//   word   h u g s        pieces that end at 4:   s  best(3) + log p(s)
//          0 1 2 3 4                              gs best(2) + log p(gs)    ...
// clang-format on
//
// The best cut of the first e bytes contains the best cut of the first b, so one pass finds it; then the pieces are
// read from the end. A character that is no piece costs min log p - 10; neighbours of that kind are one unknown token,
// or their bytes. Kudo, "Subword regularization", ACL 2018, section 3.2; sentencepiece (T5, ALBERT, XLM-R, Marian).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "nn/text/trie.h"
#include "nn/text/unicode.h"
#include "nn/tokenizers/token_model.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

constexpr double unknown_penalty = 10;
constexpr int64_t none = -1;

TokenTable names_of(const UnigramOptions& options) {
  if (options.names) return *options.names;
  std::vector<std::string> names;
  for (const auto& piece : options.pieces) names.push_back(piece.first);
  return table_of(names);
}

class Unigram final : public TokenModel {
 public:
  explicit Unigram(UnigramOptions o) : TokenModel(names_of(o)), options_(std::move(o)) {
    if (options_.pieces.empty() || (options_.unknown && table.token(*options_.unknown) == nullptr))
      throw InputError(fmt::format("Unigram: the unknown token must be one of its pieces; got id {} and {} pieces",
                                   options_.unknown.value_or(none), options_.pieces.size()));
    std::vector<std::string> in_text;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < options_.pieces.size(); ++i) {
      const auto& [piece, score] = options_.pieces[i];
      in_text.push_back(options_.in_text.empty() || options_.in_text[i] ? piece : "");
      ids_.push_back(options_.names ? table.id_of(piece).value_or(options_.unknown.value_or(0))
                                    : static_cast<int64_t>(i));
      least = std::min(least, score);
    }
    unknown_score_ = least - unknown_penalty;
    if (!options_.names) unknown_piece_ = options_.unknown.value_or(none);
    trie_ = text::Trie(in_text);
  }

  void append_pieces(std::string_view word, std::vector<Piece>& pieces) const override {
    std::vector<Best> best(word.size() + 1);
    for (size_t begin = 0, after = 0; begin < word.size(); begin = after) {
      after = begin;
      text::next(word, after);
      bool one_character = false;  // is the character itself a piece?
      if (options_.lite && !best[after].reached) best[after].begin = begin;
      auto propose = [&](size_t end, double score, int64_t piece) {
        double total = best[begin].score + score;
        if (options_.in_floats) total = static_cast<float>(total);
        const bool larger = options_.lite ? total >= best[end].score || best[end].score == 0 : total > best[end].score;
        if (!best[end].reached || larger) best[end] = {total, begin, piece, true};
      };
      trie_.prefixes(word.substr(begin), [&](int64_t piece, size_t bytes) {
        propose(begin + bytes, options_.pieces[static_cast<size_t>(piece)].second, piece);
        one_character = one_character || options_.lite || begin + bytes == after;
      });
      if (!one_character) propose(after, options_.lite ? 0 : unknown_score_, none);
    }
    const size_t before = pieces.size();
    auto known = [&](size_t end) { return best[end].piece != none && best[end].piece != unknown_piece_; };
    for (size_t end = word.size(); end > 0;) {  // from the end, so in reverse
      size_t begin = best[end].begin;
      while (!known(end) && begin > 0 && !known(begin)) begin = best[begin].begin;  // unknown neighbours are one
      if (known(end))
        pieces.push_back({ids_[static_cast<size_t>(best[end].piece)], begin, end});
      else
        append_unknown(word, begin, end, pieces);
      end = begin;
    }
    std::reverse(pieces.begin() + static_cast<std::ptrdiff_t>(before), pieces.end());
  }

 private:
  struct Best {  // the best cut that ends at a byte: its score, and its last piece (none: unknown)
    double score = 0;
    size_t begin = 0;
    int64_t piece = none;
    bool reached = false;
  };

  void append_unknown(std::string_view word, size_t begin, size_t end, std::vector<Piece>& pieces) const {
    std::string_view text = word.substr(begin, end - begin);
    // The text of neighbours together can be a piece that is no part of the best cut.
    if (std::optional<int64_t> id = options_.lite ? std::nullopt : table.id_of(text))
      return pieces.push_back({*id, begin, end});
    std::vector<Piece> bytes;
    for (size_t i = end; i-- > begin && options_.byte_fallback;)  // in reverse, as the caller wants them
      if (std::optional<int64_t> id = table.id_of(byte_token(static_cast<unsigned char>(word[i]))))
        bytes.push_back({*id, begin, end});
    if (bytes.size() == end - begin) {
      pieces.insert(pieces.end(), bytes.begin(), bytes.end());
      return;
    }
    if (!options_.unknown)
      throw InputError(fmt::format("Unigram: must have a token for unknown characters; got {}", text::in_quotes(text)));
    pieces.push_back({*options_.unknown, begin, end, true});
  }

  UnigramOptions options_;
  std::vector<int64_t> ids_;  // of the pieces
  int64_t unknown_piece_ = none;
  double unknown_score_;
  text::Trie trie_;
};

}  // namespace

Model unigram(UnigramOptions options) { return std::make_unique<Unigram>(std::move(options)); }

}  // namespace heed::tokenizers
