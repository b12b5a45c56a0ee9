// Folders without a tokenizer.json: what each class of tokenizer means, in the stages of this folder.
//
// clang-format off
//   Bert DistilBert Electra MPNet    vocab.txt                  WordPiece
//   GPT2 OPT Qwen2                   vocab.json, merges.txt     byte-level BPE
//   Roberta Bart Longformer LED      vocab.json, merges.txt     byte-level BPE, <s> A </s>
//   T5 MT5 Albert                    spiece.model               unigram
//   XLMRoberta                       sentencepiece.bpe.model    unigram, with the ids of fairseq
//   Llama Mistral                    tokenizer.model            BPE with bytes
//   Marian                           source.spm, target.spm and vocab.json
//   Universal Sentence Encoder Lite  model.json, vocab.json     unigram, with six reserved pieces
// clang-format on
//
// The class is in tokenizer_config.json, or follows from "model_type" in config.json, or from the files.
//
// In every folder, with or without a tokenizer.json, tokenizer_config.json decides as in the transformers library:
//   do_lower_case, strip_accents, tokenize_chinese_chars   of a BertNormalizer
//   add_prefix_space                                       of byte-level BPE
//   add_bos_token, add_eos_token                           another template: <s> A </s>
//   bos_token .. mask_token, additional_special_tokens, added_tokens_decoder     added, if they are not yet
//   model_max_length, padding_side, truncation_side, clean_up_tokenization_spaces
#pragma once

#include "nn/tokenizers/published_tokenizer.h"

namespace heed::tokenizers {

PublishedTokenizer::Parts parts_of_class(const std::string& folder, const io::Json& settings, OpenOptions options);

// From three parts: a tokenizer.json without its "model", the model itself, and the settings of tokenizer_config.json.
PublishedTokenizer::Parts parts_of(io::Json description, Model model, const io::Json& settings);

// The name of a special token, which a file may give as a string or as an object with "content".
std::string token_setting(const io::Json& settings, std::string_view role);

// An entry TemplateProcessing from words such as "[CLS]:0 $A:0 [SEP]:0", where the number is the type id.
using IdOf = std::function<std::optional<int64_t>(const std::string&)>;
io::Json template_entry(const std::string& single, const std::string& pair, const IdOf& id_of);

}  // namespace heed::tokenizers
