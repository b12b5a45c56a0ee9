#include "nn/models/seq2seq.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/coverage.h"
#include "nn/attention/scores/additive.h"
#include "nn/made_if.h"
#include "nn/models/attention_decoder.h"
#include "nn/observe.h"
#include "nn/penalties.h"
#include "nn/recurrent/padding.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

using Words = Embedding::Options;
Words words(int64_t vocabulary, int64_t width) {
  return {.vocabulary = vocabulary, .width = width, .padding = text::Vocabulary::pad, .std = 0.1};
}

int64_t state_parts(const Seq2SeqOptions& o) { return o.decoder_layers * (o.cell == "lstm" ? 2 : 1); }

// The mean of the encoder outputs over the words of each sentence: h [B, S, A], lengths [B] -> [B, A]
Variable mean_of(const Variable& h, const Tensor& lengths) {  // h is 0 after a sentence's end
  return sum(h, {1}) / Variable(lengths.to(h.dtype()).unsqueeze(1));
}

}  // namespace

Seq2Seq::Widths Seq2Seq::widths(const Options& o) {
  int64_t A = o.hidden * (o.bidirectional ? 2 : 1), N = o.hidden, E = o.embedding;
  if (o.context == "initial_state") return {A, E, N};
  if (o.context == "every_step") return {A, E + A, N + A + E};
  if (o.order == "luong") return {A, o.input_feeding ? E + o.readout : E, N + A};
  return {A, E + A, N + A + E};
}

Seq2Seq::Seq2Seq(const Options& o, Generator& rng) : Seq2Seq(completed(o), widths(completed(o)), rng) {}

Seq2Seq::Seq2Seq(const Options& o, const Widths& w, Generator& rng)
    : options(o),
      source_embedding(words(o.source_vocabulary, o.embedding), rng),
      target_embedding(words(o.target_vocabulary, o.embedding), rng),
      encoder({.cell = o.cell,
               .input = o.embedding,
               .hidden = o.hidden,
               .layers = o.layers,
               .bidirectional = o.bidirectional,
               .dropout = o.dropout},
              rng),
      bridge(made_if<Linear>(
          o.start != "zeros",
          {.in = o.start == "first_backward" ? o.hidden : w.annotation, .out = state_parts(o) * o.hidden}, rng)),
      attention(made_if<Attention>(attends(), o.attention, rng)),
      decoder({.cell = o.cell, .input = w.input, .hidden = o.hidden, .layers = o.decoder_layers, .dropout = o.dropout},
              rng),
      readout(made_if<Linear>(o.readout != Options::kDirect, {.in = w.joined, .out = o.readout}, rng)),
      output(make_output_head(
          {.name = o.output, .features = readout ? o.readout : w.joined, .vocabulary = o.target_vocabulary}, rng)),
      dropout({.p = o.dropout}, rng) {}

States Seq2Seq::first_states(const Variable& annotations, const Tensor& lengths, const States& last) const {
  int64_t N = options.hidden, parts = state_parts(options);
  if (!bridge)
    return States(static_cast<size_t>(parts), Variable(Tensor::zeros({annotations.size(0), N}, annotations.dtype())));
  Variable from;
  if (options.start == "first_backward")  // it has read the whole sentence, from the last word on
    from = slice(select(annotations, 1, 0), 1, N, 2 * N);
  else
    from = options.start == "mean" ? mean_of(annotations, lengths) : encoder.outputs(last);
  return chunk(tanh((*bridge)(from)), parts, 1);
}

Seq2Seq::Encoded Seq2Seq::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  Variable embedded = dropout(source_embedding(output->source_words(source)));  // [B, S, E]
  auto [annotations, last] = encoder(embedded, lengths);                        // [B, S, A]
  DecoderState state{.cell = first_states(annotations, lengths, last)};
  state.cell[0] = call.result("state", state.cell[0]);
  if (options.input_feeding)
    state.fed = Variable(Tensor::zeros({source.size(0), options.readout}, annotations.dtype()));
  if (!attends()) {
    Variable fixed = call.result("annotations", dropout(encoder.outputs(last)));
    return {{.values = unsqueeze(fixed, 1)}, state};
  }
  annotations = call.result("annotations", dropout(annotations));
  return {attention->remember(annotations, annotations, lengths), state};
}

Variable Seq2Seq::embed_target(const Tensor& ids, const OutputSource& source) const {
  Call call(*this);
  return call.result("embedded", dropout(target_embedding(output->target_words(ids, source))));
}

Variable Seq2Seq::joined(const Variable& state, const Variable& context, const Variable& embedded) const {
  if (options.context == "initial_state") return state;
  if (attends() && options.order == "luong") return concat({state, context}, -1);
  return concat({state, context, embedded}, -1);
}

Seq2Seq::Step Seq2Seq::step(const Variable& embedded, const DecoderState& before, const Memory& memory) const {
  Call call(*this);
  Step s;
  s.state = before;
  auto look = [&](const Variable& query) {  // [B, N] -> [B, A]
    return squeeze((*attention)(unsqueeze(query, 1), memory, s.state.alignment).context, 1);
  };
  bool luong = options.order == "luong";
  if (attends() && !luong) s.context = look(decoder.top(before.cell));
  if (options.context == "every_step") s.context = squeeze(memory.values, 1);
  Variable input = embedded;
  if (s.context.defined()) input = concat({embedded, s.context}, -1);
  if (before.fed.defined()) input = concat({embedded, before.fed}, -1);
  s.state.cell = decoder.step(input, before.cell);
  Variable state = call.result("state", decoder.top(s.state.cell));
  if (attends() && luong) s.context = look(state);
  s.features = joined(state, s.context, embedded);
  if (options.input_feeding) s.features = s.state.fed = tanh((*readout)(s.features));
  return s;
}

Variable Seq2Seq::logits(const Variable& features, const Variable& alignment, const OutputSource& source) const {
  Call call(*this);
  bool read = readout && !options.input_feeding;  // with input feeding, features are r_t already
  Variable from = dropout(read ? tanh((*readout)(features)) : features);
  return call.result("logits", (*output)(from, alignment, source));
}

bool Seq2Seq::wants_coverage() const { return options.coverage_loss > 0 && Penalties::active(); }

bool Seq2Seq::one_node() const {
  if (!attends() || options.order != "bahdanau" || options.cell != "gru" || options.decoder_layers != 1) return false;
  const AttentionOptions& stages = attention->stages;
  const auto* score = dynamic_cast<const AdditiveScore*>(attention->score.get());
  if (!score || stages.scope.name != default_stage(Kind::scope) || !attention->normaliser->is_softmax() ||
      stages.position.name != default_stage(Kind::position) || stages.dropout > 0 || attention->evaluator)
    return false;
  const AdditiveScore& additive = *score;
  bool hooked = false;
  for (const Module* m :
       {static_cast<const Module*>(this), static_cast<const Module*>(&*attention),
        static_cast<const Module*>(&additive), static_cast<const Module*>(&additive.query),
        static_cast<const Module*>(attention->normaliser.get()), static_cast<const Module*>(&decoder)})
    hooked = hooked || !m->output_hooks.empty();
  return !hooked && !Observe::active();
}

Variable Seq2Seq::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                             Tensor* weights) const {
  Call call(*this);
  auto [memory, state] = encode(source, lengths);
  OutputSource words = output_source(source, lengths);
  Variable embedded = embed_target(target_in, words);  // [B, T, E]
  int64_t B = embedded.size(0), T = embedded.size(1);
  bool follow = output->needs_alignment() || wants_coverage();  // the alignment needs a gradient
  // The output layer, given the alignment [B, T, S] of all steps.
  auto finish = [&](const Variable& features, const Variable& alignment) {
    if (weights && alignment.defined()) *weights = alignment.value();
    if (wants_coverage()) {
      Tensor real = not_equal(target_in, static_cast<double>(text::Vocabulary::pad));  // [B, T]
      Penalties::add("coverage", mean_coverage_loss(alignment, real), options.coverage_loss);
    }
    return logits(features, alignment, words);
  };
  if (!follow && one_node()) {
    const auto& additive = static_cast<const AdditiveScore&>(*attention->score);
    const GRUCell& cell = std::get<GRU>(decoder.layers).cells[0];
    DecoderOutputs out =
        attention_decoder({embedded, state.cell[0], memory.values, memory.keys, memory.allowed, additive.query.weight,
                           additive.v, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh});
    if (weights) *weights = out.weights.transpose(0, 1).contiguous();
    return logits(out.joined);
  }
  if (!attends() || (options.order == "luong" && !options.input_feeding)) {
    Variable context, alignment, input = embedded;
    if (options.context == "every_step") {
      context = expand(memory.values, {B, T, memory.values.size(2)});
      input = concat({embedded, context}, -1);
    }
    Variable states = call.result("state", decoder(input, {}, state.cell).annotations);  // [B, T, N]
    if (attends()) {
      Attended seen = (*attention)(states, memory);
      context = seen.context;
      alignment = seen.weights;
    }
    return finish(joined(states, context, embedded), alignment);
  }
  std::vector<Variable> features, rows;
  for (const Variable& word : unstack(embedded, 1)) {  // T of [B, E]
    Step s = step(word, state, memory);
    state = s.state;
    features.push_back(s.features);
    if (follow) rows.push_back(state.alignment.weights);
    if (!follow && weights) rows.push_back(state.alignment.weights.detach());
  }
  return finish(stack(features, 1), rows.empty() ? Variable() : stack(rows, 1));
}

}  // namespace heed::nn
