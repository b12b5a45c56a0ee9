// Decoders in which no step reads the attention of another: with all words known, the cell goes over the whole sequence
// as one node of the graph, and all queries attend at once. The bits are those of the steps. A model with a hook takes
// the steps, so that the hook sees each of them.
#include "nn/models/fixed_vector.h"
#include "nn/models/luong.h"

namespace heed::nn {

std::optional<Decoded> at_once(const Sutskever& m, const Variable& y, const Source&, DecoderState& state, bool) {
  if (!m.output_hooks.empty()) return std::nullopt;
  return Decoded{m.decoder.outputs_of(m.decoder.steps(y, state))};
}

std::optional<Decoded> at_once(const Cho& m, const Variable& y, const Source& source, DecoderState& state, bool) {
  if (!m.output_hooks.empty()) return std::nullopt;
  Variable c = expand(source.values, {y.size(0), y.size(1), source.values.size(2)});  // [B, n, C]
  Variable s = m.decoder.steps(concat({y, c}, -1), state);
  return Decoded{concat({m.decoder.outputs_of(s), c, y}, -1)};
}

std::optional<Decoded> at_once(const Luong& m, const Variable& y, const Source& source, DecoderState& state, bool) {
  // A reader decides what weights the next step remembers.
  const bool reads_before = m.attention.reader && m.attention.set().sequential();
  if (m.options.input_feeding || reads_before || !m.output_hooks.empty()) return std::nullopt;
  Variable s = m.decoder.steps(y, state);
  Attended seen = m.attention.all(s, source, state);
  return Decoded{m.readout(concat({m.decoder.outputs_of(s), seen.context}, -1)), seen.weights, state.read};
}

}  // namespace heed::nn
