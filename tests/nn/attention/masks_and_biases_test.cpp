// One rule for what is given beside scores [B, H, T, S], masks and biases alike: rank 3 is [B, T, S], whatever the
// sizes.
#include "nn/attention/structures/multi_head.h"
#include "nn/observe.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t T = 3, H = 2, D = 4;

nn::MultiHeadAttention attention(const char* evaluator) {
  return make<nn::MultiHeadAttention>(
      {.model = D, .heads = H, .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)}, 1);
}
Tensor mask(const Shape& shape, uint64_t seed) { return greater(random(shape, seed), -0.5); }

}  // namespace

TEST_CASE("beside heads: rank 3 is a mask or a bias of each sentence, rank 4 one of each head; B = H is no exception") {
  for (const char* evaluator : {"dense", "chunked:2", "tiled"})
    for (int64_t B : {H, int64_t{3}, int64_t{1}}) {
      CAPTURE(evaluator);
      CAPTURE(B);
      nn::MultiHeadAttention m = attention(evaluator);
      Variable x(random({B, T, D}, 2));
      auto output = [&](const nn::HeadMasks& masks) { return m(x, masks).output.value(); };
      Tensor sentences = mask({B, T, T}, 3), heads = mask({1, H, T, T}, 4);
      CHECK(bit_equal(output({.allowed = sentences}), output({.allowed = sentences.unsqueeze(1)})));
      Variable of_sentences(random({B, T, T}, 5)), of_heads(random({1, H, T, T}, 6));
      CHECK(bit_equal(output({.bias = of_sentences}), output({.bias = unsqueeze(of_sentences, 1)})));
      // One for each head acts on its head alone: with its own sentence's, in a batch of one, it is the same.
      for (int64_t b = 0; b < B; ++b) {
        Variable row(x.value().slice(0, b, b + 1));
        auto alone = [&](const nn::HeadMasks& masks) { return m(row, masks).output.value().select(0, 0); };
        CHECK(bit_equal(output({.allowed = heads}).select(0, b), alone({.allowed = heads})));
        CHECK(bit_equal(output({.bias = of_heads}).select(0, b), alone({.bias = of_heads})));
        CHECK(bit_equal(output({.allowed = sentences}).select(0, b), alone({.allowed = sentences.slice(0, b, b + 1)})));
        CHECK(
            bit_equal(output({.bias = of_sentences}).select(0, b), alone({.bias = slice(of_sentences, 0, b, b + 1)})));
      }
    }
}

TEST_CASE("beside heads: one for each head of rank 3 is refused, and told its shape") {
  for (const char* evaluator : {"dense", "chunked:2", "tiled"}) {
    nn::MultiHeadAttention m = attention(evaluator);
    Variable x(random({3, T, D}, 2));
    std::string rule = "; hint: of rank 3 it is [B, T, S]; one for each head is [1, H, T, S]";
    CHECK(message_of<ShapeError>([&] {
            m(x, {.allowed = mask({H, T, T}, 3)});
          }) ==
          "MultiHeadAttention: the mask must broadcast to the scores; got mask [2, 1, 3, 3] and scores [3, 2, 3, 3]" +
              rule);
    CHECK(message_of<ShapeError>([&] {
            m(x, {.bias = Variable(random({H, T, T}, 3))});
          }) ==
          "MultiHeadAttention: the bias must broadcast to the scores; got bias [2, 1, 3, 3] and scores [3, 2, 3, 3]" +
              rule);
  }
}

TEST_CASE("beside heads: attend with scores of rank 4 has the same rule") {
  for (int64_t B : {H, int64_t{3}}) {
    Variable scores(random({B, H, T, 5}, 1)), values(random({B, H, 5, D}, 2));
    Tensor sentences = mask({B, T, 5}, 3);
    nn::Attended seen = nn::attend(scores, values, sentences),
                 same = nn::attend(scores, values, sentences.unsqueeze(1));
    CHECK(bit_equal(seen.weights.value(), same.weights.value()));
    CHECK(bit_equal(seen.context.value(), same.context.value()));
  }
  CHECK(message_of<ShapeError>([] {
          nn::attend(Variable(random({3, H, T, 5}, 1)), Variable(random({3, H, 5, D}, 2)), mask({H, T, 5}, 3));
        }).find("one for each head is [1, H, T, S]") != std::string::npos);
}

TEST_CASE("beside heads: a stack adds the caller's bias of each sentence to its own of each head") {
  for (const char* positions : {"alibi", "t5"})
    for (int64_t B : {H, int64_t{3}}) {
      nn::TransformerStackOptions o{.layer = {.model = D, .heads = H, .inner = 3, .position = {.name = positions}},
                                    .layers = 1};
      nn::TransformerStack stack = make<nn::TransformerStack>(o, 1);
      Variable x(random({B, T, D}, 2)), bias(random({B, T, T}, 3));
      Tensor all = stack(x, {.self = {.bias = bias}}).output.value();
      for (int64_t b = 0; b < B; ++b) {
        Tensor one = stack(slice(x, 0, b, b + 1), {.self = {.bias = slice(bias, 0, b, b + 1)}}).output.value();
        CHECK(max_abs_difference(all.select(0, b), one.select(0, 0)) < 1e-6);
      }
    }
}

TEST_CASE("Observe: attention in chunks reports once, the whole weights") {
  auto shown = [](const char* evaluator) {
    nn::MultiHeadAttention m = attention(evaluator);
    std::vector<Tensor> seen;
    nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back(a.weights); });
    m(Variable(random({2, 5, D}, 2)), {.words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5})});
    return seen;
  };
  std::vector<Tensor> dense = shown("dense"), chunked = shown("chunked:2");
  REQUIRE(dense.size() == 1);
  REQUIRE(chunked.size() == 1);
  CHECK(chunked[0].shape() == Shape{2, H, 5, 5});
  CHECK(bit_equal(chunked[0], dense[0]));
}
