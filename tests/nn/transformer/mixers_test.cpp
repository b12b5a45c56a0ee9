// Mixers in the place of self-attention: in whole models, with their caches, files and counts.
#include "autograd/modes.h"
#include "nn/attention/registry.h"
#include "nn/cases/small_stages.h"
#include "nn/penalties.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::TransformerOptions small(const std::string& mixer, bool causal) {
  nn::TransformerOptions o{.source_vocabulary = 11, .target_vocabulary = 11, .model = 8, .heads = 2, .inner = 12};
  o.encoder_layers = 3, o.decoder_layers = 2, o.norm_first = true;
  (causal ? o.mixers : o.encoder_mixers) = mixer;
  return o;
}

}  // namespace

TEST_CASE("every mixer in a transformer: it trains, its parameters are counted, its options are kept in a file") {
  for (const nn::CatalogueEntry& entry : nn::stage_entries(nn::Kind::mixer)) {
    CAPTURE(entry.name);
    // Blocks and windows of two words, so that few words use every parameter.
    const nn::StageOptions stage = nn::small_stage(nn::Kind::mixer, {.name = entry.name}, {.most = 2, .longest = 8});
    nn::TransformerOptions o =
        small(nn::text_of(nn::Kind::mixer, stage), !entry.exempt.contains(nn::kLaterWordsAreNotRead));
    auto m = make<nn::Transformer>(o, 1);
    CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
    nn::TransformerOptions again = nn::transformer_options_from(nn::to_json(o));
    CHECK(again.mixers == o.mixers);
    CHECK(again.encoder_mixers == o.encoder_mixers);
    for (const auto& layer : m.encoder.layers) CHECK((layer.mixer != nullptr) != layer.self_attn.has_value());
    CHECK((m.decoder.layers[0].mixer != nullptr) == o.encoder_mixers.empty());

    Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6, 7, 8, 9, 5, 0, 0, 0}, {2, 5});
    Tensor lengths = Tensor::from(std::vector<int64_t>{5, 2}, {2});
    Tensor in = Tensor::from(std::vector<int64_t>{1, 4, 5, 6, 1, 9, 5, 0}, {2, 4});
    nn::Penalties penalties;  // some mixers train a part of theirs by a loss of its own
    Variable loss = sum(square(m(source, lengths, in)));
    backward(penalties.empty() ? loss : loss + penalties.total());
    for (const NamedVariable& p : nn::named_parameters(m)) {
      CAPTURE(p.name);
      if (p.name.find("mixer.") != std::string::npos) CHECK(p.variable.grad().defined());
    }
  }
}

// A mixer keeps the causal mask out of all stages, so that only cross-attention has them.
TEST_CASE("every score, normaliser and evaluator of a decoder's cross-attention: no word sees later ones") {
  Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6}, {1, 3}),
         lengths = Tensor::from(std::vector<int64_t>{3}, {1});
  const std::vector<int64_t> words{1, 4, 5, 6, 7, 8};
  NoGrad off;
  nn::Evaluating evaluating;
  for (nn::Kind kind : {nn::Kind::score, nn::Kind::normaliser, nn::Kind::evaluator})
    for (const std::string& name : nn::stage_names(kind)) {
      CAPTURE(name);
      nn::TransformerOptions o = small("average", true);
      o.encoder_mixers = "average";
      (kind == nn::Kind::score        ? o.score
       : kind == nn::Kind::normaliser ? o.normaliser
                                      : o.evaluator) = name == "nystrom" ? "nystrom:2" : name;
      auto logits = [&](const nn::Transformer& m, int64_t n) {
        return m(source, lengths, Tensor::from(words, {1, 6}).slice(1, 0, n).contiguous()).value().slice(1, 0, 4);
      };
      try {
        auto m = make<nn::Transformer>(o, 1);
        CHECK(relative_error(logits(m, 4), logits(m, 6)) < 1e-5);
      } catch (const ValueError&) {}  // refused
    }
}

TEST_CASE("mixers with a table of places limit the length of sentences, as learned positions do") {
  nn::TransformerOptions o = small("average,aft_full:7", true);
  CHECK(nn::position_limit(o) == 7);
  o.encoder_mixers = "attention,aft_local:5";
  CHECK(nn::position_limit(o) == 5);
  o.positions = "learned", o.max_positions = 4;
  CHECK(nn::position_limit(o) == 4);
  CHECK(nn::position_limit(small("average,attention", true)) == 0);
}

TEST_CASE("mixers and attention in turn, decoded word by word: the same as all words at once") {
  nn::TransformerOptions o = small("average,attention", true);
  auto m = make<nn::Transformer>(o, 1);
  nn::set_training(m, false);
  NoGrad off;
  Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6}, {1, 3}),
         in = Tensor::from(std::vector<int64_t>{1, 4, 5, 6}, {1, 4});
  auto encoded = m.encode(source, Tensor::from(std::vector<int64_t>{3}, {1}));
  Tensor whole = m.decode(in, encoded, {}).features.value();
  std::vector<nn::LayerCache> caches;
  for (int64_t t = 0; t < 4; ++t) {
    Tensor h = m.decode(in.slice(1, t, t + 1).contiguous(), encoded, {.caches = &caches}).features.value();
    CHECK(max_abs_difference(h, whole.slice(1, t, t + 1).contiguous()) < 1e-5);
  }
}
