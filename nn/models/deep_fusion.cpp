#include "nn/models/deep_fusion.h"

#include <fmt/format.h>

namespace heed::nn {

void DeepFusion::Options::fields(OptionFields& f) {
  f.nested("source", source), f.nested("target", target);
  f.nested("encoder", encoder), f.nested("decoder", decoder);
  attention_fields(attention, f);
  start_fields(start, pooling, f), readout_fields(readout, f);
  f("dropout", dropout, "dropout probability", kFraction);
}

void DeepFusion::Options::check() const {
  const EncoderOptions& e = encoder;
  if (!keeps_tape(e.cell) || !keeps_tape(decoder.cell) || e.bidirectional || decoder.layers != 1)
    throw ValueError(fmt::format(
        "DeepFusion: needs the cell {} on both sides, an encoder of one direction and one decoder layer; got the cells "
        "{} and {}, {} and {} decoder layers",
        cells_with_tape(), e.cell, decoder.cell, e.bidirectional ? "two directions" : "one direction", decoder.layers));
  if (e.hidden != decoder.hidden)
    throw ValueError(fmt::format(
        "DeepFusion: both memory cells must have one size; got {} and {} hidden units; hint: --hidden sets both",
        e.hidden, decoder.hidden));
}

static DeepFusion::Options completed(DeepFusion::Options o) {
  require_options("DeepFusion", fields_of(o));
  o.check();
  o.start = completed_start(o.start, o.pooling, false);
  if (o.readout == 0) o.readout = o.decoder.hidden;
  require_pooling_is_read(o.pooling, o.start);
  o.attention = completed_attention(o.attention, o.target.width + o.decoder.hidden, o.encoder.width(), "");
  return o;
}

DeepFusion::DeepFusion(const Options& given, Generator& rng)
    : options(completed(given)),
      source_embedding(embedding_of(options.source), rng),
      target_embedding(embedding_of(options.target), rng),
      encoder(recurrent_of(options.encoder, options.source.width, options.dropout), rng),
      bridge({options.start, options.pooling, options.encoder, options.decoder}, rng),
      attention({options.attention}, rng),
      gate({.in = options.encoder.width() + options.target.width, .out = options.decoder.hidden}, rng),
      decoder({options.decoder, options.target.width, options.dropout}, rng),
      readout({decoder.width() + options.encoder.width() + options.target.width, options.readout}, rng),
      output({.in = readout.width(), .out = options.target.vocabulary}, rng),
      dropout({.p = options.dropout}, rng) {}

Encoded DeepFusion::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  auto [g, last, a] = encoder(dropout(source_embedding(source)), lengths);  // [B, S, N] each
  auto [s, summary] = bridge(g, lengths, encoder.outputs(last));            // s_0 of each layer
  s[0] = call.result("state", s[0]);
  Variable zero = Tensor::zeros({source.size(0), options.decoder.hidden}, g.dtype());  // g~_0
  g = call.result("annotations", dropout(g));
  return {{attention.remember(g, concat({g, a}, -1), lengths)}, {.cell = s, .fed = zero}};
}

Variable DeepFusion::embed(const Tensor& words) const {
  Call call(*this);
  return call.result("embedded", dropout(target_embedding(words)));
}

Step DeepFusion::step(const Variable& y, const DecoderState& before, const Source& source) const {
  Call call(*this);
  DecoderState after = before;
  Variable query = concat({y, before.fed}, -1);  // [y_{t-1}; g~_{t-1}]
  auto read = chunk(attention.context(query, source, after), 2, -1);
  Variable g = after.fed = read[0], a = read[1];                     // g~_t, a~_t
  Variable r = sigmoid(gate(concat({g, y}, -1)));                    // r_t
  Variable s = call.result("state", decoder.step(y, after, r * a));  // c_t = r_t a~_t + .., s_t = o_t tanh(c_t)
  Variable o = concat({decoder.output(s, after), g, y}, -1);         // [s_t; g~_t; y_{t-1}]
  return {after, o, g};
}

Variable DeepFusion::hidden(const Variable& o) const { return dropout(readout(o)); }

Variable DeepFusion::logits(const Variable& o) const {
  Call call(*this);
  return call.result("logits", output(hidden(o)));
}

template struct Paper<DeepFusion>;

}  // namespace heed::nn
