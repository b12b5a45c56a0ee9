#include "nn/attention/recurrences/mamba3.h"

#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

constexpr double kSlowest = 1e-4;  // the least rate of decay

// 1 + x, and 1 / (1 - x) below 0. Each branch is given 0 where the other one counts.
Variable heavy(const Variable& x) {
  Variable up = relu(x);
  return (1 + up) / (1 + (up - x));
}

// The pairs (2 i, 2 i + 1) of the first features turned by the angles. x [.., N], angle [.., n], 2 n <= N.
Variable turned(const Variable& x, const Variable& angle) {
  const int64_t n = angle.size(-1), N = x.size(-1);
  Variable one = slice(x, -1, 0, 2 * n, 2), two = slice(x, -1, 1, 2 * n, 2), c = cos(angle), s = sin(angle);
  Variable pairs = stack({one * c - two * s, one * s + two * c}, -1);  // [.., n, 2]
  Shape flat = x.shape();
  flat[flat.rank() - 1] = 2 * n;
  return concat({reshape(pairs, flat), slice(x, -1, 2 * n, N)}, -1);
}

}  // namespace

Mamba3Mixer::Mamba3Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "mamba3"),
      settings(options.settings.as<Settings>()),
      inner(settings.inner * o.query),
      angles(settings.state / 4),
      projection({.in = o.query, .out = 2 * inner + 2 * settings.state + 3 * o.heads + angles, .bias = false}, rng),
      step_bias(spread_softplus_steps({o.heads}, rng)),
      key_norm(ones_parameter({settings.state})),
      key_bias(ones_parameter({o.heads, settings.state})),
      query_norm(ones_parameter({settings.state})),
      query_bias(ones_parameter({o.heads, settings.state})),
      skip(ones_parameter({o.heads})),
      output({.in = inner, .out = o.query, .bias = false}, rng) {
  head_width(options);
}

Mamba3Mixer::Words Mamba3Mixer::words_of(const Variable& x, const Tensor& words,
                                         const std::vector<Variable>& state) const {
  const int64_t H = options.heads, N = settings.state;
  std::vector<Variable> part = split(projection(x), {inner, inner, N, N, H, H, H, angles}, -1);
  auto of_heads = [&](const Variable& y, const Variable& w, const Variable& b) {  // [B, T, N] -> [B, H, T, N]
    return unsqueeze(rms_norm(y, w), 1) + unsqueeze(b, 1);
  };
  Words out;
  out.z = part[0], out.v = split_heads(part[1], H);
  Variable d = softplus(part[4] + step_bias);  // [B, T, H]
  if (words.defined()) d = masked_fill(d, padding_of(words, 3), 0);
  out.step = split_heads(d, H);
  out.decay = out.step * -split_heads(clamp(heavy(part[5]), kSlowest, HUGE_VAL), H);
  out.own = split_heads(sigmoid(part[6]), H);
  out.angle = cumsum(unsqueeze(std::numbers::pi * tanh(part[7]), 1) * out.step, 2);
  if (!state.empty()) out.angle = out.angle + state[1];
  out.k = turned(of_heads(part[2], key_norm, key_bias), out.angle);
  out.q = turned(of_heads(part[3], query_norm, query_bias), out.angle);
  auto before = [&](const Variable& y, size_t kept) {
    Variable past = slice(y, 2, 0, y.size(2) - 1);
    return state.empty() ? pad(past, {{.axis = 2, .before = 1}}) : concat({state[kept], past}, 2);
  };
  out.k_before = before(out.k, 2), out.v_before = before(out.v, 3);
  return out;
}

SumsRead Mamba3Mixer::read(const Words& w, const Variable& sums) const {
  SumsRead own = sums_of({w.q, w.k, w.own * w.step * w.v, w.decay}, settings.chunk, sums);
  Variable share = (1 - w.own) * w.step * exp(w.decay);
  SumsRead past = sums_of({w.q, w.k_before, share * w.v_before, w.decay}, settings.chunk, {});
  return {own.output + past.output, own.state + past.state};
}

Variable Mamba3Mixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t T = x.size(1);
  Words w = words_of(x, words, state);
  SumsRead all = read(w, state.empty() ? Variable() : state[0]);
  Variable o = all.output + reshape(skip, {-1, 1, 1}) * w.v;
  auto last = [&](const Variable& y) { return slice(y, 2, T - 1, T); };
  // The angle of the last word, less whole turns.
  Variable angle = last(w.angle);
  Tensor turns = floor(div(angle.value(), 2 * std::numbers::pi));
  state = {all.state, angle - Variable(mul(turns, 2 * std::numbers::pi)), last(w.k), last(w.v)};
  return output(join_heads(o) * silu(w.z));
}

}  // namespace heed::nn
