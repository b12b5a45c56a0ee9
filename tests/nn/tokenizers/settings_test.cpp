// What tokenizer_config.json decides (nn/tokenizers/classes.h), for a tokenizer that is written here.
#include <doctest/doctest.h>

#include "nn/tokenizers/published_tokenizer.h"

using namespace heed;
using tokenizers::PublishedTokenizer;

namespace {

using Ids = std::vector<int64_t>;

PublishedTokenizer with(const std::string& settings) {
  const char* description =
      R"({"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "the": 1, "The": 2, "é": 3,
      "e": 4, "<s>": 5, "</s>": 6, ".": 7}}, "normalizer": {"type": "BertNormalizer", "lowercase": true},
      "pre_tokenizer": {"type": "BertPreTokenizer"}})";
  return PublishedTokenizer::described_by(io::parse(description, "tokenizer.json"),
                                          io::parse(settings, "tokenizer_config.json"));
}

}  // namespace

TEST_CASE("published tokenizers: what tokenizer_config.json decides") {
  auto plain = with("{}");
  CHECK(plain.encode("The \u00E9").ids() == Ids{1, 4});
  CHECK(plain.parts().max_length == 0);
  CHECK_FALSE(plain.parts().pad_left);
  CHECK(plain.special("mask_token") == std::nullopt);

  CHECK(with(R"({"do_lower_case": false})").encode("The \u00E9").ids() == Ids{2, 3});
  CHECK(with(R"({"strip_accents": false})").encode("The \u00E9").ids() == Ids{1, 3});

  auto bos =
      with(R"({"add_bos_token": true, "add_eos_token": false, "bos_token": "<s>", "eos_token": {"content": "</s>"}})");
  CHECK(bos.encode("the").ids() == Ids{5, 1});
  tokenizers::Encoding pair = bos.encode("the", "e e");
  CHECK(pair.ids() == Ids{5, 1, 5, 4, 4});
  CHECK(pair.type_ids() == Ids{0, 0, 1, 1, 1});
  CHECK(pair.special_mask() == Ids{1, 0, 1, 0, 0});
  CHECK(with(R"({"add_eos_token": true, "eos_token": "</s>"})").encode("the").ids() == Ids{1, 6});
  CHECK(bos.special("eos_token") == 6);

  // New tokens come after the vocabulary, each at its own id; they are looked for before the text becomes lower case.
  auto more = with(R"({"mask_token": {"content": "[MASK]", "lstrip": true}, "additional_special_tokens": ["<x>"],
                       "added_tokens_decoder": {"11": {"content": "Word", "special": false}}})");
  CHECK(more.id_of("[MASK]") == 12);
  CHECK(more.vocabulary_size() == 14);
  tokenizers::Encoding found = more.encode("the  [MASK]<x>Word");
  CHECK(found.ids() == Ids{1, 12, 13, 11});
  CHECK(found.offsets() == std::vector<tokenizers::Span>{{0, 3}, {3, 11}, {11, 14}, {14, 18}});
  CHECK(more.decode(found.ids()) == "the Word");
  CHECK(more.decode(found.ids(), {.skip_special = false}) == "the [MASK] <x> Word");

  auto left = with(R"({"padding_side": "left", "truncation_side": "left", "model_max_length": 77,
                       "clean_up_tokenization_spaces": true})");
  CHECK(left.parts().pad_left);
  CHECK(left.parts().max_length == 77);
  CHECK(with(R"({"model_max_length": 1000000000000000019884624838656})").parts().max_length == 0);
  CHECK(left.encode("the e the", {.max_length = 2}).ids() == Ids{4, 1});
  CHECK(left.encode("the e the", {.max_length = 2, .truncate_left = false}).ids() == Ids{1, 4});
  CHECK(left.decode(Ids{1, 7}) == "the.");
  CHECK(left.decode(Ids{1, 7}, {.clean_up = false}) == "the .");
}
