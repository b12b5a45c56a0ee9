#include "nn/attention/recurrences/hgrn.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/init.h"

namespace heed::nn {

GateBounds::GateBounds(const MixerOptions& o) : options(o) {
  if (o.layer == 0 && o.layers > 1) table = zeros_parameter({o.layers, o.query});
}

Variable GateBounds::of_layer(Variable* left, DType dtype) const {
  const int64_t l = options.layer;
  if (l == 0) {
    if (left && table.defined()) {
      Variable shares = softmax(table, 0);
      *left = cumsum(shares, 0) - slice(shares, 0, 0, 1);
    }
    return {};
  }
  if (left && left->defined() && left->size(0) > l) return select(*left, 0, l);
  const double all = static_cast<double>(std::max(options.layers, l + 1));
  return Variable(Tensor::full({options.query}, static_cast<double>(l) / all, dtype));
}

BoundedGate bounded_gate(const Variable& z, const Variable& bound) {
  Variable closed = sigmoid(-z);
  if (!bound.defined()) return {closed, -softplus(-z)};  // log sigmoid(z) = -softplus(-z)
  closed = (1 - bound) * closed;
  return {closed, log1p(-closed)};
}

HgrnMixer::HgrnMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "hgrn"),
      settings(options.settings.as<Settings>()),
      input(square_layer(o.query, rng)),
      forget(square_layer(o.query, rng)),
      gate(square_layer(o.query, rng)),
      bounds(options),
      norm(ones_parameter({o.query})),
      output(square_layer(o.query, rng)) {}

Variable HgrnMixer::pass_on(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state,
                            Variable* left) const {
  const int64_t D = x.size(2);
  BoundedGate f = bounded_gate(forget(x), bounds.of_layer(left, x.dtype()));
  auto features = [D](const Variable& y) { return split_heads(y, D); };  // [B, D, T, 1]
  Variable one(Tensor::ones({x.size(0), D, x.size(1), 1}, x.dtype()));
  DecayedSums w{one, features(f.write), features(silu(input(x))), features(f.log_keep)};
  SumsRead read = sums_of(without_padding(w, words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return output(rms_norm(join_heads(read.output), norm) * silu(gate(x)));
}

}  // namespace heed::nn
