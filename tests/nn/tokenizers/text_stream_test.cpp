// Text that comes token by token: characters whose bytes are in several tokens, texts that end it, tokens that are not
// shown.
#include "nn/tokenizers/text_stream.h"

#include <doctest/doctest.h>

#include "tests/nn/tokenizers/support.h"

using namespace heed;
using namespace heed::tokenizer_test;
using tokenizers::TextStream;

namespace {

// Byte tokens as Llama has them, and a few pieces.
PublishedTokenizer bytes_and_pieces() {
  return PublishedTokenizer::described_by(io::parse(R"({
    "added_tokens": [{"id": 0, "content": "<s>", "special": true}],
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "merges": [], "vocab": {
      "<s>": 0, "<0xC3>": 1, "<0xA9>": 2, "<0xE2>": 3, "<0x82>": 4, "<0xAC>": 5, "\u2581": 6, "\u2581ab": 7, "c": 8,
      ".": 9}}})",
                                                    "tokenizer.json"));
}

// The text that each token adds, and at the end the text that was held back.
std::vector<std::string> shown(const PublishedTokenizer& t, const std::vector<int64_t>& before,
                               const std::vector<int64_t>& ids, const std::vector<std::string>& stop = {}) {
  TextStream stream(t, before, stop);
  std::vector<std::string> parts;
  for (int64_t id : ids) parts.push_back(stream.add(id));
  parts.push_back(stream.rest());
  return parts;
}
using Parts = std::vector<std::string>;

}  // namespace

TEST_CASE("text stream: a character is shown when all of its bytes are there") {
  const PublishedTokenizer t = bytes_and_pieces();
  CHECK(shown(t, {0}, {7, 1, 2, 8}) == Parts{"ab", "", "\u00e9", "c", ""});
  CHECK(shown(t, {0}, {3, 4, 5, 1, 2}) == Parts{"", "", "\u20ac", "", "\u00e9", ""});
  CHECK(shown(t, {0}, {7, 3, 4}) == Parts{"ab", "", "", "\uFFFD\uFFFD"});  // it never comes
  CHECK(shown(t, {0}, {7, 3, 8}) == Parts{"ab", "", "\uFFFDc", ""});
}

TEST_CASE("text stream: what was there before is not shown, and a space after it is") {
  const PublishedTokenizer t = bytes_and_pieces();
  CHECK(shown(t, {0, 7}, {7, 0, 6, 9}) == Parts{" ab", "", " ", ".", ""});
  CHECK(shown(t, {}, {7, 8}) == Parts{"ab", "c", ""});
}

TEST_CASE("text stream: a text that ends it is never shown, whole or in part") {
  const PublishedTokenizer t = bytes_and_pieces();
  CHECK(shown(t, {0}, {7, 8, 9, 7}, {"c."}) == Parts{"ab", "", "", "", ""});
  CHECK(shown(t, {0}, {7, 8, 8, 9}, {"c."}) == Parts{"ab", "", "c", "", ""});
  CHECK(shown(t, {0}, {7, 8}, {"c."}) == Parts{"ab", "", "c"});
  CHECK(shown(t, {0}, {7}, {"b", "a"}) == Parts{"", ""});
  CHECK(shown(t, {0}, {1, 2, 8}, {"\u00e9"}) == Parts{"", "", "", ""});
  TextStream stream(t, {0}, {"."});
  stream.add(7);
  CHECK_FALSE(stream.stopped());
  stream.add(9);
  CHECK(stream.stopped());
}
