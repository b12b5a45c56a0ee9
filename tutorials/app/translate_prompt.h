// What the user types, translated: line by line from a pipe, or at a prompt with heat maps.
#pragma once

#include <string>
#include <vector>

#include "nn/models/translator.h"

namespace heed::app {

// One translation a line on standard output, as many lines as come in; nothing else there. Unknown words are named on
// standard error. InputError for a line that is not UTF-8 or has more words than `max_words`.
void translate_lines(const nn::Translator& translator, const nn::TranslateOptions& options, bool name_unknown);

// The prompt: shows `examples`, knows ?words and ?words PATTERN, draws each alignment, ends at end of input or on
// "quit".
void translate_prompt(const nn::Translator& translator, const nn::TranslateOptions& options,
                      const std::vector<std::string>& examples);

constexpr int64_t kMaxWords = 1000;  // of one line: attention over more is no sentence any more

}  // namespace heed::app
