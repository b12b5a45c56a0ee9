// The decoder of Bahdanau et al. with all words known, as one node of the graph (nn/models/attention_decoder.h). The
// bits are those of the steps. It replaces them if the cell is one GRU, the attention is additive with a softmax over
// all words, no hook watches single steps, and the alignment needs no gradient.
#include "nn/attention/scores/additive.h"
#include "nn/models/attention_decoder.h"
#include "nn/models/bahdanau.h"
#include "nn/observe.h"

namespace heed::nn {

static bool watched(std::initializer_list<const Module*> modules) {
  bool hooked = Observe::active();
  for (const Module* m : modules) hooked = hooked || !m->output_hooks.empty();
  return hooked;
}

std::optional<Decoded> at_once(const Bahdanau& m, const Variable& y, const Source& source, DecoderState& state,
                               bool weights) {
  const AttentionOptions& stages = m.attention.stages;
  const auto* score = dynamic_cast<const AdditiveScore*>(m.attention.score.get());
  const auto* gru = std::get_if<GRU>(&m.decoder.layers);
  if (!gru || gru->cells.size() != 1 || !score || !m.attention.normaliser->is_softmax() || stages.dropout > 0 ||
      m.attention.evaluator || m.attention.reader || m.decoder.memory ||
      stages.scope.name != default_stage(Kind::scope) || stages.position.name != default_stage(Kind::position) ||
      state.alignment.position > 0 || (weights && grad_enabled()))
    return std::nullopt;
  const GRUCell& cell = gru->cells[0];
  if (watched({&m, &m.attention, score, &score->query, m.attention.normaliser.get(), &m.decoder, &cell}))
    return std::nullopt;
  DecoderOutputs out =
      attention_decoder({y, state.cell[0], source.values, source.keys, source.allowed, score->query.weight, score->v,
                         cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh});
  const int64_t n = y.size(1), N = state.cell[0].size(1);
  state.cell[0] = slice(select(out.joined, 1, n - 1), 1, 0, N);
  state.alignment.position += n;
  Variable rows = out.weights.transpose(0, 1).contiguous();  // [B, n, S], without a gradient
  state.alignment.weights = select(rows, 1, n - 1);
  return Decoded{out.joined, rows};
}

}  // namespace heed::nn
