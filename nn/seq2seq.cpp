#include "nn/seq2seq.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/scores/additive.h"
#include "nn/attention_decoder.h"
#include "nn/observe.h"
#include "nn/text/vocabulary.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {
Seq2SeqOptions with_defaults(Seq2SeqOptions o) {
  if (o.attention == 0) o.attention = o.hidden;
  if (o.readout == 0) o.readout = o.hidden;
  return o;
}
int64_t joined_width(const Seq2SeqOptions& o) { return 3 * o.hidden + o.embedding; }  // of [s; c; y]
std::optional<Linear> make_readout(const Seq2SeqOptions& o, Generator& rng) {
  if (o.readout == Seq2SeqOptions::kDirect) return std::nullopt;
  return std::optional<Linear>(std::in_place, Linear::Options{.in = joined_width(o), .out = o.readout}, rng);
}
}  // namespace

Seq2Seq::Seq2Seq(const Options& o, Generator& rng)
    : options(with_defaults(o)),
      source_embedding(
          {.vocabulary = o.source_vocabulary, .width = o.embedding, .padding = text::Vocabulary::pad, .std = 0.1}, rng),
      target_embedding(
          {.vocabulary = o.target_vocabulary, .width = o.embedding, .padding = text::Vocabulary::pad, .std = 0.1}, rng),
      encoder(
          {.input = o.embedding, .hidden = o.hidden, .layers = o.layers, .bidirectional = true, .dropout = o.dropout},
          rng),
      bridge({.in = o.hidden, .out = o.hidden}, rng),
      attention({.score = {.query = o.hidden, .key = 2 * o.hidden, .width = options.attention}}, rng),
      cell({.input = o.embedding + 2 * o.hidden, .hidden = o.hidden}, rng),
      readout(make_readout(options, rng)),
      output({.in = readout ? options.readout : joined_width(o), .out = o.target_vocabulary}, rng),
      dropout({.p = o.dropout}, rng) {}

Seq2Seq::Encoded Seq2Seq::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  int64_t N = options.hidden;
  Variable embedded = dropout(source_embedding(source));          // [B, S, E]
  Variable annotations = encoder(embedded, lengths).annotations;  // [B, S, 2N]
  Variable first_backward =
      slice(select(annotations, 1, 0), 1, N, 2 * N);  // has read the whole sentence, last word first
  annotations = dropout(annotations);
  annotations = call.result("annotations", annotations);
  return {attention.remember(annotations, annotations, lengths), call.result("state", tanh(bridge(first_backward)))};
}

Variable Seq2Seq::embed_target(const Tensor& ids) const {
  Call call(*this);
  return call.result("embedded", dropout(target_embedding(ids)));
}

Seq2Seq::Step Seq2Seq::step(const Variable& embedded, const Variable& state, const Memory& memory) const {
  Call call(*this);
  Attended seen = attention(unsqueeze(state, 1), memory);
  Variable context = squeeze(seen.context, 1);                                         // [B, 2N]
  Variable next = call.result("state", cell(concat({embedded, context}, -1), state));  // [B, N]
  return {next, context, squeeze(seen.weights, 1), concat({next, context, embedded}, -1)};
}

Variable Seq2Seq::logits(const Variable& readout_input) const {
  Call call(*this);
  return call.result("logits", output(dropout(readout ? tanh((*readout)(readout_input)) : readout_input)));
}

const AdditiveScore& Seq2Seq::additive() const { return static_cast<const AdditiveScore&>(*attention.score); }

bool Seq2Seq::observed() const {
  const AdditiveScore& score = additive();
  bool hooked = false;
  for (const Module* m :
       {static_cast<const Module*>(this), static_cast<const Module*>(&attention), static_cast<const Module*>(&score),
        static_cast<const Module*>(&score.query), static_cast<const Module*>(attention.scope.get()),
        static_cast<const Module*>(attention.normaliser.get()), static_cast<const Module*>(&cell)})
    hooked = hooked || !m->output_hooks.empty();
  return hooked || Observe::active();
}

Variable Seq2Seq::operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                             Tensor* weights) const {
  Call call(*this);
  auto [memory, state] = encode(source, lengths);
  if (!observed()) {
    DecoderOutputs out = attention_decoder({embed_target(target_in), state, memory.values, memory.keys, memory.allowed,
                                            additive().query.weight, additive().v, cell.weight_ih, cell.weight_hh,
                                            cell.bias_ih, cell.bias_hh});
    if (weights) *weights = out.weights.transpose(0, 1).contiguous();
    return logits(out.joined);
  }
  std::vector<Variable> embedded = unstack(embed_target(target_in), 1), outputs;  // T of [B, E]
  std::vector<Tensor> rows;
  for (const Variable& word : embedded) {
    Step s = step(word, state, memory);
    state = s.state;
    outputs.push_back(s.readout_input);
    if (weights) rows.push_back(s.weights.value());
  }
  if (weights) *weights = heed::stack(rows, 1);
  return logits(stack(outputs, 1));
}

}  // namespace heed::nn
