#include "nn/models/fixed_vector.h"

namespace heed::nn {

void FixedVector::Options::fields(OptionFields& f) {
  f.nested("source", source), f.nested("target", target);
  f.nested("encoder", encoder), f.nested("decoder", decoder);
  start_fields(start, pooling, f), readout_fields(readout, f);
  f("dropout", dropout, "dropout probability", kFraction);
}

static FixedVector::Options completed(FixedVector::Options o) {
  require_options("FixedVector", fields_of(o));
  o.start = completed_start(o.start, o.pooling, false);
  if (o.readout == 0) o.readout = o.decoder.hidden;
  return o;
}

FixedVector::FixedVector(const Options& given, bool reads_c, Generator& rng)
    : options(completed(given)),
      source_embedding(embedding_of(options.source), rng),
      target_embedding(embedding_of(options.target), rng),
      encoder(recurrent_of(options.encoder, options.source.width, options.dropout), rng),
      bridge({options.start, options.pooling, options.encoder, options.decoder}, rng),
      decoder({options.decoder, options.target.width + (reads_c ? bridge.width() : 0), options.dropout}, rng),
      readout({decoder.width() + (reads_c ? bridge.width() + options.target.width : 0), options.readout}, rng),
      output({.in = readout.width(), .out = options.target.vocabulary}, rng),
      dropout({.p = options.dropout}, rng) {}

Encoded FixedVector::encode(const Tensor& source, const Tensor& lengths) const {
  Call call(*this);
  auto [h, last, cells] = encoder(dropout(source_embedding(source)), lengths);  // [B, S, A]
  auto [s, summary] = bridge(h, lengths, encoder.outputs(last));                // s_0 of each layer, and c
  s[0] = call.result("state", s[0]);
  Variable c = call.result("annotations", dropout(summary));  // [B, C]
  return {{{.values = unsqueeze(c, 1)}}, {.cell = s}};
}

Variable FixedVector::embed(const Tensor& words) const {
  Call call(*this);
  return call.result("embedded", dropout(target_embedding(words)));
}

Variable FixedVector::hidden(const Variable& o) const { return dropout(readout(o)); }  // tanh(W_r o_t)

Variable FixedVector::logits(const Variable& o) const {
  Call call(*this);
  return call.result("logits", output(hidden(o)));
}

Sutskever::Sutskever(const Options& o, Generator& rng) : Paper(o, /*reads_c=*/false, rng) {
  if (options.start == "zeros")
    throw ValueError(
        "Sutskever: a decoder that starts at zero and gets no context knows nothing of the source; got the start "
        "zeros; use last");
  require_pooling_is_read(options.pooling, options.start);
}

Step Sutskever::step(const Variable& y, const DecoderState& before, const Source&) const {
  Call call(*this);
  DecoderState after = before;
  Variable s = call.result("state", decoder.step(y, after));  // s_t = cell(y_{t-1}, s_{t-1})
  Variable o = decoder.output(s, after);
  return {after, o};
}

Step Cho::step(const Variable& y, const DecoderState& before, const Source& source) const {
  Call call(*this);
  DecoderState after = before;
  Variable c = squeeze(source.values, 1);
  Variable s = call.result("state", decoder.step(concat({y, c}, -1), after));  // s_t = cell([y_{t-1}; c], s_{t-1})
  Variable o = concat({decoder.output(s, after), c, y}, -1);
  return {after, o, c};
}

template struct Paper<Sutskever, FixedVector>;
template struct Paper<Cho, FixedVector>;

}  // namespace heed::nn
