#include "nn/attention/recurrences/rg_lru.h"

#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/attention/recurrences/initial_steps.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

constexpr double kSharpness = 8, kSteepestRoot = 1000;

// x [B, T, E], W [H, E / H, E / H], b [E] -> [B, T, E]
Variable block_diagonal(const Variable& x, const Variable& W, const Variable& b) {
  return join_heads(matmul(split_heads(x, W.size(0)), W)) + b;
}
void begin_normal(Linear& layer, double variance, Generator& rng) {
  const Shape shape = layer.weight.shape();
  layer.weight = normal_parameter(shape, std::sqrt(variance / static_cast<double>(shape[1])), rng);
  layer.bias = zeros_parameter({shape[0]});
}

}  // namespace

Variable bounded_root(const Variable& x, double most) {
  return attach("bounded_root", {x}, sqrt(x.value()), [saved = save(x), most](Grads& g, const Variable& dy) {
    g.add(0, dy / sqrt(clamp(4 * g[saved], 1 / (most * most), HUGE_VAL)));
  });
}

RgLruMixer::RgLruMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "rg_lru"),
      settings(options.settings.as<Settings>()),
      inner(settings.inner * o.query),
      gate({.in = o.query, .out = inner}, rng),
      input({.in = o.query, .out = inner}, rng),
      convolution({.features = inner, .taps = settings.taps, .silu = false}, rng),
      input_gate_bias(zeros_parameter({inner})),
      decay_gate_bias(zeros_parameter({inner})),
      output({.in = inner, .out = o.query}, rng) {
  head_width(options);
  const int64_t H = o.heads, K = inner / H;
  for (Linear* layer : {&gate, &input}) begin_normal(*layer, 1, rng);
  begin_normal(output, options.layers > 0 ? 2 / static_cast<double>(options.layers) : 1, rng);
  convolution.weight =
      normal_parameter({settings.taps, inner}, 0.1 / std::sqrt(static_cast<double>(settings.taps)), rng);
  convolution.bias = zeros_parameter({inner});
  for (Variable* weight : {&input_gate_weight, &decay_gate_weight})
    *weight = normal_parameter({H, K, K}, 1 / std::sqrt(static_cast<double>(K)), rng);
  rate = spread_parameter({inner}, rng, [](double p) {
    double radius = std::sqrt(0.9 * 0.9 + p * (0.999 * 0.999 - 0.9 * 0.9));
    return std::log(1 / radius - 1);  // exp(-softplus) is the radius
  });
}

Variable RgLruMixer::log_decay(const Variable& u) const {
  return -kSharpness * sigmoid(block_diagonal(u, decay_gate_weight, decay_gate_bias)) * softplus(rate);
}

Variable RgLruMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t B = x.size(0), T = x.size(1);
  const bool begins = state.empty();
  Variable projected = words_only(input(x), words);  // padding is 0 again, after the bias
  auto read = convolution(projected, begins ? Variable() : state[0]);
  const Variable& u = read.output;
  Variable i = sigmoid(block_diagonal(u, input_gate_weight, input_gate_bias)), log_a = log_decay(u);
  Variable a = exp(log_a), factor = bounded_root(-expm1(2 * log_a), kSteepestRoot);
  // The number of words up to each one, [B, T, 1]: the first of a sentence has the count 1.
  Tensor ones = words.defined() ? words.to(x.dtype()).unsqueeze(-1) : Tensor::ones({B, T, 1}, x.dtype());
  Tensor count = cumsum(begins ? ones : concat({state[2].value(), ones}, 1), 1);
  if (!begins) count = count.slice(1, 1, T + 1);
  Tensor first = logical_and(equal(count, 1), greater(ones, 0));
  a = masked_fill(a, first, 0), factor = masked_fill(factor, first, 1);
  Variable written = factor * i * u;
  if (words.defined()) a = masked_fill(a, padding_of(words, 3), 1), written = words_only(written, words);
  Variable h = diagonal_scan(a, written, settings.chunk, begins ? Variable() : state[1]);
  state = {read.state, last_word(h), Variable(minimum(count.slice(1, T - 1, T), Tensor::ones({}, x.dtype())))};
  return output(gelu(gate(x), Gelu::tanh_form) * h);
}

}  // namespace heed::nn
