// Differential attention: the difference of two maps, and what is left of it at the ends of lambda.
#include "nn/attention/evaluators/differential.h"

#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/attention.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/observe.h"
#include "nn/transformer/language_model.h"
#include "tensor/reduce.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::MultiHeadOptions heads(const std::string& evaluator = "differential", const std::string& scope = "global",
                           int64_t groups = 2) {
  nn::MultiHeadOptions o{.model = 12, .heads = 2, .scope = nn::stage_from(nn::Kind::scope, scope)};
  o.kv_heads = groups, o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return o;
}
nn::DifferentialEvaluator& evaluator_of(nn::Pipeline& m) {
  return dynamic_cast<nn::DifferentialEvaluator&>(*m.evaluator);
}
// exp(0) - exp(lq2 . lk2) + lambda_init = wanted
void set_lambda(nn::DifferentialEvaluator& e, double wanted) {
  int64_t half = e.lambda_q1.size(0);
  e.lambda_q1.set_value(Tensor::zeros({half}, kF64));
  e.lambda_q2.set_value(Tensor::ones({half}, kF64));
  e.lambda_k2.set_value(Tensor::full({half}, std::log(1 + e.lambda_init() - wanted) / static_cast<double>(half), kF64));
}

// One head of width K without projections, and attention of width K / 2 with the same score.
struct OneHead {
  explicit OneHead(const char* score) : whole(options(score, 6, "differential")), half(options(score, 3, "dense")) {}
  static nn::Attention options(const char* score, int64_t width, const char* evaluator) {
    nn::AttentionOptions o{.score = {.name = score, .query = width, .key = width}};
    o.evaluator.name = evaluator;
    auto m = make<nn::Attention>(o, 3);
    nn::convert(m, kF64);
    return m;
  }
  nn::Attention whole, half;
  Variable q = leaf({2, 4, 6}, 1, kF64), k = leaf({2, 5, 6}, 2, kF64), v = leaf({2, 5, 6}, 3, kF64);
  Tensor lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2});
  nn::Attended difference() { return whole(q, whole.remember(k, v, lengths)); }
  nn::Attended ordinary(int64_t from) {
    return half(slice(q, -1, from, from + 3), half.remember(slice(k, -1, from, from + 3), v, lengths));
  }
};

}  // namespace

// Lambda begins at a value that depends on the layer and is computed from its learned vectors, by
// the published formula.
TEST_CASE("differential: lambda_init by the layer, and lambda by its vectors" * holds("golden_lambda_init")) {
  for (auto [layer, wanted] : {std::pair{1, 0.2}, std::pair{2, 0.355509}, std::pair{3, 0.470713}}) {
    auto m = make<nn::MultiHeadAttention>(heads("differential:" + std::to_string(layer)), 1);
    CHECK(evaluator_of(m).lambda_init() == doctest::Approx(wanted).epsilon(1e-6));
  }
  nn::TransformerLayerOptions layer{.model = 12, .heads = 2, .inner = 4, .evaluator = {.name = "differential"}};
  auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 3}, 1);
  CHECK(evaluator_of(*stack.layers[0].self_attn).lambda_init() == doctest::Approx(0.2).epsilon(1e-6));
  CHECK(evaluator_of(*stack.layers[2].self_attn).lambda_init() == doctest::Approx(0.470713).epsilon(1e-6));
  layer.evaluator.settings["layer"] = 2;
  auto same = make<nn::TransformerStack>({.layer = layer, .layers = 3}, 1);
  CHECK(evaluator_of(*same.layers[2].self_attn).lambda_init() == doctest::Approx(0.355509).epsilon(1e-6));
  auto m = make<nn::MultiHeadAttention>(heads(), 1);
  nn::DifferentialEvaluator& e = evaluator_of(m);
  CHECK(e.lambda_q1.shape() == Shape{3});
  double one = 0, two = 0;
  for (int64_t i = 0; i < 3; ++i) {
    one += e.lambda_q1.value().at({i}) * e.lambda_k1.value().at({i});
    two += e.lambda_q2.value().at({i}) * e.lambda_k2.value().at({i});
  }
  CHECK(e.lambda().value().item() == doctest::Approx(std::exp(one) - std::exp(two) + 0.2).epsilon(1e-6));
}

// The weights are the difference of two softmax maps, so each row sums to 1 minus lambda.
TEST_CASE("differential: the map is the difference of two, and its rows sum to 1 - lambda" *
          holds("rows_sum_to_one_minus_lambda")) {
  for (const char* score : {"dot", "scaled_dot"}) {
    OneHead a(score);
    nn::DifferentialEvaluator& e = evaluator_of(a.whole);
    set_lambda(e, 0.3);
    nn::Attended seen = a.difference(), first = a.ordinary(0), second = a.ordinary(3);
    Variable wanted = first.weights - second.weights * 0.3;
    CHECK(max_abs_difference(seen.weights.value(), wanted.value()) < 1e-12);
    for (double total : sum(seen.weights.value(), {-1}).to_vector())
      CHECK(total == doctest::Approx(0.7).epsilon(1e-12));
    Variable context = rms_norm(matmul(wanted, a.v)) * 0.8;
    CHECK(max_abs_difference(seen.context.value(), context.value()) < 1e-10);
  }
}

// With a lambda of zero it is ordinary attention with the first halves of queries and keys.
TEST_CASE("differential: without lambda it is ordinary attention of the first halves" *
          holds("without_lambda_is_the_first_half")) {
  OneHead a("scaled_dot");
  set_lambda(evaluator_of(a.whole), 0);
  nn::Attended seen = a.difference(), ordinary = a.ordinary(0);
  CHECK(max_abs_difference(seen.weights.value(), ordinary.weights.value()) < 1e-12);
  CHECK(max_abs_difference(seen.context.value(), (rms_norm(ordinary.context) * 0.8).value()) < 1e-10);
}

// If both maps are equal, the weights are one of them times 1 minus lambda.
TEST_CASE("differential: two equal maps give 1 - lambda times one of them" * holds("equal_maps_leave_a_share")) {
  OneHead a("scaled_dot");
  a.q = concat({slice(a.q, -1, 0, 3), slice(a.q, -1, 0, 3)}, -1);
  a.k = concat({slice(a.k, -1, 0, 3), slice(a.k, -1, 0, 3)}, -1);
  set_lambda(evaluator_of(a.whole), 0.45);
  CHECK(max_abs_difference(a.difference().weights.value(), (a.ordinary(0).weights * 0.55).value()) < 1e-12);
}

// Each head is normalised by itself, with one set of weights for all.
TEST_CASE("differential: the norm is that of each head by itself, with one weight for all" *
          holds("each_head_has_its_norm")) {
  auto m = shaken<nn::MultiHeadAttention>(heads());
  m.out_proj.weight.set_value(Tensor::eye(12, kF64)), m.out_proj.bias.set_value(Tensor::zeros({12}, kF64));
  evaluator_of(m).norm.weight.set_value(Tensor::ones({6}, kF64));
  Tensor y = m(Variable(random({2, 4, 12}, 7, kF64))).output.value();
  for (int64_t h = 0; h < 2; ++h)
    for (double square_mean : mean(square(Variable(y.slice(2, h * 6, h * 6 + 6))), {-1}).value().to_vector())
      CHECK(square_mean == doctest::Approx(0.64).epsilon(0.01));
}

// Its parameters are saved, cloned, counted and trained with the model, and its layers decode from a cache.
TEST_CASE("differential: its parameters are saved, cloned, counted and trained, its layers decode from a cache" *
          holds("evaluator_parameters_are_the_models")) {
  nn::TransformerOptions o = small_transformer();
  o.model = 12, o.heads = 3, o.kv_heads = 1, o.evaluator = "differential:2", o.tie = "none";
  auto m = shaken<nn::LanguageModel>(o);
  std::vector<std::string> names;
  for (auto& p : nn::named_parameters(m)) names.push_back(p.name);
  for (const char* name : {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2", "subln.weight"})
    CHECK(std::count(names.begin(), names.end(), std::string("decoder.layers.1.self_attn.evaluator.") + name) == 1);
  nn::TransformerOptions both = o;
  both.dropout = 0;
  auto translator = make<nn::Transformer>(both, 1);
  CHECK(nn::count_parameters(translator) == nn::transformer_parameters(nn::completed(both)));
  Tensor target = ids({2, 4, 5, 6, 7, 8, 4, 4, 2, 8, 7, 6, 5, 4, 4, 7}, {2, 8});
  auto copy = nn::clone(m);
  CHECK(bit_equal(copy(target).value(), m(target).value()));
  auto loaded = make<nn::LanguageModel>(o, 9);
  nn::convert(loaded, kF64);
  nn::load_state(loaded, nn::save_state(m), "test");
  CHECK(bit_equal(loaded(target).value(), m(target).value()));
  backward(weighted_sum(m(target)));
  for (auto& p : nn::named_parameters(m))
    if (p.name.find("evaluator") != std::string::npos) CHECK_FALSE(all_zero(p.variable.grad()));
  NoGrad guard;
  Variable logits = m(target);
  nn::LanguageModelSearch search(m, {{}, {}});
  for (int64_t t = 0; t < 8; ++t)
    CHECK(relative_error(search.next(target.select(1, t).contiguous()), log_softmax_rows(logits.value().select(1, t))) <
          1e-10);
}

// The weights that are shown are the difference, once per call, with masks, groups and padding.
TEST_CASE("differential: Observe sees the difference map, once, under causal scopes, groups and padding" *
          holds("the_difference_is_shown")) {
  auto m = shaken<nn::MultiHeadAttention>(heads("differential", "causal", 1));
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 0, 1, 1, 1}, {2, 4});
  std::vector<nn::AttentionSeen> seen;
  nn::MultiHeadOutput out;
  {
    nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back(a); });
    out = m(Variable(random({2, 4, 12}, 7, kF64)), {.words = words});
  }
  REQUIRE(seen.size() == 1);
  REQUIRE(seen[0].weights.shape() == Shape{2, 2, 4, 4});
  CHECK(bit_equal(seen[0].weights, out.weights.value()));
  double left = 1 - evaluator_of(m).lambda().value().item();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 4; ++t) {
      double total = 0;
      for (int64_t s = 0; s < 4; ++s) {
        total += seen[0].weights.at({b, 1, t, s});
        if (s > t || words.at({b, s}) == 0) CHECK(seen[0].weights.at({b, 1, t, s}) == 0);
      }
      CHECK(total == doctest::Approx(b == 1 && t == 0 ? 0 : left).epsilon(1e-12));
    }
}
TEST_CASE("differential: it refuses what cannot be cut in two, in a sentence") {
  auto says = [](const nn::MultiHeadOptions& given, const std::string& why) {
    nn::MultiHeadOptions o = given;
    o.evaluator.name = "differential";
    std::string message = message_of<ValueError>([&] { make<nn::MultiHeadAttention>(o, 1); });
    CHECK_MESSAGE(message.find("the evaluator differential cannot do this: " + why + "; got") != std::string::npos,
                  message);
  };
  const nn::MultiHeadOptions plain{.model = 12, .heads = 2};
  nn::MultiHeadOptions o = plain;
  o.heads = 4;
  says(o, "a head must have an even width to be cut into two halves");
  o = plain, o.score.name = "general";
  says(o, "the score cannot compare halves of a query and a key");
  o = plain, o.position.name = "shaw";
  says(o, "the position compares whole queries with its vectors, not halves");
}
