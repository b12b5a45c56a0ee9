#include "nn/attention/recurrences/neural_memory.h"

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/segment_sums.h"
#include "nn/init.h"

namespace heed::nn {

NeuralMemoryMixer::NeuralMemoryMixer(const MixerOptions& o, Generator& rng)
    : BlockMixer(o, "neural_memory"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      forget({.in = o.query, .out = o.heads}, rng),
      momentum({.in = o.query, .out = o.heads}, rng),
      rate({.in = o.query, .out = o.heads}, rng),
      first(normal_parameter({o.heads, head_width(options), head_width(options)}, 0.02, rng)),
      gate(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)) {}

std::vector<Variable> NeuralMemoryMixer::start(int64_t B, DType dtype) const {
  const int64_t H = options.heads, K = head_width(options);
  Variable M = expand(unsqueeze(first, 0), {B, H, K, K});
  return {M, Variable(Tensor::zeros({B, H, K, K}, dtype)), M};
}

std::vector<Variable> NeuralMemoryMixer::parts(const Variable& x, const Tensor&) const {
  const int64_t H = options.heads;
  auto head = [&](const Linear& layer) { return split_heads(layer(x), H); };
  return {unit_length(silu(head(query))), unit_length(silu(head(key))), silu(head(value)),
          -softplus(head(forget)),        -softplus(-head(momentum)),   sigmoid(head(rate))};
}

Variable NeuralMemoryMixer::read(const Piece& piece, std::vector<Variable>& state) const {
  const int64_t n = piece.columns();
  const Variable &q = piece.parts[0], &k = piece.parts[1], M = state[0], S = state[1];
  const Variable keep = piece.words_of(piece.parts[3]),
                 eta = piece.words_of(piece.parts[4]);  // logarithms [B, H, n, 1]
  Variable step = piece.words_of(piece.parts[5] * 2 * (matmul(k, state[2]) - piece.parts[2]));  // [B, H, n, K]
  // From word s or r to word t, [B, H, n, n]; and from before the piece to word t, [B, H, n, 1].
  auto decays = [](const Variable& log) { return tril(exp(segment_sums(squeeze(log, -1), 2))); };
  Variable kept = decays(keep), carried = decays(eta), kept_all = exp(cumsum(keep, 2)),
           carried_all = exp(cumsum(eta, 2));
  // Where there is no word, S is not added to M again.
  if (piece.words.defined()) kept = masked_fill(kept, logical_not(piece.words).transpose(2, 3), 0);
  Variable weights = matmul(kept, carried), of_surprise = matmul(kept, carried_all);
  Variable o =
      kept_all * matmul(q, M) + of_surprise * matmul(q, S) - matmul(weights * matmul(q, transpose(k, -2, -1)), step);
  auto last = [&](const Variable& y) { return slice(y, 2, n - 1, n); };
  auto written = [&](const Variable& w) { return matmul(transpose(k * transpose(last(w), -2, -1), -2, -1), step); };
  Variable next = last(kept_all) * M + last(of_surprise) * S - written(weights);
  state = {next, last(carried_all) * S - written(carried), piece.after(next, state[2])};
  return rms_norm(o);
}

Variable NeuralMemoryMixer::finished(const Variable& x, const Variable& o) const {
  return output(o * sigmoid(gate(x)));
}

}  // namespace heed::nn
