// What masked words, sentence encoders and retrieval refuse.
#include "nn/data/masked_words.h"
#include "nn/sentence/contrastive.h"
#include "nn/sentence/retrieval.h"
#include "nn/sentence/sentence_encoder.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

void mask(const std::vector<int64_t>& words, double share, int64_t vocabulary = 9) {
  data::mask_words(words, {.vocabulary = vocabulary, .first_word = 7, .mask = 6, .share = share}, dice);
}

nn::SentenceEncoder encoder() {
  text::Vocabulary words(std::vector<std::vector<std::string>>{{"a"}}, {.more_specials = text::masked_specials});
  return nn::SentenceEncoder(
      {.tokenizer = {text::Tokenizer::Kind::space}, .vocabulary = words},
      {.model = 4, .heads = 2, .inner = 3, .encoder_layers = 1, .positions = "learned", .max_positions = 4}, 1);
}
// The encoder's file with one thing changed.
template <class Change>
std::string changed(const Change& change) {
  std::string path = in_box("encoder.safetensors");
  encoder().save(path);
  io::SafeTensors file = io::load_safetensors(path);
  change(file.metadata);
  io::save_safetensors(path, file);
  return path;
}
const std::vector<std::vector<std::string>> kLong{{"a", "a", "a"}};

nn::Annotations wide(const Tensor&, const Tensor&) { return {.x = constant({1, 1, 3})}; }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: masked words") {
    refuses<ValueError>(
        "mask_words: shares must lie in [0, 1], hidden and exchanged together too; got share 1.5, hidden 0.8, "
        "exchanged "
        "0.1",
        [] {
          mask({7, 8}, 1.5);
        });
    refuses<ValueError>("mask_words: needs at least two words to choose from; got a vocabulary of 8 with 7 specials",
                        [] { mask({7}, 0.1, 8); });
    refuses<ValueError>("mask_words: a text must have a word to ask for; got none", [] { mask({4, 1, 5}, 0.1); });
    refuses<IndexError>("masked_batch: a member must lie in [0, 1); got 1", [] {
      data::masked_batch({{{7, 8}, {}}}, {1}, {.vocabulary = 9, .first_word = 7, .mask = 6}, 0);
    });
    refuses<ShapeError>("segment_kinds: needs ids [B, S] i64; got f32 [2, 3]",
                        [] { data::segment_kinds(matrix(), 5); });
  }

  TEST_CASE("bad input: contrastive training and retrieval") {
    refuses<ShapeError>("contrastive_loss: needs a and b [B, D], pair by pair; got [2, 3] and [3, 3]", [] {
      nn::contrastive_loss(constant({2, 3}), constant({3, 3}));
    });
    refuses<ValueError>("contrastive_loss: the temperature must be positive; got 0", [] {
      nn::contrastive_loss(constant({2, 3}), constant({2, 3}), {.temperature = 0});
    });
    refuses<ShapeError>("cosines: needs queries [N, D] and rows [M, D]; got [2, 3] and [2, 4]", [] {
      nn::cosines(matrix(), ones({2, 4}));
    });
    refuses<ValueError>("nearest: how_many must be at least 1; got 0", [] { nn::nearest(matrix(), matrix(), 0); });
    refuses<ValueError>("retrieval: needs a right row for each of its queries, and one query at least; got 1 for 2",
                        [] { nn::retrieval(matrix(), matrix(), {0}); });
    refuses<IndexError>("retrieval: a right row must lie in [0, 2); got 2", [] {
      nn::retrieval(matrix(), matrix(), {0, 2});
    });
  }

  TEST_CASE("bad input: sentence encoders") {
    refuses<ValueError>(
        "sentence_vectors: no pooling of this name; got `sum`; there are cls, lasttoken, max, mean, "
        "mean_sqrt_len_tokens, weightedmean",
        [] { nn::sentence_vectors(wide, 3, {{1}}, {.pooling = "sum"}); });
    refuses<ShapeError>("sentence_vectors: annotations must be 4 wide; got [1, 1, 3]",
                        [] { nn::sentence_vectors(wide, 4, {{1}}); });
    refuses<InputError>(
        "embed: a sentence may have at most 2 tokens, with [CLS] and [SEP] as many as the model has "
        "positions; got 3",
        [] { encoder().vectors(kLong, {}); });
    refuses<InputError>(
        "embed: a sentence may have at most 2 tokens, with </s> as many as the model has positions; got 3", [] {
          nn::TransformerOptions o{
              .model = 4, .heads = 2, .inner = 3, .encoder_layers = 1, .decoder_layers = 1, .positions = "learned"};
          o.max_positions = 3;
          nn::sentence_vectors(nn::Translator({}, o, 1), kLong);
        });
    refuses<IoError>(
        "load: \"~/encoder.safetensors\": must be a sentence encoder saved by heed; got a file without "
        "heed.kind",
        [] { nn::SentenceEncoder::load(changed([](auto& m) { m.erase("heed.kind"); })); });
    refuses<IoError>("load: \"~/encoder.safetensors\": must be a \"sentence encoder 1\"; got \"translator 3\"",
                     [] { nn::SentenceEncoder::load(changed([](auto& m) { m["heed.kind"] = "translator 3"; })); });
    refuses<IoError>("load: \"~/encoder.safetensors\": is damaged: no pooling of this name; got \"none\"", [] {
      nn::SentenceEncoder::load(changed([](auto& m) {
        std::string& o = m["heed.options"];
        o.replace(o.find("\"mean\""), 6, "\"none\"");
      }));
    });
    refuses<IoError>(
        "load: \"~/encoder.safetensors\": is damaged: vocabulary: a special must be one of <pad> <unk> <s> </s>; got "
        "\"[CLS]\"",
        [] {
          nn::SentenceEncoder::load(
              changed([](auto& m) { m["heed.vocabulary"] = "0 <pad>\n0 <unk>\n0 <s>\n0 </s>\n1 a\n"; }));
        });
    refuses<IoError>(
        "load: \"~/encoder.safetensors\": the parameters must fit the sizes and the vocabulary that the "
        "file names",
        [] { nn::SentenceEncoder::load(changed([](auto& m) { m["heed.vocabulary"] += "1 more\n"; })); });
  }
}
