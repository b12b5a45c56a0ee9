#include "nn/models/luong.h"

#include <fmt/format.h>

namespace heed::nn {

void Luong::Options::fields(OptionFields& f) {
  f.nested("source", source), f.nested("target", target);
  f.nested("encoder", encoder), f.nested("decoder", decoder);
  attention_fields(attention, f), reader_field(reader, f);
  f("input_feeding", input_feeding, "the cell also reads the readout of the step before");
  start_fields(start, pooling, f), readout_fields(readout, f);
  f("dropout", dropout, "dropout probability", kFraction);
}

static Luong::Options completed(Luong::Options o) {
  require_options("Luong", fields_of(o));
  o.start = completed_start(o.start, o.pooling, o.encoder.bidirectional);
  if (o.readout == 0) o.readout = o.decoder.hidden;
  require_pooling_is_read(o.pooling, o.start);
  if (o.input_feeding && o.readout == Readout::kDirect)
    throw ValueError(fmt::format("Luong: input feeding needs a readout to feed; got readout {}", o.readout));
  o.attention = completed_attention(o.attention, o.decoder.hidden, o.encoder.width(), o.reader);
  return o;
}

Luong::Luong(const Options& given, Generator& rng)
    : options(completed(given)),
      source_embedding(embedding_of(options.source), rng),
      target_embedding(embedding_of(options.target), rng),
      encoder(recurrent_of(options.encoder, options.source.width, options.dropout), rng),
      bridge({options.start, options.pooling, options.encoder, options.decoder}, rng),
      attention({options.attention, options.reader}, rng),
      decoder({options.decoder, options.target.width + (options.input_feeding ? options.readout : 0), options.dropout},
              rng),
      readout({decoder.width() + options.encoder.width(), options.readout}, rng),
      output({.in = readout.width(), .out = options.target.vocabulary}, rng),
      dropout({.p = options.dropout}, rng) {
  if (!options.input_feeding) attention.require_steps_apart("Luong");
}

Encoded Luong::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  Variable x = dropout(source_embedding(source));                 // [B, S, E]
  auto [h, last, cells] = encoder(x, lengths);                    // [B, S, A]
  auto [s, summary] = bridge(h, lengths, encoder.outputs(last));  // s_0 of each layer
  s[0] = call.result("state", s[0]);
  h = call.result("annotations", dropout(h));
  Variable r;  // r_0 = 0; undefined without input feeding
  if (options.input_feeding) r = Variable(Tensor::zeros({source.size(0), options.readout}, h.dtype()));
  return {{attention.remember(h, h, lengths)}, {.cell = s, .fed = r}};
}

Variable Luong::embed(const Tensor& words) const {
  Call call(*this);
  return call.result("embedded", dropout(target_embedding(words)));
}

Step Luong::step(const Variable& y, const DecoderState& before, const Source& source) const {
  Call call(*this);
  DecoderState after = before;
  Variable x = before.fed.defined() ? concat({y, before.fed}, -1) : y;
  Variable s = call.result("state", decoder.step(x, after));        // s_t = cell([y_{t-1}; r_{t-1}], s_{t-1})
  Variable c = attention.context(s, source, after);                 // c_t = sum_s w_ts h_s
  Variable r = readout(concat({decoder.output(s, after), c}, -1));  // r_t = tanh(W_r [s_t; c_t])
  if (options.input_feeding) after.fed = r;
  return {after, r, c};
}

Variable Luong::logits(const Variable& r) const {
  Call call(*this);
  return call.result("logits", output(hidden(r)));
}

template struct Paper<Luong>;

}  // namespace heed::nn
