// What stands around the heads: gates, scales, pruned heads, and values and scores that layers pass on.
#include "autograd/modes.h"
#include "nn/attention/around/attention_gate.h"
#include "nn/attention/around/head_scale.h"
#include "nn/attention/around/pruned_heads.h"
#include "nn/attention/around/value_residual.h"
#include "nn/models/translation_model.h"
#include "nn/observe.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t kModel = 6, kHeads = 3, kHead = 2;

nn::MultiHeadOptions plain() { return {.model = kModel, .heads = kHeads}; }
// The parameters of b that a has too are a's.
template <class M>
void share(M& a, M& b) {
  for (auto& p : nn::named_parameters(b))
    for (const auto& q : nn::named_parameters(a))
      if (p.name == q.name) p.variable.set_value(q.variable.value().clone());
}
// The wrapper that is around the heads, of this kind.
template <class Wrapper>
Wrapper& around_of(const nn::MultiHeadAttention& m) {
  return dynamic_cast<Wrapper&>(*m.around.at(0));
}
Variable words() { return leaf({2, 4, kModel}, 1, kF64); }
// W_o with the columns of each head times a factor.
void scale_columns(nn::MultiHeadAttention& m, const std::vector<double>& factors) {
  Tensor w = m.out_proj.weight.value().clone();
  for (int64_t i = 0; i < kModel; ++i)
    for (int64_t j = 0; j < kModel; ++j) w.set({i, j}, w.at({i, j}) * factors[static_cast<size_t>(j / kHead)]);
  m.out_proj.weight.set_value(w);
}
Tensor of(const std::vector<double>& values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }

nn::TransformerStackOptions stack(bool values, bool scores, int64_t layers = 3) {
  nn::TransformerLayerOptions layer{.model = kModel, .heads = kHeads, .inner = 5, .causal = true};
  if (values) layer.around.push_back({"value_residual"});
  if (scores) layer.around.push_back({"score_residual"});
  return {.layer = layer, .layers = layers};
}

}  // namespace

// Gates whose weights and bias are 0 halve every head; gates that are open change nothing.
TEST_CASE("gate: zero weights halve the heads, a large bias changes nothing" * holds("a_gate_of_a_half_halves")) {
  nn::MultiHeadOptions gated = plain();
  gated.around = {{"attention_gate"}};
  auto m = shaken<nn::MultiHeadAttention>(plain()), g = shaken<nn::MultiHeadAttention>(gated, kF64, 2);
  share(m, g);
  CHECK(nn::count_parameters(g) == nn::count_parameters(m) + kModel * kModel + kModel);
  Variable x = words();
  nn::Linear& gate = around_of<nn::AttentionGate>(g).gate;
  gate.weight.set_value(Tensor::zeros({kModel, kModel}, kF64));
  gate.bias.set_value(Tensor::full({kModel}, 40, kF64));
  CHECK(max_abs_difference(g(x).output.value(), m(x).output.value()) < 1e-12);
  gate.bias.set_value(Tensor::zeros({kModel}, kF64));
  scale_columns(m, {.5, .5, .5});
  CHECK(max_abs_difference(g(x).output.value(), m(x).output.value()) < 1e-12);
  // The gate of one number of one head, read from the query's word: in another word another gate.
  auto open = shaken<nn::MultiHeadAttention>(gated, kF64, 3);
  Variable y = leaf({2, 2, kModel}, 9, kF64);
  Tensor cross = open(y, x, x).output.value();
  around_of<nn::AttentionGate>(open).gate.bias.set_value(Tensor::full({kModel}, -1e4, kF64));  // shut
  Tensor shut = open(y, x, x).output.value();
  for (int64_t t = 0; t < 2; ++t)
    CHECK(max_abs_difference(shut.select(0, 0).select(0, t), open.out_proj.bias.value()) < 1e-12);
  CHECK(max_abs_difference(cross, shut) > 1e-3);
}

// Scaling a head is scaling its columns of the output matrix, and the scales begin at 1.
TEST_CASE("head scale: as if the columns of W_o were scaled, and 1 at first" * holds("a_scale_is_in_its_columns")) {
  nn::MultiHeadOptions scaled = plain();
  scaled.around = {{"head_scale"}};
  auto m = make<nn::MultiHeadAttention>(plain(), 1), s = make<nn::MultiHeadAttention>(scaled, 1);
  nn::convert(m, kF64), nn::convert(s, kF64);
  Variable x = words();
  CHECK(bit_equal(s(x).output.value(), m(x).output.value()));
  CHECK(nn::count_parameters(s) == nn::count_parameters(m) + kHeads);
  around_of<nn::HeadScale>(s).gamma.set_value(of({.5, -2, 3}));
  scale_columns(m, {.5, -2, 3});
  CHECK(max_abs_difference(s(x).output.value(), m(x).output.value()) < 1e-12);
}

// A pruned head is one whose columns of the output matrix are 0, in each of three ways to prune.
TEST_CASE("pruned heads: as if their columns of W_o were 0, by each of three ways" *
          holds("a_pruned_head_has_no_columns")) {
  nn::MultiHeadOptions pruned = plain();
  pruned.around = {{"pruned_heads", "0.0,0.2"}};
  auto m = shaken<nn::MultiHeadAttention>(plain()), p = shaken<nn::MultiHeadAttention>(pruned);
  Variable x = words();
  Tensor by_mask = m(x, {.heads = Variable(of({0, 1, 0}))}).output.value();
  Tensor row = of({0, 1, 0, 1, 1, 1}).view({2, 3}), all = m(x).output.value();
  Tensor by_sentence = m(x, {.heads = Variable(row)}).output.value();
  scale_columns(m, {0, 1, 0});
  Tensor wanted = m(x).output.value();
  CHECK(max_abs_difference(p(x).output.value(), wanted) < 1e-12);
  CHECK(max_abs_difference(by_mask, wanted) < 1e-12);
  CHECK(max_abs_difference(by_sentence.select(0, 0), wanted.select(0, 0)) < 1e-12);
  CHECK(max_abs_difference(by_sentence.select(0, 1), all.select(0, 1)) < 1e-12);
  // Of a stack, by layer: head 1 of layer 2, and no other.
  nn::TransformerStackOptions o = stack(false, false);
  o.layer.around = {{"pruned_heads", "2.1"}};
  auto s = make<nn::TransformerStack>(o, 1);
  auto kept = [](const nn::TransformerLayer& layer) { return around_of<nn::PrunedHeads>(*layer.self_attn).kept; };
  CHECK_FALSE(kept(s.layers[0]).defined());
  CHECK(kept(s.layers[2]).to_vector() == std::vector<double>{1, 0, 1});
  nn::TransformerOptions t = small_transformer();
  t.around["pruned_heads"].text = "0.2,1.0";
  auto whole = make<nn::Transformer>(t, 1);
  CHECK(kept(whole.encoder.layers[0]).to_vector()[2] == 0);
  CHECK(kept(whole.decoder.layers[1]).to_vector()[0] == 0);
  for (bool deeper : {false, true}) {  // a head that only one of the two stacks has
    nn::TransformerOptions one = t;
    (deeper ? one.encoder_layers : one.decoder_layers) = 1;
    CHECK_THROWS_AS(make<nn::Transformer>(one, 1), ValueError);
    CHECK_THROWS_AS(nn::try_out(nn::paper_of<nn::Transformer>(one)), ValueError);
  }
}

// The gradient of a head's gate says how much the loss changes as the gate closes.
TEST_CASE("pruned heads: the gradient of xi is what the loss changes by" * holds("importance_is_a_difference")) {
  auto m = shaken<nn::MultiHeadAttention>(plain());
  Variable x = words(), xi = leaf(of({1, 1, 1}));
  // The output is linear in xi, so is this loss: its gradient is the whole difference that a head makes.
  auto loss = [&](const Variable& factors) { return weighted_sum(m(x, {.heads = factors}).output); };
  Tensor importance = grad({loss(xi)}, {xi})[0].value();
  for (int64_t h = 0; h < kHeads; ++h) {
    Tensor without = xi.value().clone();
    without.set({h}, 0);
    CHECK(importance.at({h}) == doctest::Approx(loss(xi).item() - loss(Variable(without)).item()).epsilon(1e-9));
  }
  // Away from 1 too: the slope does not depend on xi.
  Variable elsewhere = leaf(of({.3, 2, -1}));
  CHECK(max_abs_difference(grad({loss(elsewhere)}, {elsewhere})[0].value(), importance) < 1e-10);
}

// Later layers read a mixture of the first layer's values and their own; with their own alone they are plain layers.
TEST_CASE("value residual: later layers read l_1 v_1 + l_2 v, with (0, 1) the plain layers" *
          holds("values_are_mixed")) {
  auto mixing = shaken<nn::TransformerStack>(stack(true, false)),
       layers = shaken<nn::TransformerStack>(stack(false, false));
  share(mixing, layers);
  CHECK(nn::count_parameters(mixing) == nn::count_parameters(layers) + 2 * 2);
  Variable x = words();
  Tensor seen = mixing(x).output.value();
  CHECK(max_abs_difference(seen, layers(x).output.value()) > 1e-3);
  for (size_t i : {1u, 2u}) around_of<nn::ValueResidual>(*mixing.layers[i].self_attn).lambda.set_value(of({0, 1}));
  CHECK(max_abs_difference(mixing(x).output.value(), layers(x).output.value()) < 1e-12);
  // One attention by hand: its values are the mixture, whatever its own projection says.
  nn::MultiHeadOptions o = plain();
  o.around = {{"value_residual"}}, o.layer = 1;
  auto m = shaken<nn::MultiHeadAttention>(o), other = shaken<nn::MultiHeadAttention>(plain());
  share(m, other);
  around_of<nn::ValueResidual>(m).lambda.set_value(of({.75, -2}));
  Variable first = leaf({2, kHeads, 4, kHead}, 5, kF64);
  nn::Passed passed{.left = {{"value_residual", first}}};
  nn::HeadMemory memory = other.remember(x, x);
  memory.values = .75 * first - 2 * memory.values;
  CHECK(max_abs_difference(m(x, {.passed = &passed}).output.value(), other(x, memory).output.value()) < 1e-12);
}

// The second layer adds the scores of the first to its own.
TEST_CASE("score residual: the second layer adds the scores of the first" * holds("scores_add_up")) {
  auto adding = shaken<nn::TransformerStack>(stack(false, true, 2)),
       layers = shaken<nn::TransformerStack>(stack(false, false, 2));
  share(adding, layers);
  CHECK(nn::count_parameters(adding) == nn::count_parameters(layers));
  Variable x = words();
  std::vector<Tensor> scores;
  {
    nn::Observe observe([&](const nn::AttentionSeen& seen) { scores.push_back(seen.scores); });
    layers(x);
  }
  REQUIRE(scores.size() == 2);
  Tensor first = layers.layers[0](x).output.value();
  // Layer 2 alone with the scores of layer 1 as a bias; -inf where they are masked.
  nn::LayerInput in{.self = {.bias = Variable(scores[0])}};
  Tensor wanted = (*layers.norm)(layers.layers[1](Variable(first), in).output).value();
  CHECK(max_abs_difference(adding(x).output.value(), wanted) < 1e-12);
  CHECK(max_abs_difference(layers(x).output.value(), wanted) > 1e-3);
  // Padding has no say.
  Tensor real = Tensor::from_bools({1, 1, 1, 0, 1, 1, 1, 1}, {2, 4}), other = x.value().clone();
  for (int64_t d = 0; d < kModel; ++d) other.set({0, 3, d}, 1e3);
  Tensor a = adding(x, {.self = {.words = real}}).output.value(),
         b = adding(Variable(other), {.self = {.words = real}}).output.value();
  CHECK(bit_equal(a.select(0, 0).slice(0, 0, 3), b.select(0, 0).slice(0, 0, 3)));
}

// Word by word, the layers pass on the values or scores that they pass on for all words at once.
TEST_CASE("residuals of values and scores: step by step is all at once" * holds("steps_pass_on_the_same")) {
  for (auto [values, scores] : {std::pair(true, false), {false, true}, {true, true}}) {
    auto s = shaken<nn::TransformerStack>(stack(values, scores));
    Variable x = words();
    Tensor all = s(x).output.value();
    std::vector<nn::LayerCache> caches;
    NoGrad guard;
    for (auto [begin, end] : {std::pair(0, 2), {2, 3}, {3, 4}}) {
      Tensor part = s(slice(x, 1, begin, end), {}, &caches).output.value();
      CHECK(max_abs_difference(part, all.slice(1, begin, end)) < 1e-12);
    }
  }
  nn::TransformerOptions o = small_transformer();
  for (const char* name : {"value_residual", "score_residual", "attention_gate", "head_scale"})
    o.around[name].on = true;
  auto m = make<nn::Transformer>(o, 1);
  CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
}
