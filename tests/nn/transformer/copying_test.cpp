// Transformers whose output copies: it learns to write words that the vocabulary lacks, decoding with a cache is the
// parallel pass, its log p is that of a distribution.
#include "autograd/modes.h"
#include "nn/models/translator.h"
#include "nn/train/fit.h"
#include "tests/nn/io/support.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::Transformer;
using nn::TransformerOptions;

namespace {

constexpr int64_t V = 9;  // words 4 .. 8; a sentence's unknown words are 9 and 10
using Ids = std::vector<int64_t>;

TransformerOptions copies(const std::string& output = "pointer_generator",
                          const std::string& positions = "sinusoidal") {
  TransformerOptions o = small_transformer();
  o.output = output, o.positions = positions;
  return o;
}
Tensor source() { return ids({4, 9, 5, 10, 3, 9, 6, 3, 0, 0}, {2, 5}); }
Tensor lengths() { return ids({5, 3}, {2}); }
Tensor target() { return ids({2, 9, 10, 5, 2, 9, 4, 0}, {2, 4}); }
Tensor places() { return ids({2, 5, 7, 4, 2, 4, 5, 0}, {2, 4}); }  // what a pointer network writes: 4 + position
Tensor target_of(const std::string& output) { return output == "pointer" ? places() : target(); }

// Four words in any order, one or two of which the vocabulary lacks, to be copied.
std::vector<data::EncodedPair> pairs(int64_t count, uint64_t seed) {
  Generator rng(seed);
  std::vector<data::EncodedPair> out;
  for (int64_t i = 0; i < count; ++i) {
    Ids words;
    for (int64_t k = 0; k < 4; ++k) words.push_back(4 + rng.below(5));
    words[static_cast<size_t>(rng.below(2))] = V, words[static_cast<size_t>(2 + rng.below(2))] = V + 1;
    out.push_back({words, words});
    out.back().source.push_back(text::Vocabulary::stop);
  }
  return out;
}
double right(const Transformer& m, const std::vector<data::EncodedPair>& asked) {
  nn::Evaluating evaluating;
  Ids all(asked.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  data::Batch b = data::make_batch(asked, all);
  nn::SearchOptions limits{.max_lengths = Ids(asked.size(), 8)};
  auto search = m.search(b.source, b.lengths), again = m.search(b.source, b.lengths);
  auto found = nn::greedy(*search, limits);
  auto beam = nn::beam_search_all(*again, 1, limits);
  int64_t count = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].tokens == beam[i].at(0).tokens);
    count += found[i].tokens == asked[i].target;
  }
  return static_cast<double>(count) / static_cast<double>(found.size());
}

}  // namespace

TEST_CASE("a transformer with a pointer-generator learns to copy words that its vocabulary lacks") {
  auto train = pairs(256, 1), valid = pairs(40, 2);
  TransformerOptions o = copies();
  o.model = 24, o.inner = 48, o.encoder_layers = o.decoder_layers = 1, o.positions = "learned";
  Transformer m = make<Transformer>(o, 1);
  CHECK(right(m, valid) < 0.2);
  nn::fit(nn::fit_model(m), train, valid, {.epochs = 30, .batch_size = 16, .learning_rate = 0.01, .warmup = 20});
  CHECK(right(m, valid) >= 0.9);
}

TEST_CASE("outputs that copy: cached decoding equals the parallel pass, whose probabilities sum to 1") {
  for (const char* output : {"pointer_generator", "pointer"})
    for (const char* positions : {"sinusoidal", "rope", "t5"})
      for (DType dtype : {DType::f64, DType::f32}) {
        CAPTURE(output);
        CAPTURE(positions);
        double tolerance = dtype == DType::f64 ? 1e-10 : 1e-5;
        auto m = shaken<Transformer>(copies(output, positions), dtype);
        NoGrad guard;
        Variable seen;
        Tensor in = target_of(output), log_p = m(source(), lengths(), in, &seen).value();  // logits that are log p
        Tensor alignment = seen.value();
        REQUIRE(log_p.shape() == Shape{2, 4, output == std::string("pointer") ? 9 : 11});
        REQUIRE(alignment.shape() == Shape{2, 4, 5});
        CHECK(max_abs_difference(sum(exp(Variable(log_p)), {-1}).value(), Tensor::ones({2, 4}, dtype)) < tolerance);
        auto search = m.search(source(), lengths());
        for (int64_t t = 0; t < 4; ++t) {
          CHECK(max_abs_difference(search->next(in.select(1, t).contiguous()), log_p.select(1, t)) < 100 * tolerance);
          CHECK(max_abs_difference(search->weights(), alignment.select(1, t)) < tolerance);
        }
      }
}

TEST_CASE("outputs that copy: what a word gets beyond the vocabulary is what the last layer attends to") {
  auto m = shaken<Transformer>(copies());
  NoGrad guard;
  Variable seen;
  Tensor p = exp(m(source(), lengths(), target(), &seen)).value(), alignment = seen.value();
  for (int64_t t = 0; t < 4; ++t) {
    // Both unknown words of the first sentence are copied with the same factor 1 - g.
    double first = p.at({0, t, 9}) / alignment.at({0, t, 1}), second = p.at({0, t, 10}) / alignment.at({0, t, 3});
    CHECK(first > 0);
    CHECK(first < 1);
    CHECK(first == doctest::Approx(second).epsilon(1e-10));
    CHECK(p.at({1, t, 10}) < 1e-25);  // the second sentence has one
  }
}

TEST_CASE("outputs that copy: rows of a search that move take their sources with them") {
  auto m = shaken<Transformer>(copies());
  NoGrad guard;
  Tensor log_p = m(source(), lengths(), target()).value();
  auto search = m.search(source(), lengths());
  search->next(target().select(1, 0).contiguous());
  search->keep(ids({1, 0, 0}, {3}));
  Tensor next = search->next(ids({9, 9, 9}, {3}));
  for (int64_t r = 0; r < 3; ++r)
    CHECK(max_abs_difference(next.select(0, r), log_p.select(0, r == 0 ? 1 : 0).select(0, 1)) < 1e-10);
}

TEST_CASE("outputs that copy: packed sentences get what each gets alone, though both have a word of the same id") {
  for (const char* output : {"pointer_generator", "pointer"}) {
    if (output == std::string("pointer")) continue;  // its ids are places of the row
    auto m = shaken<Transformer>(copies(output));
    NoGrad guard;
    Tensor alone = m(source(), lengths(), target()).value();
    nn::Packed in = nn::pack({{4, 9, 5, 10, 3}, {9, 6, 3}}, {{0, 1}}),
               out = nn::pack({{2, 9, 10, 5}, {2, 9, 4}}, {{0, 1}});
    Tensor packed = m(in, out).value();
    for (int64_t t = 0; t < 4; ++t)
      CHECK(max_abs_difference(packed.select(0, 0).select(0, t), alone.select(0, 0).select(0, t)) < 1e-10);
    for (int64_t t = 0; t < 3; ++t)
      CHECK(max_abs_difference(packed.select(0, 0).select(0, 4 + t), alone.select(0, 1).select(0, t)) < 1e-10);
  }
}

TEST_CASE("outputs that copy: the loss of a copied word reaches the cross-attention of the last layer") {
  for (const char* evaluator : {"auto", "tiled", "linear"}) {
    CAPTURE(evaluator);
    TransformerOptions o = copies();
    o.evaluator = evaluator;
    auto m = shaken<Transformer>(o);
    Tensor in = ids({2, 2}, {2, 1}), wanted = ids({9, 9}, {2, 1});
    backward(cross_entropy(m(source(), lengths(), in), wanted));
    for (auto& p : nn::named_parameters(*m.decoder.layers.back().multihead_attn)) CHECK(!all_zero(p.variable.grad()));
  }
}

TEST_CASE("outputs of a transformer: JSON says which, sizes follow the formula") {
  for (const std::string& output : nn::output_names())
    for (std::string tie : {"none", "target", "all"})
      for (bool bias : {true, false}) {
        TransformerOptions o = copies(output);
        o.tie = tie, o.output_bias = bias;
        TransformerOptions read = nn::transformer_options_from(nn::to_json(o));
        CHECK(read.output == output);
        read.source_vocabulary = read.target_vocabulary = V;
        auto m = make<Transformer>(read, 1);
        CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
        auto file = nn::save_state(m);
        CHECK((file.find("output.weight") != nullptr) == (output != "pointer"));
        CHECK((file.find("output.gate.weight") != nullptr) == (output == "pointer_generator"));
        nn::Linear* layer = m.output->vocabulary_layer();
        if (layer) CHECK((layer->weight.same_as(m.target_embedding.words.weight)) == (tie != "none"));
      }
}
