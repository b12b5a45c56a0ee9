// The paper of Bahdanau et al.: teacher forcing is stepping by hand, padding and the batch change no bit, and a
// model that knows nothing is as surprised as a die with V faces.
#include "nn/models/bahdanau.h"

#include <doctest/doctest.h>

#include <cmath>

#include "autograd/modes.h"
#include "nn/models/luong.h"
#include "nn/observe.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using namespace heed::nn_test::two_sentences;

namespace {

template <class M>
typename M::Options small() {
  typename M::Options o = small_paper<M>(9, 8);
  o.attention.score.settings = {{"width", 7}}, o.readout = 4;
  return o;
}
const nn::Bahdanau::Options kSmall = small<nn::Bahdanau>();

}  // namespace

TEST_CASE("Bahdanau: a teacher-forced pass is stepping by hand, to the bit") {
  nn::Bahdanau m = make<nn::Bahdanau>(kSmall, 1);
  Variable row, logits = m(source(), lengths(), target_in());
  m(source(), lengths(), target_in(), &row);
  Tensor alignment = row.value();
  REQUIRE(logits.shape() == Shape{2, 4, 8});
  REQUIRE(alignment.shape() == Shape{2, 4, 5});
  auto [memory, state] = m.encode(source(), lengths());
  for (int64_t t = 0; t < 4; ++t) {
    nn::Step s = m.step(m.embed(target_in().select(1, t)), state, memory);
    state = s.state;
    Tensor weights = state.alignment.weights.value();
    CHECK(s.context.shape() == Shape{2, 12});
    CHECK(bit_equal(m.logits(s.features).value(), logits.value().select(1, t).contiguous()));
    CHECK(bit_equal(weights, alignment.select(1, t).contiguous()));
    for (int64_t k : {3, 4}) CHECK(weights.at({1, k}) == 0);
  }
}

TEST_CASE("an evaluator that never stores weights has none to show, and changes nothing else") {
  auto check = []<class M>(typename M::Options o) {
    o.attention.score = {.name = "general"}, o.attention.evaluator.name = "dense";
    Variable weights, shown;
    Tensor dense = make<M>(o, 1)(source(), lengths(), target_in(), &shown).value();
    o.attention.evaluator.name = "tiled";
    Tensor tiled = make<M>(o, 1)(source(), lengths(), target_in(), &weights).value();
    CHECK(shown.defined());
    CHECK_FALSE(weights.defined());
    CHECK(max_abs_difference(tiled, dense) < 1e-5);
  };
  check.operator()<nn::Bahdanau>(kSmall);
  check.operator()<nn::Luong>(small<nn::Luong>());
}

TEST_CASE("Bahdanau: a sentence in a padded batch gives the bits of the sentence alone") {
  nn::Bahdanau m = make<nn::Bahdanau>(kSmall, 1);
  Tensor batch = m(source(), lengths(), target_in()).value();
  Tensor alone = m(source().slice(0, 1, 2).slice(1, 0, 3), ids({3}, {1}), target_in().slice(0, 1, 2)).value();
  CHECK(bit_equal(alone, batch.slice(0, 1, 2).contiguous()));
}

TEST_CASE("Bahdanau: the state begins with what the backward reader saw last") {
  nn::Bahdanau m = make<nn::Bahdanau>(kSmall, 1);
  auto [memory, state] = m.encode(source(), lengths());
  auto [y, h, cells] = m.encoder(m.source_embedding(source()), lengths());
  CHECK(bit_equal(state.cell[0].value(), tanh((*m.bridge.linear)(h[1])).value()));
  CHECK(bit_equal(memory.values.value(), y.value()));
  CHECK_FALSE(cells.defined());
  CHECK(memory.keys.shape() == Shape{2, 5, 7});
  CHECK(memory.allowed.shape() == Shape{2, 1, 5});
}

TEST_CASE("Bahdanau: a model that was never trained has a perplexity near V") {
  for (int64_t V : {50, 1000}) {
    nn::Bahdanau m = make<nn::Bahdanau>(small_paper<nn::Bahdanau>(40, V, 16, 24, 0.1), 1);
    nn::set_training(m, false);
    NoGrad guard;
    Generator rng(3);
    std::vector<int64_t> in(16 * 8), in_target(16 * 10), out(16 * 10);
    for (auto& w : in) w = 4 + rng.below(36);
    for (auto& w : in_target) w = 4 + rng.below(V - 4);
    for (auto& w : out) w = rng.below(V);
    Variable logits = m(ids(in, {16, 8}), Tensor::full({16}, 8, DType::i64), ids(in_target, {16, 10}));
    double perplexity = std::exp(cross_entropy(logits, ids(out, {16, 10})).item());
    CHECK(perplexity > 0.9 * static_cast<double>(V));
    CHECK(perplexity < 1.1 * static_cast<double>(V));
  }
}

TEST_CASE("Bahdanau: defaults, names, and what Observe sees") {
  nn::Bahdanau::Options o = kSmall;
  o.attention.score.settings.clear(), o.readout = 0;
  nn::Bahdanau m = make<nn::Bahdanau>(o, 1);
  CHECK(m.attention.score->prepare(Variable(Tensor::zeros({1, 1, 12}))).size(2) == 6);
  CHECK(m.options.readout == 6);
  CHECK(all_zero(m.source_embedding.weight.value().select(0, 0)));  // <pad>
  CHECK(all_zero(m.target_embedding.weight.value().select(0, 0)));
  auto names = nn::named_parameters(m);
  CHECK(names[2].name == "encoder.weight_ih_l0");
  CHECK(names.back().name == "output.bias");
  nn::assign_paths(m);
  int64_t calls = 0;
  nn::Observe observe([&](const nn::AttentionSeen& seen) {
    CHECK(seen.module == "attention");
    CHECK(seen.weights.shape() == Shape{2, 1, 5});
    ++calls;
  });
  m(source(), lengths(), target_in());
  CHECK(calls == 4);
}

TEST_CASE("Bahdanau: a few steps on one batch learn it by heart") {
  nn::Bahdanau m = make<nn::Bahdanau>(kSmall, 1);
  Tensor out = ids({4, 5, 6, 3, 6, 7, 3, 0}, {2, 4});
  double first = 0, last = 0;
  for (int step = 0; step < 150; ++step) {
    nn::zero_grad(m);
    Variable loss = cross_entropy(m(source(), lengths(), target_in()), out, {.ignore_index = 0});
    (step == 0 ? first : last) = loss.item();
    backward(loss);
    for (auto& p : nn::named_parameters(m)) {
      NoGrad guard;
      add_(p.variable, p.variable.grad(), -0.5);
    }
  }
  CHECK(first > 1.9);
  CHECK(last < 0.1);
}
