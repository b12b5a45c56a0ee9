#include "tutorials/app/mine/model.h"

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/scores/additive.h"
#include "nn/padding.h"
#include "nn/text/vocabulary.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::app {
namespace {

using nn::Bahdanau;
using nn::GRUCell;

const nn::AdditiveScore& score_of(const Bahdanau& model) {
  return dynamic_cast<const nn::AdditiveScore&>(*model.attention.score);
}
const std::vector<GRUCell>& cells_of(const nn::AnyRecurrent& layers) { return std::get<nn::GRU>(layers.layers).cells; }

void remove_score_bias(Bahdanau& model) {
  Variable bias = score_of(model).key.bias;
  bias.set_value(Tensor::zeros(bias.shape(), bias.dtype()));
}

Variable linear_of(const Pieces& pieces, const Variable& x, const nn::Linear& layer) {
  return app::linear_of(pieces, x, layer.weight, layer.bias);
}

// h where the sentence has a word here, else what it was before.
Variable kept(const Tensor& here, const Variable& h, const Variable& before) {
  return sum(here.to(DType::i64)).item() == static_cast<double>(here.count()) ? h : where(here, h, before);
}

}  // namespace

AssembledRecurrent::AssembledRecurrent(const Bahdanau::Options& o, Pieces p, Generator& rng)
    : Paper(std::move(p)), model(o, rng) {
  remove_score_bias(model);
}

// One direction of the encoder: x [B, S, E], mask [B, S] -> [B, S, N], 0 after the end of a sentence. Backwards, the
// state stays 0 in the padding, so it starts at the last word.
Variable AssembledRecurrent::read(const GRUCell& cell, const Variable& x, const Tensor& mask, bool backwards) const {
  const int64_t S = x.size(1);
  std::vector<Variable> inputs = unstack(app::linear_of(pieces, x, cell.weight_ih, cell.bias_ih), 1);  // S of [B, 3N]
  std::vector<Variable> states(static_cast<size_t>(S));
  Variable h(Tensor::zeros({x.size(0), cell.options.hidden}, x.dtype()));
  for (int64_t i = 0; i < S; ++i) {
    const int64_t s = backwards ? S - 1 - i : i;
    const auto at = static_cast<size_t>(s);
    Variable next = pieces.gru(inputs[at], app::linear_of(pieces, h, cell.weight_hh, cell.bias_hh), h);
    h = kept(mask.slice(1, s, s + 1), next, h);
    states[at] = h;
  }
  return masked_fill(stack(states, 1), logical_not(mask.unsqueeze(2)), 0);
}

nn::Encoded AssembledRecurrent::encode(const Tensor& source, const Tensor& lengths) const {
  Tensor mask = nn::length_mask(lengths, source.size(1));  // [B, S]
  Variable x = model.dropout(model.source_embedding(source));
  const std::vector<GRUCell>& cells = cells_of(model.encoder);
  Variable forwards = read(cells[0], x, mask, false), backwards = read(cells[1], x, mask, true);  // [B, S, N] each
  Variable s = tanh(linear_of(pieces, select(backwards, 1, 0), *model.bridge.linear));            // s_0
  Variable h = model.dropout(concat({forwards, backwards}, -1));                                  // [B, S, 2N]
  Variable keys = pieces.computes_keys ? h : app::linear_of(pieces, h, score_of(model).key.weight, {});
  return {{{.keys = keys, .values = h, .allowed = mask, .lengths = lengths}}, {.cell = {s}}};
}

nn::Step AssembledRecurrent::step(const Variable& y, const nn::DecoderState& before, const nn::Source& source) const {
  const nn::AdditiveScore& score = score_of(model);
  const GRUCell& cell = cells_of(model.decoder)[0];
  const Variable& s = before.cell[0];
  nn::Attended seen = pieces.attend(pieces, {.query = s,
                                             .values = source.values,
                                             .keys = source.keys,
                                             .W_q = score.query.weight,
                                             .W_k = score.key.weight,
                                             .v = score.v,
                                             .lengths = source.lengths,
                                             .allowed = source.allowed});
  Variable a = app::linear_of(pieces, concat({y, seen.context}, -1), cell.weight_ih, cell.bias_ih);
  Variable b = app::linear_of(pieces, s, cell.weight_hh, cell.bias_hh);
  nn::DecoderState after = before;
  after.cell[0] = pieces.gru(a, b, s);
  after.alignment.weights = seen.weights;
  return {after, concat({after.cell[0], seen.context, y}, -1), seen.context};
}

Variable AssembledRecurrent::logits(const Variable& o) const {
  Variable r = model.dropout(tanh(linear_of(pieces, o, *model.readout.linear)));
  return pieces.log_p(linear_of(pieces, r, model.output));
}

std::vector<NamedVariable> AssembledRecurrent::trained() const {
  std::vector<NamedVariable> all = nn::named_parameters(const_cast<AssembledRecurrent&>(*this));  // changes nothing
  std::erase_if(all, [&](const NamedVariable& p) { return p.variable.same_as(score_of(model).key.bias); });
  return all;
}

data::Batch forced_batch(const Pieces& pieces, const std::vector<data::EncodedPair>& pairs,
                         const std::vector<int64_t>& members) {
  data::Batch batch = data::make_batch(pairs, members);  // only the sources are used; the targets are made below
  const int64_t B = std::ssize(members), T = batch.target_in.size(1);
  std::vector<int64_t> in, out;
  batch.tokens = 0;
  for (int64_t m : members) {
    ForcedRow row = pieces.force(pairs[static_cast<size_t>(m)].target, static_cast<size_t>(T));
    in.insert(in.end(), row.input.begin(), row.input.end());
    out.insert(out.end(), row.target.begin(), row.target.end());
    batch.tokens += std::ranges::count(row.mask, 1);
  }
  batch.target_in = Tensor::from(in, {B, T});
  batch.target_out = Tensor::from(out, {B, T});
  return batch;
}

void compare_models(const Assembled& ours, nn::EncoderDecoder& library, Comparison& comparison) {
  const Pieces& pieces = ours.pieces;
  const std::vector<data::EncodedPair> pairs{{{5, 8, 4, 3}, {6, 9, 10, 4, 7}}, {{7, 3}, {5}}, {{4, 6, 3}, {8, 8}}};
  data::Batch plain = data::make_batch(pairs, {0, 1, 2}), forced = forced_batch(pieces, pairs, {0, 1, 2});
  Variable theirs = library(plain.source, plain.lengths, plain.target_in),
           mine = ours(forced.source, forced.lengths, forced.target_in);
  comparison.value("log p", log_softmax(mine).value(), log_softmax(theirs).value());
  backward(library_pieces().loss(theirs, plain.target_out));
  backward(pieces.loss(mine, forced.target_out));
  std::vector<NamedVariable> expected = nn::named_parameters(library);
  for (const NamedVariable& p : ours.trained()) {
    auto same = std::ranges::find(expected, p.name, &NamedVariable::name);
    comparison.value("the gradient of " + p.name, p.variable.grad(), same->variable.grad());
  }
}

void compare_with_library(const Pieces& pieces, Comparison& comparison) {
  const Bahdanau::Options sizes{.source = {.vocabulary = 9, .width = 3},
                                .target = {.vocabulary = 11, .width = 3},
                                .encoder = {.hidden = 4},
                                .decoder = {.hidden = 4},
                                .dropout = 0};
  Generator first(7), second(7);
  Bahdanau library(sizes, first);
  AssembledRecurrent ours(sizes, pieces, second);
  remove_score_bias(library);
  nn::convert(library, DType::f64), nn::convert(ours, DType::f64);
  compare_models(ours, library, comparison);
}

}  // namespace heed::app
