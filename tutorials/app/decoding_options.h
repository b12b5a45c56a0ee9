// The options of `heed translate` that say how a translation is searched for, and the models that search together.
#pragma once

#include <string>
#include <vector>

#include "nn/models/translator.h"
#include "tutorials/common/options.h"

namespace heed::app {

struct DecodingOptions {
  nn::TranslateOptions translate;
  std::string prefix;
  int64_t n_best = 1;
  std::vector<std::string> models;  // --model, once for each folder

  void fields(nn::OptionFields& f);  // all but --model, a list
};
void declare(Options& options, DecodingOptions& decoding);
// InputError if an option is set without the option that it needs.
void require_possible(const DecodingOptions& decoding);
// The options for nn/models/translator.h, with the prefix split into the translator's words.
nn::TranslateOptions decoding_of(const DecodingOptions& decoding, const nn::Translator& translator);

}  // namespace heed::app
