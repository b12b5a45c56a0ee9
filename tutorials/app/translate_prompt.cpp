#include "tutorials/app/translate_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <istream>
#include <utility>

#include "nn/io/console.h"
#include "nn/text/reading.h"
#include "nn/text/unicode.h"
#include "tensor/error.h"
#include "tutorials/app/standard_input.h"
#include "tutorials/app/translate_data.h"
#include "tutorials/app/translate_report.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

// Lines that are read before the first of them is answered, if they are there already: enough of them that sentences of
// the same length meet in a batch and that every thread has batches to search.
constexpr size_t kLinesAtOnce = 1024;
constexpr size_t kBytesAtOnce = size_t{1} << 18;  // of these lines
constexpr int64_t kFewWords = 2;                  // up to this number, unknown words are no sign of a wrong vocabulary

// unknown "kitten"; nearest: "kitchen"
std::string unknown_message(const nn::Translator& t, const std::string& word) {
  auto near = t.parts.source.nearest(word, 1);
  return fmt::format("unknown {}{}", text::in_quotes(word),
                     near.empty() ? "" : "; nearest: " + text::in_quotes(near[0]));
}

std::vector<std::string> words_of(const nn::Translator& t, const std::string& line, int64_t number) {
  std::vector<std::string> words;
  std::string fault = line_too_long(line);
  if (fault.empty()) {
    words = t.parts.tokenizers.source.split(line);
    fault = line_too_long(words, t.parts.bpe ? &*t.parts.bpe : nullptr);
  }
  if (fault.empty()) fault = t.too_long(words);
  if (!fault.empty()) throw InputError(fmt::format("translate: {} in line {}", fault, number));
  return words;
}

nn::Translation translate_checked(const nn::Translator& t, const std::string& line, int64_t number,
                                  const nn::TranslateOptions& options) {
  nn::Translation translation;
  for_lines({words_of(t, line, number)}, number,
            [&](const SplitLines& one) { translation = t.translate(one, options)[0]; });
  return translation;
}

std::string listing(const std::vector<std::string>& words) {
  std::string text;
  size_t width = 0;
  for (const auto& w : words) {
    if (width + w.size() > 76) text += "\n", width = 0;
    text += (width ? " " : "  ") + w;
    width += w.size() + 1;
  }
  return text + "\n";
}

}  // namespace

void for_lines(const SplitLines& lines, int64_t first, const std::function<void(const SplitLines&)>& work) {
  // Catches errors that a line can cause. Others, such as lost output, are left to the caller.
  auto fault = [&](const SplitLines& some) -> std::string {
    try {
      work(some);
    } catch (const ValueError& error) { return error.what(); } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  if (lines.empty()) return work(lines);
  if (lines.size() > 1 && fault(lines).empty()) return;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string why = fault({lines[i]});
    if (why.empty()) continue;
    why.insert(std::min(why.find("; hint: "), why.size()), fmt::format(" in line {}", first + static_cast<int64_t>(i)));
    throw InputError(why);
  }
}

void for_ready_lines(const std::function<void(const std::string& line, int64_t number)>& take,
                     const std::function<void()>& answer) {
  StandardInput input;
  std::istream stream(&input);
  text::LineReader reader(stream, "standard input");
  size_t lines = 0, bytes = 0;  // that are waiting
  try {
    for (std::string line; reader.next(line);) {
      take(line, reader.line_number());
      ++lines, bytes += line.size();
      if (lines < kLinesAtOnce && bytes < kBytesAtOnce && input.line_ready(kMaxBytes)) continue;
      lines = bytes = 0;
      answer();
    }
  } catch (const InputError&) {  // what came before is answered all the same
    answer();
    throw;
  }
  answer();
}

std::string line_too_long(const std::string& line) {
  if (line.size() <= kMaxBytes) return "";
  return fmt::format("a line may have at most {} bytes; got {}", kMaxBytes, line.size());
}

std::string line_too_long(const std::vector<std::string>& words, const text::Bpe* bpe) {
  const int64_t tokens = std::ssize(bpe ? bpe->segment(words) : words);
  if (tokens <= kMaxTokens) return "";
  return fmt::format("a line may have at most {} {}; got {}", kMaxTokens, bpe ? "pieces of words" : "words", tokens);
}

void translate_lines(const nn::Translator& t, nn::TranslateOptions options, const LinesOptions& how) {
  options.keep_weights = false, options.several_at_once = true;
  t.translate_n_best({}, how.n_best, options);  // errors that depend on no line: models that do not fit together
  SplitLines waiting;
  int64_t first = 1, words = 0, known = 0;  // the line of waiting[0]; words of all lines, and those of the vocabulary
  auto translated = [&](const SplitLines& lines) {
    std::vector<std::vector<nn::Translation>> done = t.translate_n_best(lines, how.n_best, options);
    for (size_t i = 0; i < done.size(); ++i) {
      const auto& unknown = done[i].front().unknown;
      words += std::ssize(lines[i]);
      known += std::count_if(lines[i].begin(), lines[i].end(), [&](const std::string& word) {
        return std::find(unknown.begin(), unknown.end(), word) == unknown.end();
      });
      for (const auto& word : done[i].front().unknown)
        if (how.name_unknown)
          say(fmt::format("line {}: {}", first + static_cast<int64_t>(i), unknown_message(t, word)));
      if (how.n_best == 1) {
        fmt::print("{}\n", done[i].front().text);
        continue;
      }
      for (const nn::Translation& one : done[i])
        fmt::print("{:.4f}\t{:.4f}\t{}\n", one.score, one.log_probability, one.text);
      fmt::print("\n");
    }
    flush_output();
    first += std::ssize(lines);
  };
  for_ready_lines([&](const std::string& line, int64_t number) { waiting.push_back(words_of(t, line, number)); },
                  [&] { for_lines(std::exchange(waiting, {}), first, translated); });
  if (words > kFewWords && known == 0)
    say(fmt::format(
        "note: none of the {} words is in the vocabulary of the model; is the input in its source language, "
        "and split into words as in training?",
        words));
}

void translate_prompt(const nn::Translator& t, const nn::TranslateOptions& options,
                      const std::vector<std::string>& examples) {
  io::Console console = io::console(1);
  fmt::print(
      "\nType a sentence. ?words shows known words, ?words gre* those that match, an empty line ends.\nFor example:\n");
  for (const auto& e : examples) fmt::print("  {}\n", e);
  text::LineReader reader(std::cin, "standard input");
  for (std::string line;;) {
    fmt::print("\n> ");
    flush_output();
    if (!reader.next(line) || text::is_blank(line) || line == "quit" || line == "exit") break;
    if (line.rfind("?words", 0) == 0) {
      size_t begin = line.find_first_not_of(' ', 6);
      std::string pattern = begin == std::string::npos ? "*" : line.substr(begin);
      auto words = t.parts.source.matching(t.parts.tokenizers.source.spelled(pattern), 60);
      fmt::print("{}", words.empty() ? "  none\n" : listing(words));
      continue;
    }
    try {
      nn::Translation translation = translate_checked(t, line, reader.line_number(), options);
      for (const auto& word : translation.unknown) fmt::print("{}\n", unknown_message(t, word));
      fmt::print("{}\n", translation.text);
      if (translation.source.empty()) continue;
      for (const auto& row : draw(translation, "", console)) fmt::print("{}\n", row);
    } catch (const InputError& error) {  // at a prompt a slip does not end the session
      fmt::print("{}\n", legible(error.what()));
    }
  }
}

}  // namespace heed::app
