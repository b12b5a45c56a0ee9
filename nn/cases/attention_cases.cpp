// Cases of nn/attention/, and of the encoder-decoder that uses it.
#include <cmath>

#include "autograd/cases/layouts.h"
#include "nn/attention/attention.h"
#include "nn/attention/coverage.h"
#include "nn/attention/readers/hard.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/cases/examples.h"
#include "nn/cases/small_stages.h"
#include "nn/catalogue/catalogue.h"
#include "nn/models/attention_decoder.h"
#include "nn/models/seq2seq.h"
#include "nn/output_heads/copynet.h"
#include "nn/output_heads/pointer.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/output_heads/softmax_head.h"
#include "nn/penalties.h"
#include "tensor/compare.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

CaseRow attend() {
  struct Mask {
    std::string label;
    Tensor allowed;
  };
  const std::vector<Mask> masks = {
      {"", {}},
      {" keys", Tensor::from_bools({1, 1, 0, 1, 0, 1}, {2, 1, 3})},
      {" causal", Tensor::from_bools({1, 0, 0, 1, 1, 0}, {2, 3})},
      {" a row that may look at nothing", Tensor::from_bools({1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 1}, {2, 2, 3})}};
  std::vector<BaseCase> bases;
  for (const auto& [label, allowed] : masks)
    bases.push_back({.label = "[2, 2, 3] [2, 3, 2]" + label,
                     .shapes = {{2, 2, 3}, {2, 3, 2}},
                     .f = [mask = allowed](In in) { return both(nn::attend(in[0], in[1], mask)); }});
  return nn::module_row("attend", over_layouts(bases));
}

// An Attention with the given options, on T 2 and S 3: without a mask, with one key masked, and with a row in which
// every key is masked.
CaseRow stages(const std::string& name, const nn::AttentionOptions& options, int64_t T = 2) {
  auto call = [](const Tensor& allowed) {  // in: queries, keys, values
    return [allowed](nn::Attention& m, In in) {
      nn::Memory memory = m.remember(in[1], in[2]);
      memory.allowed = allowed;
      return both(m(in[0], memory));
    };
  };
  std::vector<Shape> data{{2, T, options.score.query}, {2, 3, options.score.key}, {2, 3, 2}};
  Tensor keys = Tensor::from_bools({1, 1, 0, 1, 1, 1}, {2, 1, 3}),
         none = Tensor::from_bools({0, 0, 0, 1, 0, 1}, {2, 1, 3});
  std::string sizes = "T " + std::to_string(T) + ", S 3";
  return nn::module_row(
      name, {module_case<nn::Attention>(sizes, options, data, call({})),
             module_case<nn::Attention>(sizes + ", a key masked", options, data, call(keys)),
             module_case<nn::Attention>(sizes + ", a row that may look at nothing", options, data, call(none))});
}

// Every score, scope and normaliser of the registry by itself, and every position inside heads.
std::vector<CaseRow> all_stages() {
  std::vector<CaseRow> rows;
  for (nn::Kind kind : {nn::Kind::score, nn::Kind::scope, nn::Kind::normaliser})
    for (const nn::CatalogueEntry& entry : nn::entries_with_cases(kind))
      rows.push_back(stages(nn::own_case_row(entry), nn::small_stages(entry)));
  for (const nn::CatalogueEntry& entry : nn::entries_with_cases(nn::Kind::position)) {
    std::vector<Case> cases;
    std::vector<std::string> names = entry.variants;
    names.insert(names.begin(), entry.name);
    for (const std::string& name : names) {
      nn::MultiHeadOptions o{.model = 4, .heads = 2};
      o.position = nn::small_stage(nn::Kind::position, {.name = name});
      cases.push_back(module_case<nn::MultiHeadAttention>(
          name, o, {{2, 3, 4}}, [](nn::MultiHeadAttention& m, In in) { return m(in[0]).output; }));
    }
    rows.push_back(nn::module_row(nn::own_case_row(entry), std::move(cases)));
  }
  return rows;
}

// Hard attention with fixed choices: the value read, the logarithm of its weight, the entropy of the weights. In a
// third case every key of one row is masked.
CaseRow chosen() {
  auto read = [](const Tensor& allowed) {
    return [allowed](In in) {  // scores [2, 2, 3], values [2, 3, 2]
      Variable e = allowed.defined() ? masked_fill(in[0], logical_not(allowed), -INFINITY) : in[0];
      nn::HardRead seen = nn::read_chosen(softmax(e), in[1], Tensor::from(std::vector<int64_t>{2, 0, 0, 1}, {2, 2}));
      return nn::together({seen.context, seen.log_probability, seen.entropy});
    };
  };
  const std::vector<Shape> shapes{{2, 2, 3}, {2, 3, 2}};
  Tensor keys = Tensor::from_bools({1, 0, 1, 1, 1, 0}, {2, 3}), none = Tensor::from_bools({1, 1, 1, 0, 0, 0}, {2, 3});
  return nn::module_row("read_chosen",
                        over_layouts({{.label = "T 2, S 3", .shapes = shapes, .f = read({})},
                                      {.label = "T 2, S 3, masked", .shapes = shapes, .f = read(keys)},
                                      {.label = "T 2, S 3, a row of nothing", .shapes = shapes, .f = read(none)}}));
}

// The surrogate loss of REINFORCE. It treats the reward as a constant by design, although the reward depends on the
// likelihood. So in the case whose likelihood is a leaf, the factor of the reward is 0.
CaseRow reinforce() {
  auto constant = [](nn::Reinforce& m, In in) {
    return m(Variable(Tensor::from(std::vector<double>{-2, -0.5}, {2})), in[0], in[1]);
  };
  auto leaf = [](nn::Reinforce& m, In in) { return m(in[0], in[1], in[2]); };
  return nn::module_row(
      "Reinforce", {module_case<nn::Reinforce>("B 2, T 3", {.reward = 2, .entropy = 0.1}, {{2, 3}, {2, 3}}, constant),
                    module_case<nn::Reinforce>("B 2, T 3, the likelihood a leaf", {.reward = 0, .entropy = 0.1},
                                               {{2}, {2, 3}, {2, 3}}, leaf)});
}

CaseRow score(const std::string& name, Variable (*f)(const Variable&, const Variable&, const Variable&)) {
  std::vector<BaseCase> bases;
  for (int64_t T : {1, 2})
    bases.push_back({.label = "T " + std::to_string(T) + ", S 3",
                     .shapes = {{2, T, 3}, {2, 3, 3}, {3}},
                     .f = [f](In in) { return f(in[0], in[1], in[2]); }});
  return nn::module_row(name, over_layouts(bases));
}

CaseRow decoder(const std::string& name, nn::DecoderOutputs (*f)(const nn::DecoderInputs&)) {
  std::vector<BaseCase> bases;
  for (bool barred : {false, true}) {
    Tensor allowed = barred ? Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 1, 3}) : Tensor();
    bases.push_back({.label = barred ? "T 2, S 3, a word barred" : "T 2, S 3",
                     .shapes = {{2, 2, 2}, {2, 2}, {2, 3, 3}, {2, 3, 2}, {2, 2}, {2}, {6, 5}, {6, 2}, {6}, {6}},
                     .f = [f, allowed](In in) {
                       return f({in[0], in[1], in[2], in[3], allowed, in[4], in[5], in[6], in[7], in[8], in[9]}).joined;
                     }});
  }
  return nn::module_row(name, over_layouts(bases));
}

// The loss of two sentence pairs, each with one side padded; all leaves are parameters. Padding (id 0) never counts, so
// the embedding of <pad>, which gets no gradient, does not matter.
CaseRow seq2seq() {
  auto loss = [](nn::Seq2Seq& m, In) {
    Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 3, 5, 3, 0}, {2, 3});
    Tensor lengths = Tensor::from(std::vector<int64_t>{3, 2}, {2});
    Tensor in = Tensor::from(std::vector<int64_t>{2, 4, 2, 0}, {2, 2}),
           out = Tensor::from(std::vector<int64_t>{4, 3, 5, 0}, {2, 2});
    return cross_entropy(m(source, lengths, in), out, {.label_smoothing = 0.1, .ignore_index = 0});
  };
  auto penalised = [loss](nn::Seq2Seq& m, In in) {
    nn::Penalties collected;
    Variable data = loss(m, in);
    return data + collected.total();
  };
  nn::Seq2SeqOptions options{.source_vocabulary = 6,
                             .target_vocabulary = 6,
                             .embedding = 2,
                             .hidden = 2,
                             .attention = {.score = {.settings = {{"width", 3}}}},
                             .readout = 2,
                             .dropout = 0};
  nn::Seq2SeqOptions dropping = options;
  dropping.dropout = 0.3;
  nn::Seq2SeqOptions feeding = options, every = options, first = options, stacked = options;
  feeding.order = "luong", feeding.input_feeding = true, feeding.cell = "lstm",
  feeding.attention.score = {.name = "general"};
  every.context = "every_step", every.cell = "rnn";
  first.context = "initial_state", first.start = "mean";
  stacked.order = "luong", stacked.decoder_layers = 2, stacked.attention.scope.name = "local_m";
  nn::Seq2SeqOptions generating = options, pointing = options;
  generating.output = "pointer_generator", generating.coverage_loss = 1;
  pointing.output = "pointer", pointing.order = "luong", pointing.attention.score = {.name = "general"};
  nn::Seq2SeqOptions taped = options, deep = options, remembering = options, structured = options,
                     hierarchical = options;
  taped.cell = deep.cell = "lstmn", taped.layers = 2, deep.order = "deep", deep.bidirectional = false;
  remembering.memory = "key_value:parts=2", remembering.order = "luong";
  structured.pooling = "structured:rows=2,hidden=2,penalty=0.5", structured.context = "initial_state";
  hierarchical.pooling = "hierarchical:segment=2,hidden=1", hierarchical.context = "every_step";
  // The first sentence has a word that the vocabulary lacks, 6, and copies it; the penalty of its coverage too.
  auto copying = [](nn::Seq2Seq& m, In) {
    Tensor source = Tensor::from(std::vector<int64_t>{4, 6, 3, 5, 3, 0}, {2, 3});
    Tensor lengths = Tensor::from(std::vector<int64_t>{3, 2}, {2});
    Tensor in = Tensor::from(std::vector<int64_t>{2, 4, 2, 0}, {2, 2}),
           out = Tensor::from(std::vector<int64_t>{6, 3, 4, 0}, {2, 2});
    nn::Penalties collected;
    Variable data = cross_entropy(m(source, lengths, in), out, {.label_smoothing = 0.1, .ignore_index = 0});
    return collected.empty() ? data : data + collected.total();
  };
  return nn::module_row("Seq2Seq",
                        {module_case<nn::Seq2Seq>("a pointer-generator and coverage", generating, {}, copying),
                         module_case<nn::Seq2Seq>("a pointer", pointing, {}, copying),
                         module_case<nn::Seq2Seq>("teacher forcing", options, {}, loss),
                         module_case<nn::Seq2Seq>("teacher forcing with dropout", dropping, {}, loss),
                         module_case<nn::Seq2Seq>("Luong's order, LSTM, input feeding", feeding, {}, loss),
                         module_case<nn::Seq2Seq>("a fixed vector at every step, RNN", every, {}, loss),
                         module_case<nn::Seq2Seq>("a first state from the mean", first, {}, loss),
                         module_case<nn::Seq2Seq>("two layers, local-m", stacked, {}, loss),
                         module_case<nn::Seq2Seq>("LSTMN, shallow fusion", taped, {}, loss),
                         module_case<nn::Seq2Seq>("LSTMN, deep fusion", deep, {}, loss),
                         module_case<nn::Seq2Seq>("a key-value memory", remembering, {}, loss),
                         module_case<nn::Seq2Seq>("a structured pooling and its penalty", structured, {}, penalised),
                         module_case<nn::Seq2Seq>("a hierarchical pooling", hierarchical, {}, loss)});
}

template <class Head>
CaseRow output_head(const std::string& name) {
  auto call = [](Head& m, In in) {
    Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 4, 3, 5, 0}, {2, 3});
    return m(in[0], in.size() > 1 && m.needs_alignment() ? softmax(in[1]) : Variable(), nn::output_source(source, {}));
  };
  nn::OutputHeadOptions options{.features = 2, .vocabulary = 5};
  std::vector<Case> cases;
  for (const auto& [label, shapes] :
       {std::pair("B 2, T 2", std::vector<Shape>{{2, 2, 2}, {2, 2, 3}}), {"B 2", {{2, 2}, {2, 3}}}})
    cases.push_back(module_case<Head>(label, options, shapes, call));
  return nn::module_row(name, cases);
}

CaseRow copynet() {
  auto call = [](nn::CopyNet& m, In in) {
    nn::OutputSource source = nn::output_source(Tensor::from(std::vector<int64_t>{4, 6, 4, 3, 5, 0}, {2, 3}),
                                                Tensor::from(std::vector<int64_t>{3, 2}, {2}));
    source.states = in[1];
    return slice(m(in[0], {}, source), -1, 0, 5);
  };
  nn::OutputHeadOptions options{.features = 2, .vocabulary = 5, .states = 3};
  return nn::module_row("CopyNet", {module_case<nn::CopyNet>("B 2, T 2", options, {{2, 2, 2}, {2, 3, 3}}, call),
                                    module_case<nn::CopyNet>("B 2", options, {{2, 2}, {2, 3, 3}}, call)});
}

CaseRow coverage() {
  auto f = [](In in) { return nn::coverage_loss(softmax(in[0])); };
  return nn::module_row("coverage_loss", over_layouts({{.label = "[2, 3, 3]", .shapes = {{2, 3, 3}}, .f = f}}));
}

}  // namespace

std::vector<CaseRow> attention_cases() {
  const std::string square = "matrix_tree";  // needs as many queries as keys
  std::vector<CaseRow> rows{attend(),
                            score("additive_score", nn::additive_score),
                            score("additive_score_composed", nn::additive_score_composed),
                            decoder("attention_decoder", nn::attention_decoder),
                            decoder("attention_decoder_composed", nn::attention_decoder_composed),
                            seq2seq(),
                            output_head<nn::SoftmaxHead>("SoftmaxHead"),
                            output_head<nn::PointerGenerator>("PointerGenerator"),
                            output_head<nn::Pointer>("Pointer"),
                            copynet(),
                            coverage(),
                            chosen(),
                            reinforce(),
                            stages("matrix_tree", nn::small_stages(nn::catalogue_entry(square)), /*T=*/3)};
  for (CaseRow& row : all_stages()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
