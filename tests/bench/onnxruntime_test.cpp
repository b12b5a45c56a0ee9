// The networks that ONNX Runtime is measured with compute the same as heed's: with heed's weights, on small sizes,
// every output agrees to 1e-4, and greedy search writes the same words.
#include <doctest/doctest.h>

#include <algorithm>

#include "autograd/modes.h"
#include "nn/models/translation_model.h"
#include "nn/published/tower.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/text/vocabulary.h"
#include "nn/transformer/transformer.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tests/bench/onnxruntime_session.h"

using namespace heed;
using bench::Session;
using bench::Sizes;

namespace {

std::vector<float> floats(const Tensor& t) {
  std::vector<double> values = t.to_vector();
  return {values.begin(), values.end()};
}

Sizes sizes(const Tensor& t) { return {t.shape().begin(), t.shape().end()}; }

// Adds noise to every parameter, less of it to biases and norms. Returns the parameters by name.
template <class Model>
bench::Weights disturb(Model& model) {
  Generator rng(5);
  auto all = nn::named_parameters(model);
  for (auto& p : all) {
    Tensor values = p.variable.value();
    add_into(values, Tensor::normal(values.shape(), rng, 0, values.rank() == 1 ? 0.1 : 0.5));
  }
  nn::set_training(model, false);
  return [all](const std::string& name, const Sizes& shape) {
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
    REQUIRE_MESSAGE(found != all.end(), name);
    REQUIRE(sizes(found->variable.value()) == shape);
    return floats(found->variable.value());
  };
}

void compare(const bench::Network& network, const Tensor& x, const Tensor& expected) {
  std::vector<float> in = floats(x), want = floats(expected);
  for (int threads : {1, 2}) {
    std::vector<float> got = bench::values_of<float>(Session(network, threads)({bench::tensor_of(in, sizes(x))})[0]);
    REQUIRE(got.size() == want.size());
    float worst = 0;
    for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
    CHECK(worst < 1e-4F);
  }
}

// ONNX's recurrent layers take [T, B, E] and return [T, directions, B, N].
template <class Model>
void compare_recurrent(bench::Network network(const Sizes&, const bench::Weights&), bool bidirectional) {
  const int64_t B = 3, T = 5, E = 6, N = 4, directions = bidirectional ? 2 : 1;
  Generator rng(1);
  Model model({.input = E, .hidden = N, .bidirectional = bidirectional}, rng);
  bench::Weights weights = disturb(model);
  Tensor x = Tensor::normal({B, T, E}, rng);
  Tensor y = model(Variable(x)).annotations.value();  // [B, T, directions N]
  compare(network({B, T, E, N}, weights), x.transpose(0, 1).contiguous(),
          y.contiguous().reshape({B, T, directions, N}).permute({1, 2, 0, 3}).contiguous());
}

}  // namespace

TEST_CASE("onnxruntime: the encoder is heed's") {
  NoGrad guard;
  const int64_t B = 3, T = 7, D = 12, H = 3, layers = 2, F = 20;
  Generator rng(1);
  nn::TransformerStackOptions options{.layer = {.model = D, .heads = H, .inner = F}, .layers = layers};
  options.final_norm = false;
  nn::TransformerStack model(options, rng);
  bench::Weights weights = disturb(model);
  Tensor x = Tensor::normal({B, T, D}, rng);
  compare(bench::encoder_network({B, T, D, H, layers, F}, weights), x, model(Variable(x)).output.value());
}

TEST_CASE("onnxruntime: the published encoder is heed's") {
  NoGrad guard;
  const int64_t B = 3, T = 7, V = 50, D = 24, H = 3, layers = 2, F = 40;
  Generator rng(1);
  nn::published::TowerOptions options{.vocabulary = V, .positions = bench::kPlaces, .kinds = 2, .embedding_norm = true};
  options.blocks.assign(layers, {.model = D, .heads = H, .inner = F});
  nn::published::Tower tower(options, rng);
  bench::Weights weights = disturb(tower);
  std::vector<int64_t> words;
  for (int64_t i = 0; i < B * T; ++i) words.push_back(rng.below(V));
  const std::vector<float> want = floats(tower(Tensor::from(words, {B, T})).last().value());
  const Session session(bench::published_network({B, T, V, D, H, layers, F}, weights), 1);
  const std::vector<float> got = bench::values_of<float>(session({bench::tensor_of(words, {B, T})})[0]);
  REQUIRE(got.size() == want.size());
  float worst = 0;
  for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
  CHECK(worst < 1e-4F);
}

TEST_CASE("onnxruntime: the LSTM is heed's") {
  NoGrad guard;
  compare_recurrent<nn::LSTM>(bench::lstm_network, false);
}
TEST_CASE("onnxruntime: the GRU in both directions is heed's") {
  NoGrad guard;
  compare_recurrent<nn::GRU>(bench::gru_network, true);
}

TEST_CASE("onnxruntime: greedy search writes the words that heed's writes") {
  NoGrad guard;
  const int64_t B = 8, T = 9, V = 60, D = 24, H = 3, layers = 2, F = 32;
  nn::TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = V;
  options.model = D, options.heads = H, options.inner = F;
  options.encoder_layers = options.decoder_layers = layers;
  options.dropout = 0, options.tie = "all";
  Generator rng(1);
  nn::TranslationModel model(nn::paper_of<nn::Transformer>(options), {V, V}, rng);
  bench::Weights weights = disturb(model);
  for (auto& p : nn::named_parameters(model))
    if (p.name == "output.bias")  // heed never writes some of the special tokens, and </s> would end a sentence
      for (int64_t special = 0; special < text::Vocabulary::specials; ++special) {
        Tensor bias = p.variable.value();
        bias.set({special}, -1e9);
      }
  std::vector<int64_t> source;
  for (int64_t i = 0; i < B * T; ++i) source.push_back(text::Vocabulary::specials + rng.below(V - 4));

  nn::SearchOptions search{.max_lengths = std::vector<int64_t>(static_cast<size_t>(B), T)};
  auto searched = model.search(Tensor::from(source, {B, T}), Tensor::full({B}, double(T), DType::i64));
  auto expected = nn::beam_search_all(*searched, 1, search);
  std::vector<int64_t> words =
      bench::GreedySearch({B, T, V, D, H, layers, F}, weights, 2)(source, text::Vocabulary::start, T);
  REQUIRE(std::ssize(words) == B * T);
  for (int64_t row = 0; row < B; ++row) {
    std::vector<int64_t> got;
    for (int64_t t = 0; t < T; ++t) got.push_back(words[static_cast<size_t>(t * B + row)]);
    CHECK(got == expected[static_cast<size_t>(row)][0].tokens);
  }
  std::sort(words.begin(), words.end());
  CHECK(std::unique(words.begin(), words.end()) - words.begin() > 3);  // not one word again and again
}
