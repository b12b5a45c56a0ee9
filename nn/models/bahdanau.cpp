#include "nn/models/bahdanau.h"

namespace heed::nn {

void Bahdanau::Options::fields(OptionFields& f) {
  f.nested("source", source), f.nested("target", target);
  f.nested("encoder", encoder), f.nested("decoder", decoder);
  attention_fields(attention, f), reader_field(reader, f);
  start_fields(start, pooling, f), readout_fields(readout, f);
  f("dropout", dropout, "dropout probability", kFraction);
}

static Bahdanau::Options completed(Bahdanau::Options o) {
  require_options("Bahdanau", fields_of(o));
  o.start = completed_start(o.start, o.pooling, o.encoder.bidirectional);
  if (o.readout == 0) o.readout = o.decoder.hidden;
  require_pooling_is_read(o.pooling, o.start);
  o.attention = completed_attention(o.attention, o.decoder.hidden, o.encoder.width(), o.reader);
  return o;
}

Bahdanau::Bahdanau(const Options& given, Generator& rng)
    : options(completed(given)),
      source_embedding(embedding_of(options.source), rng),
      target_embedding(embedding_of(options.target), rng),
      encoder(recurrent_of(options.encoder, options.source.width, options.dropout), rng),
      bridge({options.start, options.pooling, options.encoder, options.decoder}, rng),
      attention({options.attention, options.reader}, rng),
      decoder({options.decoder, options.target.width + options.encoder.width(), options.dropout}, rng),
      readout({decoder.width() + options.encoder.width() + options.target.width, options.readout}, rng),
      output({.in = readout.width(), .out = options.target.vocabulary}, rng),
      dropout({.p = options.dropout}, rng) {}

Encoded Bahdanau::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  Variable x = dropout(source_embedding(source));                 // [B, S, E]
  auto [h, last, cells] = encoder(x, lengths);                    // [B, S, 2N]
  auto [s, summary] = bridge(h, lengths, encoder.outputs(last));  // s_0 of each layer
  s[0] = call.result("state", s[0]);
  h = call.result("annotations", dropout(h));
  return {{attention.remember(h, h, lengths)}, {.cell = s}};  // keys W_k h_s + b, values h_s
}

Variable Bahdanau::embed(const Tensor& words) const {
  Call call(*this);
  return call.result("embedded", dropout(target_embedding(words)));
}

Step Bahdanau::step(const Variable& y, const DecoderState& before, const Source& source) const {
  Call call(*this);
  DecoderState after = before;
  Variable c = attention.context(decoder.top(before), source, after);          // c_t = sum_s w_ts h_s, query s_{t-1}
  Variable s = call.result("state", decoder.step(concat({y, c}, -1), after));  // s_t = GRU([y_{t-1}; c_t], s_{t-1})
  Variable o = concat({decoder.output(s, after), c, y}, -1);                   // [s_t; c_t; y_{t-1}]
  return {after, o, c};
}

Variable Bahdanau::hidden(const Variable& o) const { return dropout(readout(o)); }  // tanh(W_r o_t)

Variable Bahdanau::logits(const Variable& o) const {
  Call call(*this);
  return call.result("logits", output(hidden(o)));
}

template struct Paper<Bahdanau>;

}  // namespace heed::nn
