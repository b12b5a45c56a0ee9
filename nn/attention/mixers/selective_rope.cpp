#include "nn/attention/mixers/selective_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/recurrences/delta_rule.h"

namespace heed::nn {
namespace {

constexpr int64_t kUnturned = 64;  // words after which whole turns are removed

}  // namespace

Variable summed_angles(const Variable& w, double base, const Variable& before) {
  const int64_t T = w.size(2), P = w.size(3);
  Tensor theta = Tensor::empty({P}, w.dtype());
  for (int64_t i = 0; i < P; ++i) theta.set({i}, std::pow(base, -static_cast<double>(i) / static_cast<double>(P)));
  auto unturned = [](const Variable& y) {
    return y - Variable(mul(floor(div(y.value(), 2 * std::numbers::pi)), 2 * std::numbers::pi));
  };
  Variable turns = w * Variable(theta), carried = before.defined() ? unturned(before) : before;
  std::vector<Variable> sums;
  for (int64_t at = 0; at < T; at += kUnturned) {
    Variable some = cumsum(slice(turns, 2, at, std::min(at + kUnturned, T)), 2);
    if (carried.defined()) some = some + carried;
    sums.push_back(some);
    carried = unturned(slice(some, 2, some.size(2) - 1, some.size(2)));
  }
  return concat(sums, 2);
}

Variable turned_by(const Variable& x, const Variable& angles) {
  const int64_t P = angles.size(3);
  Variable a = slice(x, 3, 0, P), b = slice(x, 3, P, 2 * P), c = cos(angles), s = sin(angles);
  return concat({a * c - b * s, a * s + b * c}, 3);
}

SelectiveRopeMixer::SelectiveRopeMixer(const MixerOptions& o, Generator& rng)
    : OwnCacheMixer(o, "selective_rope", rng),
      settings(options.settings.as<Settings>()),
      w_down({.in = o.query, .out = settings.rank, .bias = false}, rng),
      w_up({.in = settings.rank, .out = o.query / 2, .bias = false}, rng),
      convolution({.features = o.query / 2, .taps = settings.taps, .bias = false, .silu = false}, rng),
      gate({.in = o.query, .out = o.heads}, rng) {
  if (head_width(options) % 2 != 0)
    throw ValueError(
        fmt::format("selective_rope: the features of a head are turned in pairs, so their number must be even; got {}",
                    head_width(options)));
}

Attended SelectiveRopeMixer::read_after(const OwnHeads& h, std::vector<Variable>& state) const {
  const bool follows = !state.empty();
  const int64_t H = options.heads;
  Variable x = join_heads(unit_length(split_heads(h.x, H)));  // [B, n, D]
  auto read = convolution(w_up(w_down(x)), follows ? state[0] : Variable());
  Variable w = split_heads(read.output, H);  // [B, H, n, K / 2]
  if (settings.gate) w = w * split_heads(sigmoid(gate(x)), H);
  if (h.words.defined())
    w = masked_fill(w, logical_not(h.words).unsqueeze(1).unsqueeze(-1), 0);  // padding turns nothing
  Variable angles = summed_angles(w, settings.base, follows ? state[1] : Variable());
  OwnHeads turned = h;
  turned.q = turned_by(h.q, angles), turned.k = turned_by(h.k, angles);
  if (follows) turned.k = concat({state[2], turned.k}, 2), turned.v = concat({state[3], h.v}, 2);
  state = {read.state, slice(angles, 2, angles.size(2) - 1, angles.size(2)), turned.k, turned.v};
  return attend(turned.scores(), turned.v, h.allowed);
}

}  // namespace heed::nn
