#include "nn/attention/recurrences/mesa.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/segment_sums.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr double kLeastRidge = 0.25;

// x_t with (H_t + diag(lambda)) x_t = q_t for the words of a chunk; H becomes that after its last word.
Variable solved_queries(const DecayedSums& w, const Variable& ridge, Variable& H) {
  const int64_t B = w.q.size(0), heads = w.q.size(1), C = w.q.size(2), K = w.q.size(3);
  Variable among = tril(exp(segment_sums(squeeze(w.decay, -1), 2)));  // [B, H, C, C]
  Variable outer = reshape(unsqueeze(w.k, -1) * unsqueeze(w.strength * w.k, -2), {B, heads, C, K * K});
  Variable all = matmul(among, outer) + exp(cumsum(w.decay, 2)) * reshape(H, {B, heads, 1, K * K});
  Variable each = reshape(all, {B, heads, C, K, K});
  H = select(each, 2, C - 1);
  Variable diagonal = place_diagonal(unsqueeze(ridge, 1), {heads, 1, K, K});
  return squeeze(solve_positive(each + diagonal, unsqueeze(w.q, -1)), -1);
}

}  // namespace

Variable solve_positive(const Variable& a, const Variable& r) {
  const int64_t n = a.size(-1), m = r.size(-1), h = n / 2;
  if (n == 1) return r / a;
  auto block = [&](bool low, bool right) {
    return slice(slice(a, -2, low ? h : 0, low ? n : h), -1, right ? h : 0, right ? n : h);
  };
  Variable first = solve_positive(block(false, false), concat({block(false, true), slice(r, -2, 0, h)}, -1));
  Variable beside = slice(first, -1, 0, n - h), x = slice(first, -1, n - h, n - h + m);  // A^-1 B, A^-1 r
  Variable below = block(true, false);
  Variable y = solve_positive(block(true, true) - matmul(below, beside), slice(r, -2, h, n) - matmul(below, x));
  return concat({x - matmul(beside, y), y}, -2);
}

MesaRead mesa_sums(const DecayedSums& w, const Variable& ridge, int64_t chunk, const Variable& keys,
                   const Variable& values) {
  const int64_t T = w.q.size(2), K = w.q.size(3);
  Variable H = keys.defined() ? keys : Variable(Tensor::zeros({w.q.size(0), w.q.size(1), K, K}, w.q.dtype()));
  std::vector<Variable> solved;
  for (int64_t at = 0; at < T; at += chunk) {
    auto part = [&](const Variable& x) { return slice(x, 2, at, std::min(at + chunk, T)); };
    solved.push_back(solved_queries({part(w.q), part(w.k), part(w.v), part(w.decay), part(w.strength)}, ridge, H));
  }
  SumsRead read = sums_of({concat(solved, 2), w.k, w.strength * w.v, w.decay}, chunk, values);
  return {read.output, H, read.state};
}

MesaMixer::MesaMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "mesa"),
      settings(options.settings.as<Settings>()),
      projection({.in = o.query, .out = 3 * o.query, .bias = false}, rng),
      convolution({.features = 2 * o.query, .taps = settings.taps, .bias = false}, rng),
      decay({.in = o.query, .out = o.heads}, rng),
      strength({.in = o.query, .out = o.heads}, rng),
      ridge(full_parameter({o.query}, std::log(std::expm1(1 - kLeastRidge)))),
      norm(ones_parameter({head_width(options)})),
      output(square_layer(o.query, rng)) {}

Variable MesaMixer::lambda() const { return reshape(softplus(ridge) + kLeastRidge, {options.heads, -1}); }

Variable MesaMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t H = options.heads, D = options.query;
  auto before = [&](size_t i) { return state.empty() ? Variable() : state[i]; };
  Variable projected = projection(x);
  auto read = convolution(slice(projected, -1, 0, 2 * D), before(0));
  auto part = [&](int64_t i) { return unit_length(split_heads(slice(read.output, -1, i * D, (i + 1) * D), H)); };
  Variable log_a = -softplus(-decay(x));  // log sigmoid
  DecayedSums w{part(0), part(1), split_heads(slice(projected, -1, 2 * D, 3 * D), H), split_heads(log_a, H),
                split_heads(sigmoid(strength(x)), H)};
  MesaRead sums = mesa_sums(without_padding(w, words), lambda(), settings.chunk, before(1), before(2));
  state = {read.state, sums.keys, sums.values};
  return output(join_heads(rms_norm(sums.output, norm)));
}

}  // namespace heed::nn
