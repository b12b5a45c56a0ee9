// Fuzzes the tokenisers and the Unicode functions that they use (nn/text/tokenizer.h, nn/text/unicode.h). Malformed
// UTF-8 must be an InputError, and nothing else may be refused. split(join(split(text))) = split(text). Tokens are
// well-formed UTF-8 without ASCII spaces. Code points become the same bytes again. An error message can quote any text
// in one line.
#include "nn/text/tokenizer.h"

#include "nn/text/unicode.h"
#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must;

namespace {

void check_bytes(const std::string& text, bool valid) {
  size_t at = 0, steps = 0;
  for (; at < text.size(); ++steps) text::next(text, at);
  must(at == text.size() && steps == text::code_points(text).size(), "next ends at the end of the text");
  must(fuzz::printable(text::in_quotes(text)), "an error message can show any text");
  text::display_width(text);
  std::u32string points = text::code_points(text);
  for (size_t i = 0; i < points.size();) {
    size_t end = text::cluster_end(points, i);
    must(end > i && end <= points.size(), "a cluster has a character");
    i = end;
  }
  if (!valid) return;
  must(text::to_utf8(points) == text, "code points become the same bytes");
  std::string composed = text::nfc(text);
  must(text::nfc(composed) == composed && io::is_utf8(composed), "NFC of NFC is the same");
  const std::string low = text::lower(text);
  must(text::lower(low) == low && io::is_utf8(low), "lower case is well-formed, and its own lower case");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > fuzz::kMaxBytes) return 0;
  const std::string text = fuzz::text_of(data, size);
  const bool valid = !text::invalid_utf8(text);
  must(valid == io::is_utf8(text), "both checks of UTF-8 agree");
  check_bytes(text, valid);
  must(accepted<InputError>([&] { text::nfc(text); }) == valid, "nfc refuses exactly malformed UTF-8");
  for (const char* name : {"space", "words", "words-spaced"}) {
    text::Tokenizer tokenizer = text::Tokenizer::from_name(name);
    must(tokenizer.name() == name, "a tokeniser keeps its name");
    std::vector<std::string> tokens;
    must(accepted<InputError>([&] { tokens = tokenizer.split(text); }) == valid, "only malformed UTF-8 is refused");
    for (const std::string& token : tokens)
      must(!token.empty() && io::is_utf8(token) && token.find_first_of(" \t\n") == token.npos, "a token is a word");
    const std::string line = tokenizer.join(tokens);
    if (valid)
      must(tokenizer.split(line) == tokens, std::string(name) + ": split(join(split(text))) = split(text): " + line);
  }
  accepted<InputError>([&] { text::Tokenizer::from_name(text); });
  return 0;
}
