// Cases of nn/attention/, and of the encoder-decoders that use it.
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
#include "nn/models/copying.h"
#include "nn/models/fixed_vector.h"
#include "nn/output_heads/copynet.h"
#include "nn/output_heads/pointer.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/output_heads/softmax_head.h"
#include "nn/penalties.h"
#include "nn/train/attention_penalties.h"
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
// the embedding of <pad>, which gets no gradient, does not matter. With `copies`, the first sentence has a word that
// the vocabulary lacks, 6, and copies it. The loss includes the model's penalties, and those of `more` on its
// alignment.
template <class M>
Case two_pairs(const std::string& label, const typename M::Options& o, bool copies = false,
               const nn::AttentionPenalties& more = {}) {
  return module_case<M>(label, o, {}, [=](M& m, In) {
    Tensor source = ids({4, copies ? 6 : 5, 3, 5, 3, 0}, {2, 3}), lengths = ids({3, 2}, {2});
    Tensor in = ids({2, 4, 2, 0}, {2, 2}), out = ids({copies ? 6 : 4, 3, copies ? 4 : 5, 0}, {2, 2});
    nn::Penalties collected;
    Variable alignment, logits = m(source, lengths, in, more.any() ? &alignment : nullptr);
    more.add(alignment, in, lengths);
    Variable data = cross_entropy(logits, out, {.label_smoothing = 0.1, .ignore_index = 0});
    return collected.empty() ? data : data + collected.total();
  });
}

template <class M>
typename M::Options small_paper(const std::string& cell = "gru", const std::string& score = "additive") {
  typename M::Options o;
  o.source = o.target = {6, 2};
  o.encoder.hidden = o.decoder.hidden = o.readout = 2, o.encoder.cell = o.decoder.cell = cell, o.dropout = 0;
  if constexpr (requires { o.attention; }) {
    o.attention.score.name = score;
    if (score == "additive") o.attention.score.settings["width"] = 3;
  }
  return o;
}

std::vector<CaseRow> papers() {
  auto dropping = small_paper<nn::Bahdanau>(), taped = small_paper<nn::Bahdanau>("lstmn");
  dropping.dropout = 0.3, taped.encoder.layers = 2;
  auto feeding = small_paper<nn::Luong>("lstm", "general"), stacked = small_paper<nn::Luong>(), remembering = stacked;
  feeding.input_feeding = true, stacked.decoder.layers = 2, stacked.attention.scope.name = "local_m";
  remembering.decoder.memory = "key_value:parts=2";
  auto mean = small_paper<nn::Sutskever>(), structured = mean;
  mean.start = "mean", structured.pooling = "structured:rows=2,hidden=2,penalty=0.5";
  auto every = small_paper<nn::Cho>("rnn"), hierarchical = small_paper<nn::Cho>();
  hierarchical.pooling = "hierarchical:segment=2,hidden=1";
  auto deep = small_paper<nn::DeepFusion>("lstmn");
  deep.encoder.bidirectional = false;
  using Generating = nn::Copying<nn::Bahdanau>;
  using Pointing = nn::Copying<nn::Luong>;
  return {nn::module_row("Sutskever", {two_pairs<nn::Sutskever>("a first state from the mean", mean),
                                       two_pairs<nn::Sutskever>("a structured pooling and its penalty", structured)}),
          nn::module_row(
              "Cho", {two_pairs<nn::Cho>("RNN", every), two_pairs<nn::Cho>("a hierarchical pooling", hierarchical)}),
          nn::module_row("Bahdanau", {two_pairs<nn::Bahdanau>("teacher forcing", small_paper<nn::Bahdanau>()),
                                      two_pairs<nn::Bahdanau>("teacher forcing with dropout", dropping),
                                      two_pairs<nn::Bahdanau>("LSTMN, shallow fusion", taped)}),
          nn::module_row("Luong", {two_pairs<nn::Luong>("LSTM, input feeding", feeding),
                                   two_pairs<nn::Luong>("two layers, local-m", stacked),
                                   two_pairs<nn::Luong>("a key-value memory", remembering)}),
          nn::module_row("DeepFusion", {two_pairs<nn::DeepFusion>("LSTMN", deep)}),
          nn::module_row(
              "Copying",
              {two_pairs<Generating>("a pointer-generator and coverage",
                                     {small_paper<nn::Bahdanau>(), "pointer_generator"}, true, {.coverage_loss = 1}),
               two_pairs<Pointing>("a pointer", {small_paper<nn::Luong>("gru", "general"), "pointer"}, true)})};
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
                            output_head<nn::SoftmaxHead>("SoftmaxHead"),
                            output_head<nn::PointerGenerator>("PointerGenerator"),
                            output_head<nn::Pointer>("Pointer"),
                            copynet(),
                            coverage(),
                            chosen(),
                            reinforce(),
                            stages("matrix_tree", nn::small_stages(nn::catalogue_entry(square)), /*T=*/3)};
  for (CaseRow& row : papers()) rows.push_back(std::move(row));
  for (CaseRow& row : all_stages()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace heed
