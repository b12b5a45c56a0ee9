// Cases of nn/attention/structures/, nn/attention/positions/ and nn/pooling/.
#include <fmt/format.h>

#include "autograd/cases/layouts.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/t5.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/structures/feature_wise.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/attention/structures/structured.h"
#include "nn/cases/examples.h"
#include "nn/pool.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

CaseRow multi_head() {
  using M = nn::MultiHeadAttention;
  auto self = [](const nn::HeadMasks& masks) { return [masks](M& m, In in) { return both(m(in[0], masks)); }; };
  auto causal = [](M& m, In in) { return both(m(in[0], {.words = words()})); };
  auto cross = [](M& m, In in) { return both(m(in[0], in[1], in[2], {.words = words()})); };
  auto shared = [](M& m, In in) { return both(m(in[0], in[1], in[1])); };
  auto biased = [](M& m, In in) { return both(m(in[0], {.bias = in[1]})); };
  nn::MultiHeadOptions two{.model = 4, .heads = 2}, widths{.model = 4, .heads = 2, .key = 3, .value = 5},
      bare{.model = 4, .heads = 2, .bias = false}, dropping{.model = 4, .heads = 2, .dropout = 0.4},
      past{.model = 4, .heads = 2, .scope = {.name = "causal"}};
  nn::MultiHeadOptions grouped{.model = 8, .heads = 4, .kv_heads = 2}, turned = two, placed = two, chunks = two,
                                                                       normed = two, normed_turned = grouped;
  turned.position.name = "rope", placed.position = {.name = "shaw", .settings = {{"max_distance", 1}}};
  chunks.evaluator = {.name = "chunked", .settings = {{"chunk", 2}}}, normed.around = {{"query_key_norm"}};
  normed_turned.position.name = "rope_interleaved", normed_turned.around = {{"query_key_norm"}};
  nn::MultiHeadOptions gated = two, scaled = two;
  gated.around = {{"attention_gate"}}, scaled.around = {{"head_scale"}, {"pruned_heads", "0.1"}};
  auto weighed = [](M& m, In in) { return m(in[0], {.heads = in[1]}).output; };
  const nn::HeadMasks shown{.weights = true};
  std::vector<Shape> x{{2, 3, 4}}, wide{{2, 3, 8}};
  return nn::module_row(
      "MultiHeadAttention",
      {module_case<M>("self", two, x, self({})),
       module_case<M>("self, weights shown", two, x, self(shown)),
       module_case<M>("self, no words, weights shown", two, x, self({.words = no_words(), .weights = true})),
       module_case<M>("self, two heads a group of keys", grouped, wide, self({.words = words()})),
       module_case<M>("self, two heads a group of keys, weights shown", grouped, wide, self(shown)),
       module_case<M>("self, rope", turned, x, self({.places = {.first_query = 2, .first_key = 2}})),
       module_case<M>("self, shaw", placed, x, self({.words = words()})),
       module_case<M>("self, chunked", chunks, x, self({.words = words()})),
       module_case<M>("self, norm of queries and keys", normed, x, self({})),
       module_case<M>("self, groups, norm and rope interleaved", normed_turned, wide, self({})),
       module_case<M>("self, words", two, x, self({.words = words()})),
       module_case<M>("self, gated", gated, x, self({.words = words()})),
       module_case<M>("self, a scale of each head, one head pruned", scaled, x, self({})),
       module_case<M>("self, a factor of each head and sentence", two, {{2, 3, 4}, {2, 2}}, weighed),
       module_case<M>("self, a sentence without words", two, x, self({.words = no_words()})),
       module_case<M>("self, causal, words", past, x, causal),
       module_case<M>("self, a bias on the scores of each sentence", two, {{2, 3, 4}, {2, 1, 3}}, biased),
       module_case<M>("self, a bias on the scores of each head", two, {{2, 3, 4}, {1, 2, 3, 3}}, biased),
       module_case<M>("self, no bias", bare, x, self({})),
       module_case<M>("self, dropout", dropping, x, self({})),
       module_case<M>("cross, keys are values", two, {{2, 2, 4}, {2, 3, 4}}, shared),
       module_case<M>("cross, three widths", widths, {{2, 2, 4}, {2, 3, 3}, {2, 3, 5}}, cross)});
}

CaseRow feature_wise() {
  using M = nn::FeatureWiseAttention;
  const std::vector<Shape> data{{2, 2, 2}, {2, 3, 3}, {2, 3, 2}};
  auto call = [](const Tensor& allowed) {
    return [allowed](M& m, In in) { return both(m(in[0], in[1], in[2], allowed)); };
  };
  M::Options options{.query = 2, .key = 3, .value = 2}, alone{.query = 0, .key = 3, .value = 2};
  return nn::module_row("FeatureWiseAttention",
                        {module_case<M>("T 2, S 3", options, data, call({})),
                         module_case<M>("T 2, S 3, a key masked", options, data, call(words().unsqueeze(1))),
                         module_case<M>("T 2, S 3, no words", options, data, call(no_words().unsqueeze(1))),
                         module_case<M>("no queries", alone, {{2, 3, 3}, {2, 3, 2}},
                                        [](M& m, In in) { return both(m({}, in[0], in[1])); })});
}

CaseRow linear_attention() {
  using M = nn::MultiHeadAttention;
  nn::MultiHeadOptions whole{.model = 4, .heads = 2, .evaluator = {.name = "linear", .settings = {{"chunk", 2}}}},
      past = whole, grouped = whole;
  past.scope.name = grouped.scope.name = "causal", past.position.name = "rope", grouped.kv_heads = 1;
  std::vector<Shape> x{{2, 3, 4}};
  auto self = [](const nn::HeadMasks& masks) { return [masks](M& m, In in) { return both(m(in[0], masks)); }; };
  auto decoded = [](M& m, In in) {  // the running state carries gradients
    auto memory = m.memory();
    std::vector<Variable> outputs;
    for (int64_t t = 0; t < 3; ++t)
      outputs.push_back(m.extend(slice(in[0], 1, t, t + 1), *memory, {.words = words().slice(1, 0, t + 1)}).output);
    return concat(outputs, 1);
  };
  return nn::module_row("linear attention",
                        {module_case<M>("all words", whole, x, self({})),
                         module_case<M>("all words, a sentence without words", whole, x, self({.words = no_words()})),
                         module_case<M>("weights shown", whole, x, self({.words = words(), .weights = true})),
                         module_case<M>("causal, rope", past, x, self({.words = words()})),
                         module_case<M>("causal, a group of keys", grouped, x, self({})),
                         module_case<M>("causal, word by word", grouped, x, decoded)});
}

CaseRow differential_attention() {
  using M = nn::MultiHeadAttention;
  nn::MultiHeadOptions whole{.model = 8, .heads = 2, .evaluator = {.name = "differential"}}, past = whole;
  past.scope.name = "causal", past.kv_heads = 1, past.evaluator.settings["layer"] = 3;
  std::vector<Shape> x{{2, 3, 8}};
  auto self = [](const nn::HeadMasks& masks) { return [masks](M& m, In in) { return both(m(in[0], masks)); }; };
  return nn::module_row(
      "differential attention",
      {module_case<M>("all words", whole, x, self({})),
       module_case<M>("weights shown", whole, x, self({.words = words(), .weights = true})),
       module_case<M>("causal, a group of keys, a sentence without words", past, x, self({.words = no_words()}))});
}

CaseRow rope(const std::string& name, Variable (*f)(const Variable&, const nn::RopeOptions&)) {
  std::vector<BaseCase> bases;
  for (nn::RopeLayout layout : {nn::RopeLayout::halves, nn::RopeLayout::interleaved})
    for (bool back : {false, true})
      bases.push_back({.label = fmt::format("{}{}", layout == nn::RopeLayout::halves ? "halves" : "interleaved",
                                            back ? ", back" : ""),
                       .shapes = {{2, 3, 2, 4}},
                       .f = [=](In in) { return f(in[0], {.layout = layout, .first = 62, .back = back}); }});
  return nn::module_row(name, over_layouts(bases));
}

CaseRow t5_bias() {
  std::vector<Case> cases;
  for (bool bidirectional : {true, false})
    cases.push_back(module_case<nn::T5Bias>(
        bidirectional ? "both directions" : "what came before",
        {.settings = {{"buckets", 6}, {"max_distance", 5}}, .heads = 2, .causal = !bidirectional}, {},
        [](nn::T5Bias& m, In) { return m({.queries = 4, .keys = 6, .first_query = 2}); }));
  return nn::module_row("T5Bias", std::move(cases));
}

// The query with u, and the scores that it gets: [B, T, H, K] and [B, H, T, S].
CaseRow xl_positions() {
  auto call = [](const nn::Places& places) {
    return [places](nn::XLPositions& m, In in) {
      Variable turned = m.turn_query(in[0], places);
      return nn::together({turned, m.bias(transpose(turned, 1, 2), places, 0.7)});
    };
  };
  using M = nn::XLPositions;
  nn::HeadPositionOptions options{.key = 2, .heads = 2};
  nn::Places apart{.queries = 3, .keys = 4};
  apart.key_at = Tensor::from(std::vector<int64_t>{0, 0, 1, 2, 3, 1, 0, 7}, {2, 4});
  return nn::module_row(
      "XLPositions",
      {module_case<M>("after two words", options, {{2, 3, 2, 2}}, call({.queries = 3, .keys = 5, .first_query = 2})),
       module_case<M>("one query", options, {{2, 1, 2, 2}}, call({.queries = 1, .keys = 4, .first_query = 3})),
       module_case<M>("a place for each key", options, {{2, 3, 2, 2}}, call(apart))});
}

CaseRow key_value() {
  auto call = [](nn::KeyValueAttention& m, In in) {
    nn::KeyValueOutput y = m(in[0]);
    return nn::together({y.output, y.context, y.weights});
  };
  std::vector<Case> cases;
  for (int64_t parts : {1, 2, 3})
    cases.push_back(module_case<nn::KeyValueAttention>(
        std::to_string(parts) + " parts",
        {.width = 6, .parts = parts, .window = 2, .score = {.settings = {{"width", 2}}}}, {{2, 4, 6}}, call));
  return nn::module_row("KeyValueAttention", std::move(cases));
}

// Two documents of three sentences, one of which has no words.
CaseRow hierarchical() {
  auto call = [](nn::HierarchicalAttention& m, In) {
    Tensor ids = Tensor::from(std::vector<int64_t>{1, 2, 3, 4, 0, 0, 2, 2, 0, 0, 0, 0}, {2, 3, 2});
    nn::DocumentRead y = m(ids, Tensor::from(std::vector<int64_t>{2, 1, 2, 0, 1, 0}, {2, 3}));
    return nn::together({y.document, y.words, y.sentences});
  };
  return nn::module_row(
      "HierarchicalAttention",
      {module_case<nn::HierarchicalAttention>(
          "B 2, M 3, L 2", {.vocabulary = 5, .embedding = 2, .hidden = 2, .attention = 2}, {}, call)});
}

CaseRow structured() {
  auto call = [](const Tensor& mask) {
    return [mask](nn::StructuredEmbedding& m, In in) {
      nn::Attended seen = m(in[0], mask);
      return nn::together({seen.context, seen.weights, nn::redundancy(seen.weights)});
    };
  };
  nn::StructuredOptions options{.input = 3, .hidden = 4, .rows = 2};
  using M = nn::StructuredEmbedding;
  return nn::module_row("StructuredEmbedding", {module_case<M>("[2, 3, 3]", options, {{2, 3, 3}}, call({})),
                                                module_case<M>("[2, 3, 3], words", options, {{2, 3, 3}}, call(words())),
                                                module_case<M>("[2, 3, 3], a sentence without words", options,
                                                               {{2, 3, 3}}, call(no_words()))});
}

CaseRow learned_positions() {
  auto call = [](nn::LearnedPositions& m, In in) { return m(in[0], 1); };
  return nn::module_row("LearnedPositions", {module_case<nn::LearnedPositions>(
                                                "[2, 3, 4] from 1", {.positions = 4, .width = 4}, {{2, 3, 4}}, call)});
}

CaseRow sinusoidal_positions() {
  auto call = [](nn::SinusoidalPositions& m, In in) { return m(in[0], 1); };
  std::vector<Case> cases;
  for (auto layout : {nn::SinusoidalLayout::interleaved, nn::SinusoidalLayout::halves})
    cases.push_back(
        module_case<nn::SinusoidalPositions>(layout == nn::SinusoidalLayout::halves ? "halves" : "interleaved",
                                             {.width = 4, .layout = layout}, {{2, 3, 4}}, call));
  return nn::module_row("SinusoidalPositions", std::move(cases));
}

CaseRow pools() {
  struct Mask {
    std::string label;
    Tensor words;
  };
  std::vector<BaseCase> bases;
  for (const char* name :
       {"cls", "lasttoken", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "sum", "position_encoding"})
    for (const Mask& mask : {Mask{"", {}}, Mask{", words", words()}, Mask{", a sentence without words", no_words()}})
      bases.push_back({.label = name + mask.label,
                       .shapes = {{2, 3, 2}},
                       .f = [name, mask](In in) { return nn::pool(name, in[0], mask.words); },
                       .sampler = all_distinct,
                       .expandable = std::string(name) != "max"});
  return nn::module_row("pool", over_layouts(bases));
}

CaseRow pooling() {
  auto call = [](nn::Pooling& m, In in) { return m(in[0], words()); };
  return nn::module_row(
      "Pooling",
      {module_case<nn::Pooling>("attention and mean", {.modes = {"attention", "mean"}, .width = 2}, {{2, 3, 2}}, call),
       module_case<nn::Pooling>("structured", {.modes = {"structured:rows=2,hidden=2"}, .width = 2}, {{2, 3, 2}}, call),
       module_case<nn::Pooling>("hierarchical", {.modes = {"hierarchical:segment=2,hidden=1"}, .width = 2}, {{2, 3, 2}},
                                call)});
}

CaseRow attention_pooling() {
  using M = nn::AttentionPooling;
  auto learned = [](M& m, In in) { return both(m(in[0], in[1], words())); };
  auto asked = [](M& m, In in) { return both(m.ask(in[0], in[1], in[1], no_words())); };
  return nn::module_row(
      "AttentionPooling",
      {module_case<M>("dot, 2 rows", {.score = {.name = "dot", .query = 3, .key = 3}, .rows = 2},
                      {{2, 3, 3}, {2, 3, 2}}, learned),
       module_case<M>("additive", {.score = {.name = "additive", .query = 2, .key = 3, .settings = {{"width", 2}}}},
                      {{2, 3, 3}, {2, 3, 2}}, learned),
       module_case<M>("asked", {.score = {.name = "dot", .query = 3, .key = 3}, .learned = false},
                      {{2, 2, 3}, {2, 3, 3}}, asked)});
}

CaseRow multi_head_pooling() {
  auto call = [](nn::MultiHeadPooling& m, In in) { return both(m(in[0], words())); };
  return nn::module_row("MultiHeadPooling",
                        {module_case<nn::MultiHeadPooling>(
                            "2 seeds", {.model = 4, .heads = 2, .seeds = 2, .feedforward = 3}, {{2, 3, 4}}, call)});
}

CaseRow lstmn() {
  auto whole = [](nn::LSTMN& m, In in) {
    nn::LSTMN::Sequence s = m(in[0], Tensor::from(std::vector<int64_t>{3, 2}, {2}));
    return nn::together({s.h, s.c, s.last.h, s.last.c});
  };
  return nn::module_row(
      "LSTMN", {module_case<nn::LSTMN>("T 3", {.input = 2, .hidden = 2}, {{2, 3, 2}}, whole),
                module_case<nn::LSTMN>("T 3, a tape of 1", {.input = 2, .hidden = 2, .tape = 1}, {{2, 3, 2}}, whole)});
}

// Two steps over a source of three positions, from a given state: x [2, 2, 2], the source's h and c [2, 3, 2].
CaseRow lstmn_decoder() {
  auto steps = [](nn::LSTMNDecoder& m, In in) {
    nn::SourceTape source = m.remember({.h = in[1], .c = in[2], .last = {}});
    nn::FusionState state = m.begin({select(in[1], 1, 2), select(in[2], 1, 2)});
    std::vector<Variable> h;
    for (const Variable& x : unstack(in[0], 1)) h.push_back(m.step(x, source, state));
    return nn::together(h);
  };
  std::vector<Case> cases;
  for (const char* fusion : {"none", "shallow", "deep"})
    cases.push_back(module_case<nn::LSTMNDecoder>(fusion, {.input = 2, .hidden = 2, .fusion = fusion},
                                                  {{2, 2, 2}, {2, 3, 2}, {2, 3, 2}}, steps));
  return nn::module_row("LSTMNDecoder", std::move(cases));
}

}  // namespace

std::vector<CaseRow> structure_cases() {
  return {multi_head(),
          feature_wise(),
          linear_attention(),
          differential_attention(),
          rope("rotate_pairs", nn::rotate_pairs),
          rope("rotate_pairs_composed", nn::rotate_pairs_composed),
          t5_bias(),
          xl_positions(),
          key_value(),
          hierarchical(),
          structured(),
          learned_positions(),
          sinusoidal_positions(),
          pools(),
          attention_pooling(),
          pooling(),
          multi_head_pooling(),
          lstmn(),
          lstmn_decoder()};
}

}  // namespace heed
