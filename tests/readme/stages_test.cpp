// The six stages and the wrapper of CONTRIBUTING.md, "How to add ..": each is made by its name and does what its
// formula says.
#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/catalogue/catalogue.h"
#include "nn/models/papers.h"
#include "nn/transformer/transformer_options.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::Kind;

namespace {

Tensor weights_of(const nn::AttentionOptions& given, const Tensor& q, const Tensor& k) {
  nn::AttentionOptions o = given;
  o.score.query = o.score.key = q.size(2);
  auto m = make<nn::Attention>(o, 1);
  nn::convert(m, DType::f64);
  return m(Variable(q), m.remember(Variable(k), Variable(k))).weights.value();
}

}  // namespace

TEST_CASE("readme: the score, the normaliser, the scope, the position and the evaluator do what they say") {
  Tensor q = random({1, 3, 2}, 1, DType::f64), k = random({1, 4, 2}, 2, DType::f64);
  auto dot = [&](int64_t t, int64_t s) {
    return q.at({0, t, 0}) * k.at({0, s, 0}) + q.at({0, t, 1}) * k.at({0, s, 1});
  };
  auto distance = [&](int64_t t, int64_t s) {
    return std::pow(q.at({0, t, 0}) - k.at({0, s, 0}), 2) + std::pow(q.at({0, t, 1}) - k.at({0, s, 1}), 2);
  };
  const nn::ScoreOptions dots{.name = "dot"};
  Tensor near = weights_of({.score = {.name = "squared_distance"}}, q, k);
  Tensor relu = weights_of({.score = dots, .normaliser = {.name = "squared_relu"}}, q, k);
  Tensor strided = weights_of({.score = dots, .scope = nn::stage_from(Kind::scope, "strided:3")}, q, k);
  Tensor plain = weights_of({.score = dots}, q, k);
  Tensor far = weights_of({.score = dots, .position = {.name = "log_distance"}}, q, k);
  Tensor average =
      weights_of({.score = dots, .scope = {.name = "causal"}, .evaluator = {.name = "mean_of_values"}}, q, k);
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t s = 0; s < 4; ++s) {
      CHECK(near.at({0, t, s}) / near.at({0, t, 0}) ==
            doctest::Approx(std::exp((distance(t, 0) - distance(t, s)) / 2)).epsilon(1e-12));
      CHECK(relu.at({0, t, s}) == doctest::Approx(std::pow(std::max(dot(t, s), 0.0), 2) / 4).epsilon(1e-12));
      CHECK((strided.at({0, t, s}) > 0) == ((s - t) % 3 == 0));
      CHECK(far.at({0, t, s}) / far.at({0, t, t}) ==
            doctest::Approx(plain.at({0, t, s}) / plain.at({0, t, t}) / (1 + std::abs(double(s - t)))).epsilon(1e-12));
      CHECK(average.at({0, t, s}) == doctest::Approx(s <= t ? 1.0 / double(t + 1) : 0).epsilon(1e-12));
    }
}

TEST_CASE("readme: the mixer reads the word before") {
  Generator rng(1);
  auto m = nn::make_mixer({.name = "previous_word", .query = 2, .key = 2, .causal = true}, rng);
  nn::convert(*m, DType::f64);
  Variable x(random({1, 3, 2}, 1, DType::f64));
  std::vector<NamedVariable> p = nn::named_parameters(*m);
  Tensor y = (*m)(x, {}).output.value(), w = p[0].variable.value(), b = p[1].variable.value();
  for (int64_t t = 0; t < 3; ++t) {
    double by_hand = b.at({1});
    for (int64_t d = 0; d < 2; ++d)
      by_hand += w.at({1, d}) * x.value().at({0, t, d}) + (t > 0 ? w.at({1, 2 + d}) * x.value().at({0, t - 1, d}) : 0);
    CHECK(y.at({0, t, 1}) == doctest::Approx(by_hand).epsilon(1e-12));
  }
  auto memory = m->memory();
  for (int64_t t = 0; t < 3; ++t) {
    Tensor step = m->extend(slice(x, 1, t, t + 1), *memory, {}).output.value();
    CHECK(max_abs_difference(step, y.slice(1, t, t + 1).contiguous()) == 0);
  }
}

TEST_CASE("readme: the wrapper bounds what a head can say; its option, key and entry follow") {
  nn::MultiHeadOptions bounded{.model = 4, .heads = 2, .around = {{"bounded_heads"}}}, plain = bounded;
  plain.around.clear();
  auto m = make<nn::MultiHeadAttention>(bounded, 1), without = make<nn::MultiHeadAttention>(plain, 1);
  for (auto* one : {&m, &without}) {
    nn::convert(*one, DType::f64);
    one->out_proj.weight.set_value(Tensor::eye(4, DType::f64));
  }
  Variable x(random({2, 3, 4}, 1, DType::f64));
  CHECK(max_abs_difference(m(x).output.value(), tanh(without(x).output).value()) < 1e-12);

  nn::TransformerOptions o;
  nn::read_option_fields(nn::fields_of(o), io::Json::object({{"bounded_heads", true}}));
  CHECK(nn::to_json(o).boolean("bounded_heads"));
  CHECK(nn::arounds_of(o).at(0).name == "bounded_heads");
  const nn::CatalogueEntry& entry = nn::catalogue_entry("X7");
  CHECK((entry.architecture == "transformer" && entry.option == "bounded_heads" && entry.text == "true"));
}

TEST_CASE("readme: the model is made by its name, its search is teacher forcing, and its file comes back") {
  nn::AnyPaper paper = nn::paper_called("mean_context");
  CHECK(nn::set_called(paper.fields(), "hidden", "6") == 2);
  nn::try_out(paper);
  Generator rng(1), other(2);
  auto m = paper.make({9, 9}, rng);
  using namespace nn_test::two_sentences;
  Tensor forced = log_softmax((*m)(source(), lengths(), target_in())).value();
  auto search = m->search(source(), lengths());
  for (int64_t t = 0; t < 4; ++t)
    CHECK(relative_error(search->next(target_in().select(1, t).contiguous()), forced.select(1, t).contiguous()) < 1e-6);
  nn::AnyPaper read = nn::paper_from(nn::to_json(paper));
  CHECK(read.fits({9, 9}, nn::save_state(*m)));
  auto again = read.make({9, 9}, other);
  nn::load_state(*again, nn::save_state(*m), "a file");
  CHECK(bit_equal((*again)(source(), lengths(), target_in()).value(), (*m)(source(), lengths(), target_in()).value()));
}
