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

TEST_CASE("bad input: masked words") {
  refuses("mask_words: [0, 1] exchanged got 1.5 0.8 0.1", [] { mask({7, 8}, 1.5); });
  refuses("mask_words: choose got 8 7", [] { mask({7}, 0.1, 8); });
  refuses("mask_words: text got", [] { mask({4, 1, 5}, 0.1); });
  refuses<IndexError>("masked_batch: [0, 1) got 1", [] {
    data::masked_batch({{{7, 8}, {}}}, {1}, {.vocabulary = 9, .first_word = 7, .mask = 6}, 0);
  });
  refuses<ShapeError>("segment_kinds: [B, S] got f32 [2, 3]", [] { data::segment_kinds(matrix(), 5); });
}

TEST_CASE("bad input: contrastive training and retrieval") {
  refuses<ShapeError>("contrastive_loss: [B, D] got [2, 3] [3, 3]", [] {
    nn::contrastive_loss(constant({2, 3}), constant({3, 3}));
  });
  refuses("contrastive_loss: got 0", [] {
    nn::contrastive_loss(constant({2, 3}), constant({2, 3}), {.temperature = 0});
  });
  refuses<ShapeError>("cosines: [N, D] [M, D] got [2, 3] [2, 4]", [] { nn::cosines(matrix(), ones({2, 4})); });
  refuses("nearest: 1 got 0", [] { nn::nearest(matrix(), matrix(), 0); });
  refuses("retrieval: got 1 2", [] { nn::retrieval(matrix(), matrix(), {0}); });
  refuses<IndexError>("retrieval: [0, 2) got 2", [] { nn::retrieval(matrix(), matrix(), {0, 2}); });
}

TEST_CASE("bad input: sentence encoders") {
  refuses("sentence_vectors: got sum", [] { nn::sentence_vectors(wide, 3, {{1}}, {.pooling = "sum"}); });
  refuses<ShapeError>("sentence_vectors: 4 got [1, 1, 3]", [] { nn::sentence_vectors(wide, 4, {{1}}); });
  refuses<InputError>("embed: 2 [CLS] [SEP] got 3", [] { encoder().vectors(kLong, {}); });
  refuses<InputError>("embed: 2 got 3", [] {
    nn::TransformerOptions o{
        .model = 4, .heads = 2, .inner = 3, .encoder_layers = 1, .decoder_layers = 1, .positions = "learned"};
    o.max_positions = 3;
    nn::sentence_vectors(nn::Translator({}, nn::paper_of<nn::Transformer>(o), 1), kLong);
  });
  refuses<IoError>("load: ~/encoder.safetensors got heed.kind",
                   [] { nn::SentenceEncoder::load(changed([](auto& m) { m.erase("heed.kind"); })); });
  refuses<IoError>("load: ~/encoder.safetensors sentence encoder 1 got translator 3",
                   [] { nn::SentenceEncoder::load(changed([](auto& m) { m["heed.kind"] = "translator 3"; })); });
  refuses<IoError>("load: ~/encoder.safetensors is damaged got none", [] {
    nn::SentenceEncoder::load(changed([](auto& m) {
      std::string& o = m["heed.options"];
      o.replace(o.find("\"mean\""), 6, "\"none\"");
    }));
  });
  refuses<IoError>("load: ~/encoder.safetensors is damaged pad unk s /s got [CLS]", [] {
    nn::SentenceEncoder::load(
        changed([](auto& m) { m["heed.vocabulary"] = "0 <pad>\n0 <unk>\n0 <s>\n0 </s>\n1 a\n"; }));
  });
  refuses<IoError>("load: ~/encoder.safetensors parameters",
                   [] { nn::SentenceEncoder::load(changed([](auto& m) { m["heed.vocabulary"] += "1 more\n"; })); });
}
