#include "nn/attention/recurrences/rwkv7.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// Two narrow matrices, as the authors begin: the first at 0, the second orthogonal times 0.1.
Linear narrowing(int64_t in, int64_t rank, Generator& rng) {
  Linear first({.in = in, .out = rank, .bias = false}, rng);
  first.weight.set_value(Tensor::zeros({rank, in}, parameter_dtype()));
  return first;
}
Linear widening(int64_t rank, int64_t out, bool bias, Generator& rng) {
  Linear second({.in = rank, .out = out, .bias = bias}, rng);
  const double wide = std::sqrt(std::max(1.0, static_cast<double>(rank) / static_cast<double>(out)));
  second.weight.set_value(init::orthogonal({out, rank}, rng, 0.1 * wide, parameter_dtype()));
  return second;
}

Linear within(double bound, int64_t D, Generator& rng) {  // uniform, times 1 / sqrt(D)
  Linear layer({.in = D, .out = D, .bias = false}, rng);
  bound /= std::sqrt(static_cast<double>(D));
  layer.weight.set_value(init::uniform({D, D}, rng, {-bound, bound}, parameter_dtype()));
  return layer;
}

// From -1 to 1 in each head, flat in the middle.
double zigzag(int64_t n, int64_t K) {
  const double z = K > 1 ? 2 * feature_place(n % K, K) - 1 : 0;
  return z * std::abs(z);
}

}  // namespace

Rwkv7Mixer::Rwkv7Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "rwkv7"),
      settings(options.settings.as<Settings>()),
      receptance(within(0.5, o.query, rng)),
      key(within(0.05, o.query, rng)),
      value(within(0.5, o.query, rng)),
      decay1(narrowing(o.query, settings.decay_rank, rng)),
      decay2(widening(settings.decay_rank, o.query, true, rng)),
      rate1(narrowing(o.query, settings.rate_rank, rng)),
      rate2(widening(settings.rate_rank, o.query, true, rng)),
      gate1(narrowing(o.query, settings.gate_rank, rng)),
      gate2(widening(settings.gate_rank, o.query, false, rng)),
      norm(o.query),
      output(square_layer(o.query, rng)) {
  const int64_t D = o.query, K = head_width(options);
  output.weight.set_value(Tensor::zeros({D, D}, parameter_dtype()));
  const auto [risen, left] = depth_of(o);
  const ShiftShare two{0.2 * left}, seven{0.7 * left}, nine{0.9 * left};
  mix = Variable(shares_before(D, {two, nine, seven, seven, nine, two}), Variable::kRequiresGrad);
  auto centred = [D](int64_t n) { return feature_place(n, D) - 0.5; };
  const double power = 1 + std::pow(risen, 0.3);
  decay2.bias.set_value(by_feature(D, [&](int64_t n) {
                          return -5.5 + 6 * std::pow(feature_place(n, D), power) + 2.5 * zigzag(n, K);
                        }).value());
  rate2.bias.set_value(by_feature(D, [&](int64_t n) { return -0.19 + 0.3 * zigzag(n, K) + 0.4 * centred(n); }).value());
  removal = by_feature(D, [&](int64_t n) { return 0.71 - 0.1 * centred(n); });
  key_rate = full_parameter({D}, 1.02), bonus = full_parameter({D}, -0.04);
  if (o.layer == 0) return;
  value1.emplace(narrowing(D, settings.value_rank, rng));
  value2.emplace(widening(settings.value_rank, D, true, rng));
  value2->bias.set_value(by_feature(D, [&](int64_t n) { return 0.73 - 0.4 * centred(n); }).value());
}

void Rwkv7Mixer::visit(Visitor& v) {
  v.parameter("mix", mix), v.child("receptance", receptance), v.child("key", key), v.child("value", value);
  v.child("decay1", decay1), v.child("decay2", decay2), v.child("rate1", rate1), v.child("rate2", rate2);
  if (value1) v.child("value1", *value1), v.child("value2", *value2);
  v.child("gate1", gate1), v.child("gate2", gate2);
  v.parameter("removal", removal), v.parameter("key_rate", key_rate), v.parameter("bonus", bonus);
  v.parameter("norm_weight", norm.gain), v.parameter("norm_bias", norm.bias), v.child("output", output);
}

std::vector<Variable> Rwkv7Mixer::mixed(const Variable& x, const Variable& before) const {
  Variable d = previous_words(x, before) - x;
  std::vector<Variable> all;
  for (int64_t i = 0; i < 6; ++i) all.push_back(x + d * select(mix, 0, i));
  return all;
}

DecayedSums Rwkv7Mixer::words_of(const std::vector<Variable>& x, const Variable& v) const {
  const int64_t H = options.heads;
  Variable log_w = split_heads(-std::exp(-0.5) * sigmoid(decay2(tanh(decay1(x[1])))), H);  // [B, H, T, K]
  Variable a = sigmoid(rate2(rate1(x[4]))), k = key(x[2]), kappa = split_heads(k * removal, H);
  kappa = kappa / clamp(heed::norm(kappa, 2, {-1}, true), 1e-12, HUGE_VAL);
  DecayedSums w{split_heads(receptance(x[0]), H), split_heads(k * (1 + (a - 1) * key_rate), H), split_heads(v, H)};
  w.decay = log_w, w.removed = kappa * exp(-log_w), w.erased = split_heads(a, H) * kappa;
  return w;
}

Variable Rwkv7Mixer::pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const {
  return pass_on(x, words, first, state, nullptr);
}

Variable Rwkv7Mixer::pass_on(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state,
                             Variable* left) const {
  std::vector<Variable> xs = mixed(x, state.empty() ? Variable() : state[0]);
  Variable v = value(xs[3]);
  if (left && !left->defined())
    *left = v;
  else if (left && value1)
    v = v + (*left - v) * sigmoid((*value2)((*value1)(xs[3])));
  DecayedSums w = words_of(xs, v);
  SumsRead read = sums_of(without_padding(w, words), settings.chunk, state.empty() ? Variable() : state[1]);
  state = {last_word(x), read.state};
  Variable rho = reshape(bonus, {1, options.heads, 1, -1});
  Variable own = sum(w.q * w.k * rho, {-1}, true) * w.v;  // [B, H, T, K]
  Variable gate = gate2(sigmoid(gate1(xs[5])));
  return output((norm(read.output, 64e-5) + join_heads(own)) * gate);
}

}  // namespace heed::nn
