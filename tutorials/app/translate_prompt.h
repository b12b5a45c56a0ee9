// Translates the user's input: line by line from a pipe, or at a prompt with heat maps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/models/translator.h"

namespace heed::app {

struct LinesOptions {
  int64_t n_best = 1;         // above 1: n_best lines `score TAB log p TAB translation`, and an empty one
  bool name_unknown = false;  // on standard error
};
// One translation per line on standard output, in the order of the input lines; nothing else there. Lines
// that are ready are translated together, but none waits for a line that is not there yet. InputError for a line that
// is not UTF-8, too long (line_too_long), or more than the model can take; the lines before it are answered.
void translate_lines(const nn::Translator& translator, nn::TranslateOptions options, const LinesOptions& how);

// Calls work with all lines, split into words. If it throws a ValueError or an InputError, it is called with one line
// at a time, and the first that it cannot take is an InputError with its number; `first` is that of lines[0].
using SplitLines = std::vector<std::vector<std::string>>;
void for_lines(const SplitLines& lines, int64_t first, const std::function<void(const SplitLines&)>& work);

// Reads standard input to its end. Each line is taken with its number; `answer` is called for all that were taken
// since, as soon as they are enough or no further line is ready, and also before an InputError ends the reading.
void for_ready_lines(const std::function<void(const std::string& line, int64_t number)>& take,
                     const std::function<void()>& answer);

// The prompt: shows `examples`, knows ?words and ?words PATTERN, draws each alignment, ends at end of input or on
// "quit".
void translate_prompt(const nn::Translator& translator, const nn::TranslateOptions& options,
                      const std::vector<std::string>& examples);

constexpr size_t kMaxBytes = 100'000;  // of one line, so that its pieces are counted at once

// "a line may have at most .." if the line is too long, else "". The pieces are counted if there is a `bpe`.
std::string line_too_long(const std::string& line);
std::string line_too_long(const std::vector<std::string>& words, const text::Bpe* bpe);

}  // namespace heed::app
