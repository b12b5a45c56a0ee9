// Properties of structures that attend to something other than words: several sources, episodes, areas, pictures,
// prefixes, edges.
#include <cmath>

#include "nn/attention/structures/dynamic_memory.h"
#include "nn/attention/structures/sagan.h"
#include "nn/attention/structures/squeeze_excite.h"
#include "nn/pooling/episode_poolings.h"
#include "nn/zoo/area_attention.h"
#include "nn/zoo/edge_attention.h"
#include "nn/zoo/multi_source.h"
#include "nn/zoo/prefix.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

Variable words(int64_t count = 5, uint64_t seed = 1) { return Variable(random({2, count, kWidth}, seed, kF64)); }
Tensor open() { return Tensor::from_bools({1, 1, 0, 1, 1, 0, 1, 1, 0, 1}, {2, 1, 5}); }

Variable additive(const Variable& q, const Variable& k, const Variable& v) {
  return sum(tanh(unsqueeze(q, 2) + unsqueeze(k, 1)) * v, {-1});
}

// With one source it is additive attention, in the flat and in the hierarchical form.
PROPERTY(one_source_is_ordinary_attention) {
  Ask ask = small_ask();
  for (bool hierarchical : {false, true}) {
    auto m =
        built<nn::MultiSourceAttention>({.query = kWidth, .keys = {kWidth}, .width = 3, .hierarchical = hierarchical});
    Variable e = additive(m.query(ask.query), m.key[0](ask.keys), m.v);
    nn::Attended wanted = nn::attend(e, m.value[0](ask.keys), open());
    nn::MultiSourceAttended seen = m(ask.query, {{ask.keys, open()}});
    CHECK(max_abs_difference(seen.context.value(), wanted.context.value()) < 1e-14);
    CHECK(max_abs_difference(seen.weights[0].value(), wanted.weights.value()) < 1e-14);
    CHECK(max_abs_difference(seen.sources.value(), Tensor::ones({2, 3, 1}, kF64)) < 1e-14);
  }
}

const nn::MultiSourceOptions kTwo{.query = kWidth, .keys = {kWidth, kWidth}, .width = 3};

// In the flat form the words of all sources compete in one softmax, as if the sources were joined.
PROPERTY(flat_is_one_softmax) {
  Ask ask = small_ask();
  auto m = built<nn::MultiSourceAttention>(kTwo);
  Variable other = words(2, 5), q = m.query(ask.query);
  Variable e = concat({additive(q, m.key[0](ask.keys), m.v), additive(q, m.key[1](other), m.v)}, -1), w = softmax(e);
  nn::MultiSourceAttended seen = m(ask.query, {{ask.keys, {}}, {other, {}}});
  CHECK(max_abs_difference(concat(seen.weights, -1).value(), w.value()) < 1e-14);
  Variable wanted = matmul(w, concat({m.value[0](ask.keys), m.value[1](other)}, 1));
  CHECK(max_abs_difference(seen.context.value(), wanted.value()) < 1e-14);
  CHECK(max_abs_difference(sum(seen.sources.value(), {2}), Tensor::ones({2, 3}, kF64)) < 1e-14);
}

// In the hierarchical form a second softmax weighs what was read from each source; a source without words
// has no share.
PROPERTY(hierarchical_chooses_a_source) {
  Ask ask = small_ask();
  nn::MultiSourceOptions o = kTwo;
  o.hierarchical = true;
  auto m = built<nn::MultiSourceAttention>(o);
  Variable other = words(2, 5), q = m.query(ask.query);
  Variable c0 = matmul(softmax(additive(q, m.key[0](ask.keys), m.v)), ask.keys);
  Variable c1 = matmul(softmax(additive(q, m.key[1](other), m.v)), other), asked = m.chooser[0](ask.query);
  Variable f = stack(
      {sum(tanh(asked + m.source[0](c0)) * m.chooser_v, {-1}), sum(tanh(asked + m.source[1](c1)) * m.chooser_v, {-1})},
      -1);
  Variable b = softmax(f);
  Variable wanted = slice(b, 2, 0, 1) * m.value[0](c0) + slice(b, 2, 1, 2) * m.value[1](c1);
  nn::MultiSourceAttended seen = m(ask.query, {{ask.keys, {}}, {other, {}}});
  CHECK(max_abs_difference(seen.context.value(), wanted.value()) < 1e-14);
  CHECK(max_abs_difference(sum(concat(seen.weights, -1).value(), {2}), Tensor::ones({2, 3}, kF64)) < 1e-14);
  // A source without words has no share.
  Tensor none = Tensor::zeros({2, 1, 2}, DType::boolean);
  nn::MultiSourceAttended one = m(ask.query, {{ask.keys, {}}, {other, none}});
  CHECK(max_abs_difference(one.context.value(), m.value[0](c0).value()) < 1e-14);
  CHECK(all_zero(one.sources.value().select(2, 1)));
}

nn::DynamicMemory episodes(int64_t passes = 3) {
  return built<nn::DynamicMemory>({.width = kWidth, .passes = passes, .hidden = 3});
}
Variable question() { return Variable(random({2, kWidth}, 6, kF64)); }

// With closed gates nothing is read; with open ones an episode is the last state of the recurrent network.
PROPERTY(closed_gates_read_nothing) {
  nn::DynamicMemory m = episodes(1);
  Tensor none = Tensor::zeros({2, 5}, DType::boolean);
  nn::Episodes seen = m(words(), question(), none);
  CHECK(all_zero(seen.episodes.value()));
  CHECK(all_zero(seen.gates.value()));
  CHECK(max_abs_difference(seen.memory.value(), m.writer(question() * 0, question()).value()) < 1e-15);
  m.gate.weight.set_value(Tensor::zeros({1, 3}, kF64));
  m.gate.bias.set_value(Tensor::full({1}, 800, kF64));  // open gates: the last state of the recurrent network
  Variable h = question() * 0;
  for (int64_t s = 0; s < 5; ++s) h = m.reader(select(words(), 1, s), h);
  CHECK(max_abs_difference(m(words(), question()).episodes.value().select(1, 0), h.value()) < 1e-15);
}

// Each gate is the network of similarities of a fact with the question and the memory, written out by hand.
PROPERTY(gates_by_hand) {
  nn::DynamicMemory m = episodes(2);
  nn::Episodes seen = m(words(), question());
  Variable memory = m.writer(select(seen.episodes, 1, 0), question()), q = question();
  for (int64_t pass = 0; pass < 2; ++pass) {
    Variable now = pass == 0 ? q : memory;
    for (int64_t s = 0; s < 5; ++s) {
      Variable c = select(words(), 1, s);
      Variable z = concat({c, now, q, c * q, c * now, abs(c - q), abs(c - now), sum(c * m.similarity(q), {-1}, true),
                           sum(c * m.similarity(now), {-1}, true)},
                          -1);
      Tensor wanted = sigmoid(m.gate(tanh(m.hidden(z)))).value().select(1, 0);
      CHECK(max_abs_difference(seen.gates.value().select(1, pass).select(1, s), wanted) < 1e-14);
    }
  }
}

// The second pass has other gates than the first, since it reads with the memory that the first has written.
PROPERTY(second_pass_knows_the_first) {
  nn::Episodes one = episodes(1)(words(), question()), two = episodes(2)(words(), question());
  CHECK(bit_equal(two.gates.value().select(1, 0), one.gates.value().select(1, 0)));
  CHECK(max_abs_difference(two.gates.value().select(1, 1), two.gates.value().select(1, 0)) > 1e-4);
  nn::DynamicMemory m = episodes(2);
  Variable wanted = m.writer(select(two.episodes, 1, 1), one.memory);
  CHECK(max_abs_difference(two.memory.value(), wanted.value()) < 1e-15);
}

// In the first pass, reversing the facts only reverses the gates, but it changes the memory: the recurrent network
// reads them in order.
PROPERTY(order_of_facts_counts) {
  Tensor turned = flip(words().value(), {1});
  nn::DynamicMemory m = episodes(1);
  nn::Episodes a = m(words(), question()), b = m(Variable(turned), question());
  CHECK(max_abs_difference(flip(b.gates.value(), {2}), a.gates.value()) < 1e-15);  // a gate depends on its fact alone
  CHECK(max_abs_difference(a.memory.value(), b.memory.value()) > 1e-4);
}

// With areas of one word it is scaled dot-product attention: areas of several words are all that was added.
PROPERTY(area_of_one_is_ordinary) {
  Ask ask = small_ask();
  nn::Attended wanted = nn::attend(matmul(ask.query, transpose(ask.keys, 1, 2)) / 2, ask.values, open());
  nn::AreaAttended seen = nn::area_attention(ask.query, ask.keys, ask.values, 1, open());
  CHECK(max_abs_difference(seen.context.value(), wanted.context.value()) < 1e-15);
  CHECK(max_abs_difference(seen.shares.value(), wanted.weights.value()) < 1e-15);
}

// An area has the mean of its keys and the sum of its values, as in an example worked out by hand.
PROPERTY(areas_by_hand) {
  Variable q = of({2}, {1, 1, 1}), k = of({1, 2, 0}, {1, 3, 1}), v = of({1, 10, 100}, {1, 3, 1});
  nn::AreaAttended seen = nn::area_attention(q, k, v, 2);
  std::vector<double> e{2, 4, 0, 3, 2}, values{1, 10, 100, 11, 110};  // two runs of two words: means 1.5 and 1
  double total = 0, context = 0;
  for (double x : e) total += std::exp(x);
  for (size_t i = 0; i < 5; ++i) {
    context += std::exp(e[i]) / total * values[i];
    CHECK(seen.weights.value().at({0, 0, static_cast<int64_t>(i)}) == doctest::Approx(std::exp(e[i]) / total));
  }
  CHECK(seen.context.value().item() == doctest::Approx(context).epsilon(1e-12));
  CHECK(seen.shares.value().at({0, 0, 1}) == doctest::Approx((std::exp(4.0) + std::exp(3.0) + std::exp(2.0)) / total));
  CHECK(seen.context.value().item() == doctest::Approx(matmul(seen.shares, v).value().item()));
}

// An area that contains a masked word has no weight, so no area reaches across a mask.
PROPERTY(runs_do_not_cross_a_mask) {
  Ask ask = small_ask();
  nn::AreaAttended seen = nn::area_attention(ask.query, ask.keys, ask.values, 3, open());
  Tensor w = seen.weights.value();  // 5 words, 4 runs of two, 3 of three; sentence 0 has all but word 2
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t i : {2, 6, 7, 9, 10, 11}) CHECK(w.at({0, t, i}) == 0);
    CHECK(w.at({0, t, 5}) > 0);
    CHECK(w.at({0, t, 8}) > 0);
    CHECK(w.at({1, t, 6}) > 0);  // words 1 and 2 of sentence 1
  }
  CHECK(max_abs_difference(sum(w, {2}), Tensor::ones({2, 3}, kF64)) < 1e-14);
}

// Its gate begins at zero, so the layer returns its input, but the gate has a gradient and can open.
PROPERTY(gate_of_zero_is_the_identity) {
  auto m = built<nn::SaganAttention>({.width = kWidth, .reduction = 2});
  CHECK(bit_equal(m(words()).output.value(), words().value()));
  Variable y = m(words()).output;
  backward(weighted_sum(y));
  CHECK_FALSE(all_zero(m.gamma.grad()));  // so that it can learn
  m.gamma.set_value(Tensor::full({1}, 0.5, kF64));
  CHECK(max_abs_difference(m(words()).output.value(), (words() + m(words()).read * 0.5).value()) < 1e-15);
}

// Reordering the places reorders the outputs in the same way: to this layer a picture is a set of places.
PROPERTY(places_have_no_order) {
  auto m = built<nn::SaganAttention>({.width = kWidth, .reduction = 2});
  m.gamma.set_value(Tensor::ones({1}, kF64));
  Tensor turned = flip(words().value(), {1});
  CHECK(max_abs_difference(m(Variable(turned)).output.value(), flip(m(words()).output.value(), {1})) < 1e-14);
}

// What is read agrees with the formula, line by line, with the narrower queries and keys of the paper.
PROPERTY(sagan_by_its_lines) {
  auto m = built<nn::SaganAttention>({.width = kWidth, .reduction = 2});
  Variable x = words(), w = softmax(matmul(m.query(x), transpose(m.key(x), 1, 2)));
  CHECK(max_abs_difference(m(x).read.value(), m.back(matmul(w, m.value(x))).value()) < 1e-14);
  CHECK(m.query.weight.shape() == Shape{2, kWidth});
}

// Each channel is multiplied by one gate, computed from the means of all channels; with weights of zero all gates
// are one half.
PROPERTY(channels_are_gated) {
  auto m = built<nn::SqueezeExcite>({.width = kWidth, .reduction = 2});
  Variable x = words(), s = sigmoid(m.excite(relu(m.squeeze_in(mean(x, {1})))));
  CHECK(max_abs_difference(m(x).value(), (x * unsqueeze(s, 1)).value()) < 1e-15);
  m.excite.weight.set_value(Tensor::zeros({kWidth, 2}, kF64));
  m.excite.bias.set_value(Tensor::zeros({kWidth}, kF64));
  CHECK(bit_equal(m(x).value(), (x * 0.5).value()));
}

// The gates of a padded sentence are those that it has alone, even if the padding holds NaN.
PROPERTY(gates_do_not_read_padding) {
  auto m = built<nn::SqueezeExcite>({.width = kWidth, .reduction = 2});
  Tensor there = Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 0, 0}, {2, 5}), other = words().value().clone();
  for (int64_t d = 0; d < kWidth; ++d) other.set({0, 3, d}, NAN), other.set({1, 4, d}, 1e9);
  CHECK(bit_equal(m.gates(Variable(other), there).value(), m.gates(words(), there).value()));
  CHECK(max_abs_difference(m.gates(words(), there).value(), m.gates(slice(words(), 1, 0, 3)).value()) < 1e-15);
}

nn::PrefixAttention prefixed() { return built<nn::PrefixAttention>({.model = kWidth, .heads = 2, .prefixes = 3}); }

// With its prefixes masked it is the model without prefixes; with them it is another.
PROPERTY(masked_prefixes_are_the_model) {
  nn::PrefixAttention m = prefixed();
  Tensor base = m.attention(words(), {.allowed = open(), .weights = true}).output.value();
  CHECK(max_abs_difference(m(words(), words(), open(), true).output.value(), base) < 1e-14);
  CHECK(all_zero(m(words(), words(), open(), true).weights.value().slice(3, 0, 3)));
  CHECK(max_abs_difference(m(words(), words(), open()).output.value(), base) > 1e-3);
}

// Prefixes of zero are not absent: each has the score 0 and takes weight from the words.
PROPERTY(zero_prefixes_take_weight) {
  nn::PrefixAttention m = prefixed();
  for (Variable* p : {&m.keys, &m.values}) p->set_value(Tensor::zeros(p->shape(), kF64));
  Tensor base = m.attention(words()).output.value();
  nn::MultiHeadOutput seen = m(words(), words());
  CHECK(max_abs_difference(seen.output.value(), base) > 1e-3);
  Tensor w = seen.weights.value();  // a score of 0 for each of the three
  double left = 1 - w.at({0, 0, 2, 0}) * 3, own = 0;
  for (int64_t s = 0; s < 5; ++s) own += w.at({0, 0, 2, 3 + s});
  CHECK(own == doctest::Approx(left));
  CHECK(w.at({0, 0, 2, 0}) == w.at({0, 0, 2, 2}));
}

// Prefixes are nothing but learned keys and values before those of the words, and training reaches them.
PROPERTY(prefixes_are_further_keys) {
  nn::PrefixAttention m = prefixed();
  Variable k = m.attention.remember(words(), words()).keys, v = m.attention.remember(words(), words()).values;
  nn::HeadMemory all{concat({expand(m.keys, {2, 2, 3, 2}), k}, 2), concat({expand(m.values, {2, 2, 3, 2}), v}, 2), {}};
  CHECK(bit_equal(m(words(), words()).output.value(), m.attention(words(), all, {.weights = true}).output.value()));
  backward(weighted_sum(m(words(), words()).output));
  CHECK_FALSE(all_zero(m.keys.grad()));
  CHECK_FALSE(all_zero(m.values.grad()));
}

nn::EdgeAttention edges(int64_t labels = 3) {
  return built<nn::EdgeAttention>({.model = kWidth, .heads = 2, .labels = labels});
}
Tensor labels(const std::function<int64_t(int64_t, int64_t)>& of_pair) {
  std::vector<int64_t> all;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 5; ++t)
      for (int64_t s = 0; s < 5; ++s) all.push_back(of_pair(t, s));
  return Tensor::from(all, {2, 5, 5});
}
// The same weights in multi-head attention, with a position in it or none.
nn::MultiHeadAttention twin(const nn::EdgeAttention& m, const std::string& position) {
  nn::MultiHeadOptions o{.model = kWidth, .heads = 2, .bias = false};
  if (!position.empty()) o.position = {.name = position, .settings = {{"max_distance", 1}}};
  auto heads = built<nn::MultiHeadAttention>(o);
  heads.in_proj_weight.set_value(m.input.weight.value());
  heads.out_proj.weight.set_value(m.output.weight.value());
  return heads;
}

// With tables of zero it is multi-head attention: the vectors of the labels are all that was added.
PROPERTY(no_relations_is_plain_attention) {
  nn::EdgeAttention m = edges();
  for (Variable* table : {&m.of_key, &m.of_value}) table->set_value(Tensor::zeros(table->shape(), kF64));
  Tensor some = labels([](int64_t t, int64_t s) { return (t * 2 + s) % 3; });
  Tensor wanted = twin(m, "")(words(), {.allowed = open(), .weights = true}).output.value();
  CHECK(max_abs_difference(m(words(), some, open()).context.value(), wanted) < 1e-14);
}

// With clipped distances as labels it is the relative attention of Shaw et al.: distances are one kind of label.
PROPERTY(distances_as_labels_are_shaw) {
  nn::EdgeAttention m = edges();
  nn::MultiHeadAttention shaw = twin(m, "shaw");
  for (auto& p : nn::named_parameters(shaw)) {
    if (p.name.ends_with("position.keys")) p.variable.set_value(m.of_key.value());
    if (p.name.ends_with("position.values")) p.variable.set_value(m.of_value.value());
  }
  Tensor far = labels([](int64_t t, int64_t s) { return std::clamp<int64_t>(s - t, -1, 1) + 1; });
  CHECK(max_abs_difference(m(words(), far).context.value(), shaw(words(), {.weights = true}).output.value()) < 1e-14);
}

// The vector of a pair's label is added to its key and to its value, as loops compute it.
PROPERTY(labels_by_the_loop) {
  nn::EdgeAttention m = built<nn::EdgeAttention>({.model = kWidth, .heads = 1, .labels = 3});
  auto label = [](int64_t t, int64_t s) { return (t * 2 + s * s) % 3; };
  Tensor qkv = m.input(words()).value(), a = m.of_key.value(), b = m.of_value.value(),
         c = Tensor::zeros({2, 5, kWidth}, kF64);
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t t = 0; t < 5; ++t) {
      double p[5], total = 0;
      for (int64_t s = 0; s < 5; ++s) {
        double e = 0;
        for (int64_t d = 0; d < kWidth; ++d)
          e += qkv.at({n, t, d}) * (qkv.at({n, s, kWidth + d}) + a.at({label(t, s), d}));
        total += p[s] = std::exp(e / 2);
      }
      for (int64_t d = 0; d < kWidth; ++d) {
        double read = 0;
        for (int64_t s = 0; s < 5; ++s)
          read += p[s] / total * (qkv.at({n, s, 2 * kWidth + d}) + b.at({label(t, s), d}));
        c.set({n, t, d}, read);
      }
    }
  CHECK(max_abs_difference(m(words(), labels(label)).context.value(), m.output(Variable(c)).value()) < 1e-13);
}

}  // namespace
}  // namespace heed::nn_test
