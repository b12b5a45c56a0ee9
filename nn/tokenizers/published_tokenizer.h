// The tokenizer of a published model, read from its folder: the same ids as in the library that the model comes from.
//
// clang-format off
//   text -> added tokens -> normalizer -> splitter -> model -> truncation -> template -> ids
//           [MASK]          Ça -> ca      ca va     ca va      at most 512   [CLS] ca va [SEP]
//
//   auto tokenizer = tokenizers::PublishedTokenizer::open("all-MiniLM-L6-v2");
//   tokenizer.encode("how do I encode a sentence?").ids();        // 101, 2129, ..
//   tokenizer.decode(ids);
// clang-format on
//
// A folder has either tokenizer.json, which says all of this, or the files of the older tokenizers (classes.h), and
// mostly tokenizer_config.json, which changes some of it. The stages are files of this folder; each opens with its
// idea.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/tokenizers/added_tokens.h"
#include "nn/tokenizers/stages.h"
#include "nn/tokenizers/token_model.h"

namespace heed::tokenizers {

struct Encoding {
  Tokens tokens;
  std::vector<int64_t> ids() const;
  std::vector<int64_t> type_ids() const;
  std::vector<int64_t> attention_mask() const;  // 1 for each: nothing is padded here
  std::vector<int64_t> special_mask() const;    // 1: from the template
  std::vector<Span> offsets() const;            // code points of the text
};

enum class Truncation { longest_first, only_first, only_second };

struct EncodeOptions {
  bool add_special = true;
  int64_t max_length = 0;  // of the whole, with the template; 0: no limit
  Truncation truncation = Truncation::longest_first;
  std::optional<bool> truncate_left = {};  // keep the end of a text; default: as the model's files say
};

struct DecodeOptions {
  bool skip_special = true;
  std::optional<bool> clean_up = {};  // no spaces before punctuation; default: as the model's files say
};

struct OpenOptions {
  bool target = false;  // of a translation model with two vocabularies (Marian): the one of the translations
};

class PublishedTokenizer {
 public:
  // InputError, in one sentence that names file and rule, if the folder has no tokenizer or a file of it is damaged.
  static PublishedTokenizer open(const std::string& folder, OpenOptions options = {});
  // A file of sentencepiece by itself (spiece.model, source.spm), read as that library reads it; no template.
  static PublishedTokenizer sentencepiece(const std::string& file);
  // The same from contents that have been read already.
  static PublishedTokenizer sentencepiece(std::string_view bytes, const std::string& what);
  static PublishedTokenizer described_by(io::Json tokenizer_json,
                                         const io::Json& tokenizer_config = io::Json::object());

  // InputError for malformed UTF-8, or if nothing is left of a text that is truncated. Threads may share a tokenizer.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode(std::string_view first, std::string_view second, const EncodeOptions& options = {}) const;

  // Ids that name no token are left out.
  std::string decode(std::span<const int64_t> ids, DecodeOptions options = {}) const;

  int64_t vocabulary_size() const;  // the largest id, plus 1
  std::optional<int64_t> id_of(std::string_view token) const;
  std::string token(int64_t id) const;  // "" for an id without one
  // The id of the token that the files call "mask_token", "pad_token", "eos_token", ..; nullopt if they do not.
  std::optional<int64_t> special(const std::string& role) const;

  // What a tokenizer is made of; classes.h puts it together.
  struct Parts {
    Normalizer normalizer;
    Splitter splitter;
    Model model;
    Template around;
    Decoder decoder;
    AddedTokens added = {};
    std::map<std::string, std::string> roles = {};  // "mask_token" -> "[MASK]"
    bool language_codes = false;                    // >>fra<< at the beginning is one token (Marian)
    int64_t max_length = 0;                         // what the model was trained with; 0: not said
    bool pad_left = false, truncate_left = false, clean_up = false;
  };
  explicit PublishedTokenizer(Parts parts);
  const Parts& parts() const { return parts_; }

 private:
  Tokens tokens_of(std::string_view text, int64_t sequence, const EncodeOptions& options) const;
  Encoding around(std::vector<Tokens> texts, const EncodeOptions& options) const;

  Parts parts_;
};

}  // namespace heed::tokenizers
