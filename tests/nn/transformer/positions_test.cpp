// Positions inside a transformer: where each scheme acts, what layers share, and what it costs.
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/positions/t5.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::Transformer;
using nn::TransformerOptions;

namespace {

TransformerOptions with(const std::string& positions) {
  TransformerOptions o = small_transformer();
  o.positions = positions;
  return o;
}
const nn::T5Bias& table_of(const nn::TransformerStack& stack) {
  return dynamic_cast<const nn::T5Bias&>(*stack.position);
}
bool saves(Transformer& m, const std::string& name) { return nn::save_state(m).find(name) != nullptr; }

}  // namespace

TEST_CASE("positions: an evaluator that cannot have one refuses it when the stack is made, and never in a call") {
  using nn::Kind;
  int made = 0, refused = 0;
  for (const nn::CatalogueEntry& evaluator : nn::stage_entries(Kind::evaluator))
    for (const nn::CatalogueEntry& position : nn::stage_entries(Kind::position))
      for (bool causal : {false, true}) {
        if (!evaluator.evaluator || !position.position) continue;
        CAPTURE(evaluator.name);
        CAPTURE(position.name);
        nn::TransformerStackOptions o{.layer = {.model = 16, .heads = 2, .inner = 8, .causal = causal}, .layers = 2};
        o.layer.evaluator.name = evaluator.name, o.layer.position.name = position.name;
        try {
          auto stack = make<nn::TransformerStack>(o, 1);
          ++made;
          const nn::LayerInput words{.self = {.words = Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3})}};
          CHECK_NOTHROW(stack(Variable(random({2, 3, 16}, 2)), words));
          NoGrad decoding;
          std::vector<nn::LayerCache> caches;
          for (int64_t t = 0; t < 3 && causal; ++t) CHECK_NOTHROW(stack(Variable(random({2, 1, 16}, 3)), {}, &caches));
        } catch (const ValueError& error) {
          ++refused;
          CHECK(std::string(error.what()).find("the evaluator " + evaluator.name + " cannot") != std::string::npos);
        }
      }
  CHECK(made > 100);
  CHECK(refused > 20);
}

TEST_CASE("positions added to the embedding: every row of the registry is made, counted and limited as it says") {
  for (const std::string& positions : nn::embedding_positions()) {
    CAPTURE(positions);
    TransformerOptions o = small_transformer();
    o.positions = positions, o.max_positions = 11;
    auto m = make<Transformer>(o, 1);
    const nn::EmbeddingPosition* scheme = m.source_embedding.positions.get();
    REQUIRE(scheme != nullptr);
    int64_t limit = scheme->limit(), numbers = nn::count_parameters(*m.source_embedding.positions);
    CHECK(nn::position_limit(o) == limit);
    CHECK(nn::embedding_position_parameters({positions, o.model, o.max_positions}) == numbers);
    CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
    // The names in files, by which models of before load.
    auto file = nn::save_state(m);
    for (const char* side : {"source", "target"})
      CHECK((file.find(side + std::string("_embedding.positions.weight")) != nullptr) == (numbers > 0));
    Tensor longer = Tensor::full({1, 12}, 4, DType::i64);
    if (limit > 0) CHECK_THROWS_AS(m.source_embedding(longer), IndexError);
    if (limit == 0) CHECK_NOTHROW(m.source_embedding(longer));
  }
  CHECK(nn::embedding_positions().size() >= 2);
  TransformerOptions o = small_transformer();
  o.positions = "none";
  CHECK(make<Transformer>(o, 1).source_embedding.positions == nullptr);
  CHECK(nn::position_limit(o) == 0);
}

TEST_CASE("t5: one table for all layers of a stack, both ways in the encoder, backwards in the decoder") {
  auto m = shaken<Transformer>(with("t5"));
  for (const char* name : {"encoder.t5.weight", "decoder.t5.weight"}) CHECK(saves(m, name));
  CHECK_FALSE(saves(m, "encoder.layers.0.self_attn.position.keys"));
  CHECK_FALSE(table_of(m.encoder).options.causal);
  CHECK(table_of(m.decoder).options.causal);
  // the stack is its layers, each with the same numbers beside its scores
  Variable x(random({2, 5, 12}, 1, DType::f64)), h = x, table = table_of(m.encoder)({.queries = 5, .keys = 5});
  for (const nn::TransformerLayer& layer : m.encoder.layers) h = layer(h, {.self = {.bias = table}}).output;
  CHECK(relative_error(m.encoder(x).output.value(), (*m.encoder.norm)(h).value()) < 1e-12);
}

TEST_CASE("t5 does not divide products by a root, and begins with queries that make up for it") {
  auto m = make<Transformer>(with("t5"), 1), plain = make<Transformer>(with("none"), 1);
  auto size_of_queries = [](const Transformer& t) {
    Variable q = slice(t.encoder.layers[0].self_attn->in_proj_weight, 0, 0, 12);
    return std::sqrt(mean(q * q).item());
  };
  auto size_of_keys = [](const Transformer& t) {
    Variable k = slice(t.encoder.layers[0].self_attn->in_proj_weight, 0, 12, 24);
    return std::sqrt(mean(k * k).item());
  };
  for (const nn::TransformerLayer& layer : m.decoder.layers) {
    CHECK(layer.self_attn->options.score.name == "dot");
    CHECK(layer.multihead_attn->options.score.name == "dot");
  }
  CHECK(plain.decoder.layers[0].self_attn->options.score.name == "scaled_dot");
  CHECK(size_of_queries(plain) / size_of_queries(m) == doctest::Approx(2).epsilon(0.3));  // the root of 4
  CHECK(size_of_keys(plain) / size_of_keys(m) == doctest::Approx(1).epsilon(0.3));
}

TEST_CASE("alibi: nothing to learn, the same numbers in every layer, in both stacks") {
  auto m = shaken<Transformer>(with("alibi"));
  CHECK(nn::count_parameters(m) == nn::transformer_parameters(with("none")));
  for (const nn::TransformerStack* stack : {&m.encoder, &m.decoder}) REQUIRE(stack->position);
  Variable x(random({2, 5, 12}, 1, DType::f64)),
      h = x, far = m.encoder.position->bias(unsqueeze(x, 1), {.queries = 5, .keys = 5}, 1);
  for (const nn::TransformerLayer& layer : m.encoder.layers) h = layer(h, {.self = {.bias = far}}).output;
  CHECK(relative_error(m.encoder(x).output.value(), (*m.encoder.norm)(h).value()) < 1e-12);
  // a bias that was there before stays
  Variable more(random({1, 3, 5, 5}, 2, DType::f64));  // [B, H, T, S]
  h = x;
  for (const nn::TransformerLayer& layer : m.encoder.layers) h = layer(h, {.self = {.bias = far + more}}).output;
  CHECK(relative_error(m.encoder(x, {.self = {.bias = more}}).output.value(), (*m.encoder.norm)(h).value()) < 1e-12);
}

TEST_CASE("no scheme acts between source and target: annotations in another order, the same translation") {
  for (const std::string& positions : position_schemes()) {
    CAPTURE(positions);
    auto m = shaken<Transformer>(with(positions));
    Tensor in = row({2, 7, 6, 5});
    Transformer::Encoded source{.annotations = Variable(random({1, 4, 12}, 1, DType::f64))}, turned = source;
    turned.annotations = Variable(index_select(source.annotations.value(), 1, ids({2, 0, 3, 1}, {4})));
    CHECK(relative_error(m.decode(in, source, {}).features.value(), m.decode(in, turned, {}).features.value()) < 1e-12);
  }
}

TEST_CASE("relative schemes see distances only: the same words further on give the same annotations") {
  for (const std::string& positions : position_schemes()) {
    CAPTURE(positions);
    auto m = shaken<nn::Bert>(with(positions));
    Tensor near = ids({0, 1, 2, 3}, {1, 4}), far = ids({9, 10, 11, 12}, {1, 4}), words = row({4, 5, 6, 4});
    // by segments: four words of another sentence stand before them
    nn::Packed behind = nn::pack({{7, 7, 8, 5}, {4, 5, 6, 4}}, {{0, 1}});
    Tensor alone = m(words, ids({4}, {1})).value();
    CHECK(relative_error(m(behind).value().slice(1, 4, 8).contiguous(), alone) < 1e-12);
    // and by absolute place: what stands in the embedding moves, what stands in the layers does not
    Tensor a = m.encoder(m.embedding(words, {.places = near})).output.value();
    Tensor b = m.encoder(m.embedding(words, {.places = far})).output.value();
    CHECK((relative_error(a, b) > 1e-6) == (positions == "sinusoidal" || positions == "learned"));
  }
}

TEST_CASE("fewer heads of keys and normed queries and keys: decoding with a cache is the parallel pass") {
  for (std::string positions : {"rope", "t5", "shaw"}) {
    CAPTURE(positions);
    TransformerOptions o = with(positions);
    o.kv_heads = 1, o.around["query_key_norm"].on = true;
    auto m = shaken<Transformer>(o);
    NoGrad guard;
    Tensor in = row({2, 7, 6, 5, 4, 8});
    Variable weights, logits = m(row({4, 5, 6}), ids({3}, {1}), in, &weights);
    auto search = m.search(row({4, 5, 6}), ids({3}, {1}));
    for (int64_t t = 0; t < 6; ++t) {
      Tensor log_p = search->next(in.select(1, t).contiguous());
      CHECK(relative_error(log_p, log_softmax_rows(logits.value().select(1, t))) < 1e-10);
      CHECK(relative_error(search->weights(), weights.value().select(1, t)) < 1e-10);
    }
    const nn::MultiHeadAttention& heads = *m.decoder.layers[0].self_attn;
    CHECK(heads.in_proj_weight.shape() == Shape{12 + 2 * 4, 12});
    CHECK(heads.around.size() == 1);
    CHECK(m.decoder.layers[0].multihead_attn->around.size() == 1);
  }
}
