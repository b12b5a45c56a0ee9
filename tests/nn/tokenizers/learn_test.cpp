// Tokenizers that are learned: what they split, the sizes that they keep, and their files.
#include "nn/tokenizers/learn.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "nn/tokenizers/published_tokenizer.h"
#include "tensor/error.h"

using namespace heed;
using tokenizers::LearnOptions;
using tokenizers::PublishedTokenizer;

namespace {

const std::vector<std::string> kLearned = {"The lowest river is low.", "A lower river, the newest river!",
                                           "the low rivers; the newest and the lowest", "É is a letter, é is one"};
PublishedTokenizer read(const tokenizers::LearnedTokenizer& t) {
  return PublishedTokenizer::described_by(t.tokenizer, t.config);
}
std::vector<std::string> pieces(const PublishedTokenizer& t, const std::string& text) {
  std::vector<std::string> names;
  for (int64_t id : t.encode(text).ids()) names.push_back(t.token(id));
  return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("learned tokenizers: WordPiece") {
  const PublishedTokenizer t = read(tokenizers::learn_wordpiece(kLearned, {.vocabulary = 60}));
  CHECK(t.special("pad_token") == 0);
  CHECK(t.special("mask_token") == 4);
  CHECK(pieces(t, "The river") == Names{"[CLS]", "the", "river", "[SEP]"});
  CHECK(pieces(t, "low lowest") == Names{"[CLS]", "low", "lowest", "[SEP]"});
  CHECK(pieces(t, "riverest") == Names{"[CLS]", "river", "##est", "[SEP]"});
  CHECK(pieces(t, "low \u4e2d") == Names{"[CLS]", "low", "[UNK]", "[SEP]"});
  CHECK(t.decode(t.encode("The lowest rivers").ids()) == "the lowest rivers");
  for (int64_t most : {16, 30, 60})
    CHECK(read(tokenizers::learn_wordpiece(kLearned, {.vocabulary = most})).vocabulary_size() <= most);
}

TEST_CASE("learned tokenizers: byte-level BPE reads and writes any text") {
  const PublishedTokenizer t = read(tokenizers::learn_byte_pairs(kLearned, {.vocabulary = 300}));
  CHECK(t.vocabulary_size() > 270);
  CHECK(t.vocabulary_size() <= 300);
  CHECK(t.special("bos_token") == 1);
  CHECK(pieces(t, "the river") == Names{"<s>", "the", "\u0120river"});
  CHECK(pieces(t, "river") != pieces(t, " river"));
  for (const char* text :
       {"The lowest river is low.", " two  spaces\nand a line\n\n", "caf\u00e9 \u4e2d\u6587 \U0001F600", "a<b>, (c)"})
    CHECK(t.decode(t.encode(text).ids()) == text);
}

TEST_CASE("learned tokenizers: their files") {
  const std::string box =
      (std::filesystem::temp_directory_path() / ("heed-learned-" + std::to_string(getpid()))).string();
  const tokenizers::LearnedTokenizer learned = tokenizers::learn_wordpiece(kLearned, {.max_length = 77});
  tokenizers::save_tokenizer(learned, box);
  const PublishedTokenizer t = PublishedTokenizer::open(box);
  std::filesystem::remove_all(box);
  CHECK(t.parts().max_length == 77);
  CHECK(t.encode("the newest, river").ids() == read(learned).encode("the newest, river").ids());
  CHECK(t.encode("a", "b").type_ids() == std::vector<int64_t>{0, 0, 0, 1, 1});
}
