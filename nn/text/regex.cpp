// Regular expressions by PCRE2 (Philip Hazel), with its just-in-time compiler where it has one for the machine.
#include "nn/text/regex.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <memory>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

Pattern regex(const std::string& expression) {
  int error = 0;
  size_t where = 0;
  std::shared_ptr<pcre2_code> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &where, nullptr),
      [](pcre2_code* made) { pcre2_code_free(made); });
  if (!code) {
    PCRE2_UCHAR reason[200] = {};
    pcre2_get_error_message(error, reason, sizeof reason);
    throw InputError(fmt::format("regular expression: must be one that PCRE2 understands; got {}: {} at byte {}",
                                 in_quotes(expression), reinterpret_cast<const char*>(reason), where));
  }
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // without it, the same matches by interpretation
  std::shared_ptr<pcre2_match_context> limits(pcre2_match_context_create(nullptr),
                                              [](pcre2_match_context* made) { pcre2_match_context_free(made); });
  pcre2_set_match_limit(limits.get(), 2'000'000);
  return [code, limits, expression](std::string_view text) {
    std::vector<Stretch> found;
    std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> match(
        pcre2_match_data_create_from_pattern(code.get(), nullptr), pcre2_match_data_free);
    auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    if (text.empty()) return found;
    size_t done = 0;  // up to here, the stretches cover the text
    for (size_t at = 0; at <= text.size();) {
      // The just-in-time code has a small stack; where that is not enough, the interpreter has the heap.
      int count = pcre2_match(code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK, match.get(), limits.get());
      if (count == PCRE2_ERROR_JIT_STACKLIMIT)
        count = pcre2_match(code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match.get(),
                            limits.get());
      if (count == PCRE2_ERROR_NOMATCH) break;
      const size_t* ends = pcre2_get_ovector_pointer(match.get());
      if (count < 0 || ends[1] < ends[0] || ends[0] < done)
        throw InputError(
            fmt::format("regular expression: must find its matches in fewer steps; got {} and a text of {} bytes",
                        in_quotes(expression), text.size()));
      if (ends[0] > done) found.push_back({done, ends[0], false});
      if (ends[1] > ends[0]) found.push_back({ends[0], ends[1], true});
      done = at = ends[1];
      if (ends[1] == ends[0]) {  // an empty match: go on after the next character
        if (at >= text.size()) break;
        next(text, at);
      }
    }
    if (done < text.size()) found.push_back({done, text.size(), false});
    return found;
  };
}

}  // namespace heed::text
