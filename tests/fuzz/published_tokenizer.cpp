// Fuzzes the readers of published tokenizers (nn/tokenizers). The first byte of an input says what the rest is: `j` a
// tokenizer.json, `s` a file of sentencepiece, `l` the vocab.json of Universal Sentence Encoder Lite. What is accepted
// must encode texts, with offsets inside the text, and decode.
#include "nn/tokenizers/published_tokenizer.h"
#include "nn/io/file.h"
#include "nn/text/unicode.h"
#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must, fuzz::Scratch;
using tokenizers::PublishedTokenizer;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > fuzz::kMaxBytes) return 0;
  const std::string rest = fuzz::text_of(data + 1, size - 1);
  std::unique_ptr<PublishedTokenizer> tokenizer;
  auto open = [&] {
    if (data[0] == 'l') {
      io::make_folder(Scratch::file("lite"));
      Scratch::written("lite/model.json", "{}"), Scratch::written("lite/vocab.json", rest);
      tokenizer = std::make_unique<PublishedTokenizer>(PublishedTokenizer::open(Scratch::file("lite")));
      return;
    }
    tokenizer =
        std::make_unique<PublishedTokenizer>(data[0] == 's' ? PublishedTokenizer::sentencepiece(rest, "F")
                                                            : PublishedTokenizer::described_by(io::parse(rest, "F")));
  };
  if (!accepted<InputError, IoError>(open)) return 0;
  for (const std::string text :
       {"", " ", "a man  rides a bike.", "Caf\u00E9 na\u0131\u0308ve \u2581x 12 \U0001F600 [MASK]</s>"}) {
    accepted<InputError>([&] {
      tokenizers::Encoding encoding = tokenizer->encode(text, "ab", {.max_length = 12});
      must(encoding.tokens.size() <= 12, "a truncated text has at most max_length tokens");
      for (const tokenizers::Token& token : tokenizer->encode(text).tokens)
        must(token.at.begin <= token.at.end && token.at.end <= text::code_points(text).size(),
             "offsets are in the text");
      must(!text::invalid_utf8(tokenizer->decode(encoding.ids())) || data[0] != 's', "decode gives UTF-8");
    });
  }
  return 0;
}
