// A file of sentencepiece: the pieces with their scores, and how a text is normalised. The format is a message of
// protocol buffers, of which heed reads the few fields that it needs:
//
// clang-format off
//   message = fields;   field = key (number << 3 | kind), value
//     kind 0: a number in 7 bits a byte, the lowest first   kind 2: a length, then its bytes
//     kind 1: 8 bytes                                       kind 5: 4 bytes
//   ModelProto:      1 piece (many): 1 text, 2 score, 3 type   2 trainer_spec   3 normalizer_spec
//   trainer_spec:    3 model_type (1 unigram, 2 bpe)   35 byte_fallback   40 unk_id
//   normalizer_spec: 2 precompiled_charsmap   3 add_dummy_prefix   4 remove_extra_whitespaces
// clang-format on
//
// Kudo and Richardson, "SentencePiece", EMNLP 2018.
#pragma once

#include <string>
#include <vector>

#include "nn/tokenizers/charsmap.h"
#include "nn/tokenizers/token_model.h"

namespace heed::tokenizers {

struct SentencepieceFile {
  enum class Type { normal = 1, unknown, control, user_defined, unused, byte };
  struct Entry {
    std::string text;
    double score = 0;
    Type type = Type::normal;
  };
  std::vector<Entry> pieces;
  bool is_bpe = false, byte_fallback = false;
  int64_t unknown = 0;
  std::string charsmap;
  SentencepieceSpaces spaces;

  static SentencepieceFile read(const std::string& path);  // IoError if it is damaged
  static SentencepieceFile from_bytes(std::string_view bytes, const std::string& what);

  UnigramOptions unigram_options() const;  // with all pieces
  // sentencepiece's BPE has no list of merges: two neighbours are merged if their text together is a piece, the piece
  // of the highest score first. As a list: the pieces by their score, each with all the pairs that make it.
  BytePairOptions byte_pair_options() const;
  TokenTable table() const;
};

}  // namespace heed::tokenizers
