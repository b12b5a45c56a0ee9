// WordPiece, the pieces of BERT: from the left, always the longest piece that the vocabulary has.
//
// clang-format off
//   unaffable   ->   un ##aff ##able      all but the first piece of a word begin with ##
//
//   begin = 0
//   while begin < length:
//     end = the largest with  prefix + word[begin, end)  in the vocabulary; none: the word is [UNK]
//     output it;  begin = end
// clang-format on
//
// How the vocabulary is learned is another question (pieces whose merge makes the corpus most likely); it is given
// here. Schuster and Nakajima, "Japanese and Korean voice search", ICASSP 2012; the search from the left is that of
// Devlin et al., NAACL 2019. A word of more than 100 characters is unknown, so the search takes at most 100^2 steps for
// each.
#include <fmt/format.h>

#include "nn/text/unicode.h"
#include "nn/tokenizers/token_model.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

struct WordPiece final : TokenModel {
  WordPiece(TokenTable words, const WordPieceOptions& o) : TokenModel(std::move(words)), options(o) {
    if (!table.id_of(o.unknown))
      throw InputError(fmt::format("WordPiece: the vocabulary must contain the unknown token {}; got {} others",
                                   text::in_quotes(o.unknown), table.size()));
    unknown = *table.id_of(o.unknown);
  }

  void append_pieces(std::string_view word, std::vector<Piece>& pieces) const override {
    std::vector<size_t> ends = {0};  // of the first n characters, in bytes
    for (size_t at = 0; at < word.size(); ends.push_back(at)) text::next(word, at);
    const size_t before = pieces.size(), length = ends.size() - 1;
    bool known = static_cast<int64_t>(length) <= options.longest_word;
    std::string candidate;
    for (size_t begin = 0; known && begin < length;) {
      size_t end = length;
      for (known = false; end > begin && !known; --end) {
        candidate = begin == 0 ? "" : options.prefix;
        candidate += word.substr(ends[begin], ends[end] - ends[begin]);
        std::optional<int64_t> id = table.id_of(candidate);
        known = id.has_value();
        if (known) pieces.push_back({*id, ends[begin], ends[end]});
      }
      begin = end + 1;  // the loop has gone one too far
    }
    if (known) return;
    pieces.resize(before);
    pieces.push_back({unknown, 0, word.size()});
  }

  WordPieceOptions options;
  int64_t unknown;
};

}  // namespace

Model wordpiece(TokenTable table, const WordPieceOptions& options) {
  return std::make_unique<WordPiece>(std::move(table), options);
}

}  // namespace heed::tokenizers
