// The stages of a tokenizer, as functions. Each stage has a file; its names are those of a tokenizer.json, whose
// entries the functions below read. They refuse an unknown type by its name; null means that the stage does nothing.
//
// clang-format off
//   Normalizer   Ça va? -> ca va?               unifies the spelling            normalizers.cpp
//   Splitter     ca va? -> ca | va | ?          cuts at spaces, punctuation, .. splitters.cpp
//   TokenModel   va     -> 12175                pieces of the vocabulary        token_model.h
//   Template     ..     -> [CLS] .. [SEP]       around one text or two          templates.cpp
//   Decoder      ca va ? -> ca va?              back to a text                  decoders.cpp
// clang-format on
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/text/aligned_text.h"

namespace heed::tokenizers {

using text::AlignedText;
using text::Span;

using Normalizer = std::function<void(AlignedText&)>;
using Splitter = std::function<std::vector<AlignedText>(AlignedText)>;
using Decoder = std::function<std::vector<std::string>(std::vector<std::string>)>;  // the parts of the text, in order

struct Token {
  int64_t id = 0;
  std::string text = {};  // its name in the vocabulary; of an added or unknown token, what the user wrote
  Span at = {};           // code points of the text that it stands for; 0, 0 for one of a template
  int64_t type_id = 0;
  int64_t sequence = -1;  // 0 or 1: a token of the first or second text; -1: of the template
  bool from_template = false;
};
using Tokens = std::vector<Token>;
using Template = std::function<std::vector<Tokens>(std::vector<Tokens> texts, bool add_special)>;

Normalizer normalizer_of(const io::Json& entry);
Splitter splitter_of(const io::Json& entry);
Template template_of(const io::Json& entry);
Decoder decoder_of(const io::Json& entry);

// Of the patterns {"String": ..} and {"Regex": ..}; a name from a list, or a sentence that has the list.
text::Pattern pattern_of(const io::Json& entry);
size_t choice_of(const io::Json& entry, const char* key, const std::string& value,
                 const std::vector<std::string>& known);

// Where does a Metaspace put ▁ before a first word: in every part, in the first part of the text only, or never? Older
// files have another key for it.
enum class PrependScheme { always, first, never };
PrependScheme prepend_scheme_of(const io::Json& entry);

// The spaces that tokenisers of English put before punctuation and contractions are taken out: "it 's ." -> "it's."
std::string without_token_spaces(std::string text);

}  // namespace heed::tokenizers
