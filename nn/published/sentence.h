// A published encoder of sentences: text to one vector, by the modules that its folder lists (Reimers and Gurevych,
// EMNLP 2019; the files are those of the library sentence-transformers).
//
// clang-format off
//   modules.json  Transformer     -> Pooling       -> Dense         -> Normalize
//                 states [S, D]      [P]              f(W x + b)       x / |x|
//                 config.json ..     1_Pooling/       2_Dense/
//
//   auto encoder = published::SentenceEncoder::open("all-MiniLM-L6-v2");
//   Tensor v = encoder.encode({"how do I encode a sentence?", "a dog"});     // [2, 384]
//   encoder.encode(questions, {.prompt = encoder.prompt_of_queries()});
// clang-format on
//
// A folder without modules.json is Universal Sentence Encoder Lite (use_lite.h), or a published encoder or decoder
// whose last states are averaged. A text that is too long loses its end, as in the library. N texts, B in a batch, S
// tokens, D width of a state, P width of what is pooled.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/layers.h"
#include "nn/published/model.h"
#include "nn/tokenizers/published_tokenizer.h"

namespace heed::nn::published {

// What follows the Transformer. One of several kinds: the pooling has modes, Dense has a layer, Normalize neither.
struct SentenceModule {
  std::vector<std::string> modes = {};  // of nn/pool.h; the results of several are concatenated, in the library's order
  bool pools_prompt = true;             // false: the tokens of a prompt are not pooled
  std::optional<Linear> layer = {};     // W, b
  std::string activation = {};          // f
};

struct SentenceOpenOptions {
  DType dtype = DType::f32;
  std::vector<std::string> pooling = {};  // in the place of the folder's own modes
};
struct EncodeTexts {
  std::string prompt = {};  // the text that comes before each
  int64_t batch_size = 32;
};

class SentenceEncoder {
 public:
  // IoError or InputError of one sentence for a folder that is not complete, or has modules or keys that heed does not
  // implement.
  static SentenceEncoder open(const std::string& folder, const SentenceOpenOptions& options = {});

  // [N, width()], in the dtype of the model, without a graph. Texts of similar length share a batch; its size and its
  // padding change nothing but roundings. A text without tokens gives a row of zeros. InputError for malformed UTF-8.
  Tensor encode(const std::vector<std::string>& texts, const EncodeTexts& options = {}) const;
  int64_t width() const;
  std::vector<int64_t> ids(const std::string& text) const;  // at most max_tokens

  // The prompts of config_sentence_transformers.json. InputError for a name that the file does not have; "" is the
  // name of the default, which may be no prompt.
  std::string prompt(const std::string& name = "") const;
  std::string prompt_of_queries() const;    // "query", else the default
  std::string prompt_of_documents() const;  // "document", "passage" or "corpus", else the default

  std::unique_ptr<Model> model;
  tokenizers::PublishedTokenizer tokenizer;
  std::vector<SentenceModule> modules = {};
  int64_t max_tokens = 0;                 // with the special ones; 0: no limit
  bool lowercase = false, strips = true;  // strips: takes white space from both ends
  std::map<std::string, std::string> prompts = {};
  std::string default_prompt = {};  // its name

 private:
  SentenceEncoder(std::unique_ptr<Model> model, tokenizers::PublishedTokenizer tokenizer);
  static SentenceEncoder open_lite(const std::string& folder, const SentenceOpenOptions& options);
  void read_modules(const std::string& folder, const SentenceOpenOptions& options);
  void read_prompts(const std::string& folder);
  void read_limits(const std::string& folder);
  int64_t tokens_of_prompt(const std::string& prompt) const;                          // without a closing special one
  Tensor batch(const std::vector<std::vector<int64_t>>& rows, int64_t prompt) const;  // -> [B, width()]
};

}  // namespace heed::nn::published
