#include "nn/models/seq2seq.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/coverage.h"
#include "nn/attention/registry.h"
#include "nn/attention/regularisers.h"
#include "nn/attention/scores/additive.h"
#include "nn/made_if.h"
#include "nn/models/attention_decoder.h"
#include "nn/observe.h"
#include "nn/padding.h"
#include "nn/penalties.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

using Words = Embedding::Options;
Words words(int64_t vocabulary, int64_t width) {
  return {.vocabulary = vocabulary, .width = width, .padding = text::Vocabulary::pad, .std = 0.1};
}

int64_t first_state_parts(const Seq2SeqOptions& o) { return o.decoder_layers * state_parts(o.cell); }

// The width of an optional stage's result, before there is a model: a trial stage says it.
int64_t pooled_width(const Seq2SeqOptions& o, int64_t A) {
  Generator unused(0);
  return o.pooling.empty() ? A : Pooling({.modes = stage_texts(o.pooling), .width = A}, unused).width();
}
int64_t output_width(const Seq2SeqOptions& o) {
  Generator unused(0);
  return o.memory.empty() ? o.hidden : make_output_memory(o.memory, o.hidden, unused)->width();
}

// The mean of the encoder outputs over the words of each sentence: h [B, S, A], lengths [B] -> [B, A]
Variable mean_of(const Variable& h, const Tensor& lengths) {  // h is 0 after a sentence's end
  return sum(h, {1}) / Variable(lengths.to(h.dtype()).unsqueeze(1));
}

}  // namespace

Seq2Seq::Widths Seq2Seq::widths(const Options& o) {
  int64_t A = o.hidden * (o.bidirectional ? 2 : 1), E = o.embedding, P = output_width(o), C = pooled_width(o, A);
  int64_t start = o.start == "first_backward" ? o.hidden : o.start == "pooled" ? C : A;
  if (o.context == "initial_state") return {A, C, start, E, P};
  if (o.context == "every_step") return {A, C, start, E + C, P + C + E};
  if (o.order == "luong") return {A, C, start, o.input_feeding ? E + o.readout : E, P + A};
  return {A, C, start, o.order == "deep" ? E : E + A, P + A + E};
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
               .dropout = o.dropout,
               .tape = o.tape},
              rng),
      bridge(made_if<Linear>(o.start != "zeros", {.in = w.start, .out = first_state_parts(o) * o.hidden}, rng)),
      pooling(made_if<Pooling>(!o.pooling.empty(), {.modes = stage_texts(o.pooling), .width = w.annotation}, rng)),
      attention(made_if<Attention>(attends(), o.attention, rng)),
      reader(o.reader.empty() ? nullptr : make_reader(o.reader, rng)),
      gate(made_if<Linear>(fuses(), {.in = w.annotation + o.embedding, .out = o.hidden}, rng)),
      decoder({.cell = o.cell,
               .input = w.input,
               .hidden = o.hidden,
               .layers = o.decoder_layers,
               .dropout = o.dropout,
               .tape = o.tape},
              rng),
      output_memory(o.memory.empty() ? nullptr : make_output_memory(o.memory, o.hidden, rng)),
      readout(made_if<Linear>(o.readout != Options::kDirect, {.in = w.joined, .out = o.readout}, rng)),
      output(make_output_head({.name = o.output,
                               .features = readout ? o.readout : w.joined,
                               .vocabulary = o.target_vocabulary,
                               .states = o.attention.score.key},
                              rng)),
      dropout({.p = o.dropout}, rng) {
  if (reader && attention->evaluator && !attention->evaluator->shows_weights())
    throw ValueError(
        fmt::format("Seq2Seq: a reader needs the weights; got the reader {} with the evaluator {}; use auto", o.reader,
                    attention->stages.evaluator.name));
  if (attends() && options.order == "luong" && !options.input_feeding && attention->evaluator &&
      attention->evaluator->mixes_queries())
    throw ValueError(
        fmt::format("Seq2Seq: all steps of the order luong are one call, so the result of a step must not depend on "
                    "later ones; got the evaluator {}; use auto, or the order bahdanau",
                    attention->stages.evaluator.name));
  if (output->needs_alignment() && attention->evaluator && !attention->evaluator->rows_sum_to_one())
    throw ValueError(
        fmt::format("Seq2Seq: the output {} copies by weights that sum to 1; got the evaluator {}, whose rows do not",
                    o.output, attention->stages.evaluator.name));
}

States Seq2Seq::first_states(const Variable& annotations, const Tensor& lengths, const States& last,
                             const Variable& pooled) const {
  int64_t N = options.hidden, parts = first_state_parts(options);
  if (!bridge)
    return States(static_cast<size_t>(parts), Variable(Tensor::zeros({annotations.size(0), N}, annotations.dtype())));
  Variable from;
  if (options.start == "first_backward")  // it has read the whole sentence, from the last word on
    from = slice(select(annotations, 1, 0), 1, N, 2 * N);
  else if (options.start == "pooled")
    from = pooled;
  else
    from = options.start == "mean" ? mean_of(annotations, lengths) : encoder.outputs(last);
  return chunk(tanh((*bridge)(from)), parts, 1);
}

Seq2Seq::Encoded Seq2Seq::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  Variable embedded = dropout(source_embedding(output->source_words(source)));  // [B, S, E]
  auto [annotations, last, cells] = encoder(embedded, lengths);                 // [B, S, A]
  Variable pooled;                                                              // [B, C]
  if (pooling) pooled = call.result("pooled", (*pooling)(annotations, length_mask(lengths, source.size(1))));
  DecoderState state{.cell = first_states(annotations, lengths, last, pooled)};
  state.cell[0] = call.result("state", state.cell[0]);
  if (options.input_feeding || fuses())
    state.fed =
        Variable(Tensor::zeros({source.size(0), fuses() ? options.hidden : options.readout}, annotations.dtype()));
  if (!attends()) {
    Variable fixed = call.result("annotations", dropout(pooling ? pooled : encoder.outputs(last)));
    return {{.values = unsqueeze(fixed, 1)}, state};
  }
  annotations = call.result("annotations", dropout(annotations));
  Variable values = fuses() ? concat({annotations, cells}, -1) : annotations;
  return {attention->remember(annotations, values, lengths), state};
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

// Attention with the reader, if there is one: query [B, T, ..] -> context [B, T, A], weights [B, T, S].
Attended Seq2Seq::look(const Variable& query, const Memory& memory, AlignmentState& state, HardRead& read) const {
  Attended seen = (*attention)(query, memory, state);
  if (!reader) return seen;
  read = (*reader)(seen.weights, memory.values);
  state.weights = select(read.weights, 1, query.size(1) - 1);
  return {read.context, read.weights};
}

Seq2Seq::Step Seq2Seq::step(const Variable& embedded, const DecoderState& before, const Memory& memory) const {
  Call call(*this);
  Step s;
  s.state = before;
  auto one = [&](const Variable& query) {  // [B, ..] -> [B, A]
    return squeeze(look(unsqueeze(query, 1), memory, s.state.alignment, s.read).context, 1);
  };
  Variable input = embedded, added;
  if (fuses()) {
    auto both = chunk(one(concat({embedded, before.fed}, -1)), 2, -1);  // c_t and a_t
    s.context = s.state.fed = both[0];
    added = sigmoid((*gate)(concat({s.context, embedded}, -1))) * both[1];
  } else {
    if (attends() && options.order == "bahdanau") s.context = one(decoder.top(before.cell));
    if (options.context == "every_step") s.context = squeeze(memory.values, 1);
    if (s.context.defined()) input = concat({embedded, s.context}, -1);
    if (before.fed.defined()) input = concat({embedded, before.fed}, -1);
  }
  s.state.cell = decoder.step(input, before.cell, added);
  Variable state = call.result("state", decoder.top(s.state.cell));
  if (attends() && options.order == "luong") s.context = one(state);
  if (output_memory) state = output_memory->step(state, s.state.past);
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

OutputSource Seq2Seq::seen_by_output(const Tensor& source, const Tensor& lengths, const Memory& memory) const {
  OutputSource seen = output_source(source, lengths);
  if (attends()) seen.states = slice(memory.values, -1, 0, options.attention.score.key);  // without the cells of deep
  return seen;
}

bool Seq2Seq::wants_penalties() const {
  const Options& o = options;
  double weights =
      o.coverage_loss + o.doubly_stochastic + o.attention_entropy + o.attention_overlap + o.guided_attention;
  return weights > 0 && Penalties::active();
}

void Seq2Seq::add_attention_penalties(const Variable& a, const Tensor& target_in, const Tensor& lengths) const {
  const Options& o = options;
  Tensor steps = not_equal(target_in, static_cast<double>(text::Vocabulary::pad));  // [B, T]
  auto add = [](const char* name, double weight, MeanOver over, auto penalty) {
    if (weight > 0) Penalties::add(name, penalty(), weight, over);
  };
  add("coverage", o.coverage_loss, MeanOver::words, [&] { return mean_coverage_loss(a, steps); });
  add("doubly_stochastic", o.doubly_stochastic, MeanOver::sentences,
      [&] { return doubly_stochastic_penalty(a, steps, lengths); });
  add("attention_entropy", o.attention_entropy, MeanOver::words, [&] { return mean_entropy(a, steps); });
  add("attention_overlap", o.attention_overlap, MeanOver::pairs, [&] { return mean_overlap(a, steps); });
  add("guided_attention", o.guided_attention, MeanOver::words, [&] { return guided_penalty(a, steps, lengths); });
}

bool Seq2Seq::one_node() const {
  if (reader || output_memory) return false;
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

Variable Seq2Seq::forced(const Tensor& source, const Tensor& lengths, const Tensor& target_in, Variable* weights,
                         bool with_gradient) const {
  Call call(*this);
  auto [memory, state] = encode(source, lengths);
  OutputSource words = seen_by_output(source, lengths, memory);
  Variable embedded = embed_target(target_in, words);  // [B, T, E]
  int64_t B = embedded.size(0), T = embedded.size(1);
  bool follow = with_gradient || output->needs_alignment() || wants_penalties();  // the alignment needs a gradient
  // The output layer, given the alignment [B, T, S] of all steps.
  auto finish = [&](const Variable& features, const Variable& alignment, const HardRead& read) {
    if (weights && alignment.defined()) *weights = alignment;
    if (wants_penalties()) add_attention_penalties(alignment, target_in, lengths);
    Variable out = logits(features, alignment, words);
    if (reader && trains()) heed::nn::add_reader_loss(*reader, out, target_in, read);
    return out;
  };
  if (!follow && one_node()) {
    const auto& additive = static_cast<const AdditiveScore&>(*attention->score);
    const GRUCell& cell = std::get<GRU>(decoder.layers).cells[0];
    DecoderOutputs out =
        attention_decoder({embedded, state.cell[0], memory.values, memory.keys, memory.allowed, additive.query.weight,
                           additive.v, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh});
    if (weights) *weights = Variable(out.weights.transpose(0, 1).contiguous());
    return logits(out.joined);
  }
  if (!attends() || (options.order == "luong" && !options.input_feeding)) {
    Variable context, alignment, input = embedded;
    if (options.context == "every_step") {
      context = expand(memory.values, {B, T, memory.values.size(2)});
      input = concat({embedded, context}, -1);
    }
    Variable states = call.result("state", decoder(input, {}, state.cell).annotations);  // [B, T, N]
    HardRead read;
    if (attends()) {
      AlignmentState fresh;
      Attended seen = look(states, memory, fresh, read);
      context = seen.context;
      alignment = seen.weights;
    }
    if (output_memory) states = output_memory->sequence(states);
    return finish(joined(states, context, embedded), alignment, read);
  }
  std::vector<Variable> features, rows, chances, entropies;
  for (const Variable& word : unstack(embedded, 1)) {  // T of [B, E]
    Step s = step(word, state, memory);
    state = s.state;
    features.push_back(s.features);
    if (follow) rows.push_back(state.alignment.weights);
    if (!follow && weights && state.alignment.weights.defined()) rows.push_back(state.alignment.weights.detach());
    if (reader) chances.push_back(s.read.log_probability), entropies.push_back(s.read.entropy);
  }
  HardRead read;
  if (reader) read.log_probability = concat(chances, 1), read.entropy = concat(entropies, 1);
  return finish(stack(features, 1), rows.empty() ? Variable() : stack(rows, 1), read);
}

}  // namespace heed::nn
