// What the user types, translated: line by line from a pipe, or at a prompt with heat maps.
#pragma once

#include <string>
#include <vector>

#include "nn/models/translator.h"

namespace heed::app {

struct LinesOptions {
  int64_t n_best = 1;         // more than 1: so many lines, `score TAB log p TAB translation`, and an empty one
  bool name_unknown = false;  // on standard error
};
// One translation a line on standard output, as many lines as come in; nothing else there. InputError for a line that
// is not UTF-8 or has more than kMaxWords words.
void translate_lines(const nn::Translator& translator, const nn::TranslateOptions& options, const LinesOptions& how);

// The prompt: shows `examples`, knows ?words and ?words PATTERN, draws each alignment, ends at end of input or on
// "quit".
void translate_prompt(const nn::Translator& translator, const nn::TranslateOptions& options,
                      const std::vector<std::string>& examples);

constexpr int64_t kMaxWords = 1000;  // of one line: attention over more is no sentence any more

}  // namespace heed::app
