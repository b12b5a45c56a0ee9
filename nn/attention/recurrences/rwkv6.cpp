#include "nn/attention/recurrences/rwkv6.h"

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr init::Interval kNarrow{-0.01, 0.01};

}  // namespace

Rwkv6Mixer::Rwkv6Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "rwkv6"),
      settings(options.settings.as<Settings>()),
      shift1({.in = o.query, .out = 5 * settings.shift_rank, .bias = false}, rng),
      shift2(init::uniform({5, settings.shift_rank, o.query}, rng, kNarrow, parameter_dtype()),
             Variable::kRequiresGrad),
      decay1({.in = o.query, .out = settings.decay_rank, .bias = false}, rng),
      decay2({.in = settings.decay_rank, .out = o.query}, rng),
      bonus(first_bonuses(o)),
      receptance(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      gate(square_layer(o.query, rng)),
      norm(o.query),
      output(square_layer(o.query, rng)) {
  head_width(options);
  const auto [risen, left] = depth_of(o);
  const ShiftShare all{left}, value_share{left, 0.3 * risen}, half{left / 2};
  mix = Variable(shares_before(o.query, {all, all, all, value_share, half, half}), Variable::kRequiresGrad);
  shift1.weight.set_value(Tensor::zeros(shift1.weight.shape(), parameter_dtype()));
  decay1.weight.set_value(Tensor::zeros(decay1.weight.shape(), parameter_dtype()));
  decay2.weight.set_value(init::uniform(decay2.weight.shape(), rng, kNarrow, parameter_dtype()));
  decay2.bias.set_value(first_decays(o).value());
}

Variable Rwkv6Mixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  Variable d = previous_words(x, state.empty() ? Variable() : state[0]) - x;
  Variable z = tanh(shift1(x + d * select(mix, 0, 0)));  // [B, T, 5 R]
  std::vector<Variable> part = chunk(z, 5, -1);
  auto mixed = [&](int64_t i) {  // w, k, v, r, g
    return x + d * (select(mix, 0, 1 + i) + matmul(part[static_cast<size_t>(i)], select(shift2, 0, i)));
  };
  Variable S = state.empty() ? Variable() : state[1];
  Variable log_w = -exp(decay2(tanh(decay1(mixed(0)))));  // [B, T, D]
  Variable o = read_with_bonus({receptance(mixed(3)), key(mixed(1)), value(mixed(2)), log_w}, bonus, words, options,
                               settings.chunk, S);
  state = {last_word(x), S};
  return output(norm(o, 64e-5) * silu(gate(mixed(4))));
}

}  // namespace heed::nn
