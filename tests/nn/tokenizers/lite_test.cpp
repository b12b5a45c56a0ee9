// The tokenizer of Universal Sentence Encoder Lite on a small vocabulary: its rules, one by one. The ids are those of
// its own program (tokenizer.ts in the npm package @energetic-ai/embeddings 0.2.0).
#include <doctest/doctest.h>

#include "tests/nn/tokenizers/support.h"

using namespace heed;
using namespace heed::tokenizer_test;

TEST_SUITE("parity") {
  TEST_CASE("published tokenizers: the unigrams of Universal Sentence Encoder Lite") {
    const Changed folder("", {});
    std::ofstream(folder.path + "/model.json") << "{}";
    std::ofstream(folder.path + "/vocab.json")
        << R"([["?", 0], ["<s>", 0], ["</s>", 0], ["x1", 0], ["x2", 0], ["x3", 0], ["▁", -2], ["a", -3], ["b", -1],
               ["ab", -4], ["▁a", -5], [":", null], ["▁:", null], ["c", -1], ["c", -9], ["xy", -2], ["yw", -2]])";
    const PublishedTokenizer tokenizer = PublishedTokenizer::open(folder.path);
    struct {
      const char* text;
      std::vector<int64_t> ids;
    } const cases[] = {
        {"", {}},
        {" ", {6, 6}},
        {"a", {6, 7}},                         // as good as ▁a, and begins later
        {"ab", {6, 7, 8}},                     // the same
        {"\uFF41b", {6, 7, 8}},                // NFKC: a letter of full width
        {"a\u00A0b", {6, 7, 6, 8}},            // NFKC: a space that does not break
        {"a\tb", {6, 7, 0, 8}},                // other white space is unknown
        {" b ", {6, 6, 8, 6}},                 // no space is taken away
        {"zz z\u4E2D b", {6, 0, 6, 0, 6, 8}},  // unknown neighbours become one
        {"<s>x1?", {6, 0}},                    // the first six pieces never match: one unknown text
        {"c", {6, 14}},                        // of two equal pieces the later one
        {":", {6, 11}},                        // ▁: has the sum 0, which every later candidate replaces
        {"a:", {6, 7, 11}},
        {"axyb", {6, 7, 0, 8}},
        {"xyw", {6, 0, 16}},  // no piece ends after x: there the sum is 0, and yw begins
        {"xy", {6, 0}},       // the same with the unknown y, whose sum 0 is larger than that of xy
    };
    for (const auto& one : cases) {
      CAPTURE(one.text);
      CHECK(tokenizer.encode(one.text).ids() == one.ids);
    }
    CHECK(tokenizer.decode(std::vector<int64_t>{6, 7, 6, 8}) == "a b");
  }
}
