#include "nn/attention/recurrences/infini.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/init.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

Variable positive(const Variable& x) { return elu(x) + 1; }

// f M / (f . z), and 0 while nothing has been written. f [B, H, n, K], M [B, H, K, V], z [B, H, 1, K]
Variable recalled(const Variable& f, const Variable& M, const Variable& z) {
  Variable total = matmul(f, transpose(z, -2, -1));
  return matmul(f, M) / masked_fill(total, equal(total.value(), 0), 1);
}

}  // namespace

InfiniMixer::InfiniMixer(const MixerOptions& o, Generator& rng)
    : BlockMixer(o, "infini"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      gate(zeros_parameter({o.heads})),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

std::vector<Variable> InfiniMixer::start(int64_t B, DType dtype) const {
  const int64_t H = options.heads, K = head_width(options), C = settings.segment;
  std::vector<Variable> state;
  for (const Shape& shape : {Shape{B, H, K, K}, Shape{B, H, 1, K}, Shape{B, H, C, K}, Shape{B, H, C, K}})
    state.emplace_back(Tensor::zeros(shape, dtype));
  return state;
}

std::vector<Variable> InfiniMixer::parts(const Variable& x, const Tensor&) const {
  const int64_t H = options.heads;
  return {split_heads(query(x), H), split_heads(key(x), H), split_heads(value(x), H)};
}

Variable InfiniMixer::read(const Piece& piece, std::vector<Variable>& state) const {
  const Variable &q = piece.parts[0], M = state[0], z = state[1];
  const int64_t n = piece.columns(), to = piece.from + n;
  Variable keys = piece.placed(state[2], piece.parts[1]), values = piece.placed(state[3], piece.parts[2]);
  // Columns without a word may read old keys; nobody reads what they get.
  Tensor allowed = causal_mask({.queries = n, .keys = to, .first_query = piece.from});
  Variable e = masked_fill(scaled_scores(q, slice(keys, 2, 0, to)), logical_not(allowed), -INFINITY);
  Variable local = matmul(softmax(e), slice(values, 2, 0, to));
  Variable g = sigmoid(reshape(gate, {1, -1, 1, 1}));
  Variable o = g * recalled(positive(q), M, z) + (1 - g) * local;
  state = {M, z, keys, values};
  if (!piece.ends()) return o;
  Variable f = positive(keys);
  Variable written = settings.delta ? values - recalled(f, M, z) : values;
  state[0] = piece.after(M + matmul(transpose(f, -2, -1), written), M);
  state[1] = piece.after(z + sum(f, {2}, true), z);
  return o;
}

}  // namespace heed::nn
