// In the place of regex.cpp on a system without PCRE2.
#include "nn/text/regex.h"
#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

Pattern regex(const std::string& expression) {
  throw InputError(
      "regular expression: needs PCRE2, which this build of heed does not have (Debian: libpcre2-dev); got " +
      in_quotes(expression));
}

}  // namespace heed::text
