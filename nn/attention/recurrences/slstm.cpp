#include "nn/attention/recurrences/slstm.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

HeadwiseLinear gate_of(const MixerOptions& o, Generator& rng) {
  return HeadwiseLinear({o.query, o.heads, std::sqrt(2.0 / (5.0 * static_cast<double>(o.query)))}, rng);
}

// Of f: 5 - 12 r^(0.3 + 1.3 l), r the place of the feature in its head and l that of the layer, both from 0 to 1.
Variable first_biases(const MixerOptions& o) {
  auto share = [](int64_t i, int64_t n) { return n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0; };
  const int64_t K = head_width(o);
  const double power = 0.3 + 1.3 * share(o.layer, o.layers);
  Tensor b = Tensor::zeros({4, o.query}, parameter_dtype());
  for (int64_t d = 0; d < o.query; ++d) b.set({1, d}, 5 - 12 * std::pow(share(d % K, K), power));
  return {b, Variable::kRequiresGrad};
}

}  // namespace

SlstmState slstm_start(int64_t batch, int64_t features, DType dtype) {
  Variable zero(Tensor::zeros({batch, features}, dtype));
  return {zero, zero, Variable(Tensor::full({batch, features}, -INFINITY, dtype)), zero};
}

SlstmState slstm_step(const Variable& i, const Variable& f, const Variable& z, const Variable& o,
                      const SlstmState& before) {
  Variable kept = before.m - softplus(-f);  // log sigmoid(f) + m
  Variable m = maximum(kept, i), keep = exp(kept - m), write = exp(i - m);
  Variable c = keep * before.c + write * tanh(z), n = keep * before.n + write;
  return {c, n, m, sigmoid(o) * c / n};
}

SlstmMixer::SlstmMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "slstm"),
      settings(options.settings.as<Settings>()),
      convolution({.features = o.query, .taps = settings.taps}, rng),
      input_gate(gate_of(options, rng)),
      forget_gate(gate_of(options, rng)),
      cell_input(gate_of(options, rng)),
      output_gate(gate_of(options, rng)),
      recurrent(zeros_parameter({4, o.heads, head_width(options), head_width(options)})),
      bias(first_biases(options)),
      norm(ones_parameter({o.query})) {}

Variable SlstmMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t B = x.size(0), T = x.size(1), D = x.size(2), H = options.heads;
  const bool starts = state.empty();
  auto seen = convolution(x, starts ? Variable() : state[0]);
  Variable gates = stack({input_gate(seen.output), forget_gate(seen.output), cell_input(x), output_gate(x)}, 0);
  gates = gates + reshape(bias, {4, 1, 1, D});  // [4, B, T, D]
  SlstmState s = starts ? slstm_start(B, D, x.dtype()) : SlstmState{state[1], state[2], state[3], state[4]};
  std::vector<Variable> outputs;
  for (int64_t t = 0; t < T; ++t) {
    Variable h = transpose(reshape(s.h, {B, H, D / H}), 0, 1);                  // [H, B, K]
    Variable back = reshape(transpose(matmul(h, recurrent), 1, 2), {4, B, D});  // of [4, H, B, K]
    std::vector<Variable> raw = chunk(select(gates, 2, t) + back, 4, 0);        // [1, B, D] each
    auto gate = [&](size_t g) { return squeeze(raw[g], 0); };
    SlstmState next = slstm_step(gate(0), gate(1), gate(2), gate(3), s);
    outputs.push_back(next.h);
    if (!words.defined()) {
      s = next;
      continue;
    }
    const Tensor word = words.slice(1, t, t + 1);  // [B, 1]: padding does no step
    s = {where(word, next.c, s.c), where(word, next.n, s.n), where(word, next.m, s.m), where(word, next.h, s.h)};
  }
  state = {seen.state, s.c, s.n, s.m, s.h};
  return join_heads(layer_norm(split_heads(stack(outputs, 1), H))) * norm;
}

}  // namespace heed::nn
