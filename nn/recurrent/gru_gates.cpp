// The gates of a GRU for one step and for a sequence, by its rule, and the same composed of public operations. The
// decoder (nn/models/attention_decoder.h) uses the rule too.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/recurrent/gru_rule.h"
#include "nn/recurrent/one_step.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {
namespace {

void check_gates(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep) {
  bool fits = h.rank() == 2 && i.rank() == 2 && i.shape() == g.shape() &&
              i.shape() == Shape{h.size(0), 3 * h.size(1)} &&
              (!keep.defined() || (keep.shape() == Shape{h.size(0)} && keep.dtype() == DType::boolean));
  if (!fits)
    throw ShapeError(
        fmt::format("gru_gates: needs i [B, 3N], g [B, 3N], h [B, N] and keep [B] bool; got {}, {}, {} and {}",
                    to_string(i.shape()), to_string(g.shape()), to_string(h.shape()),
                    keep.defined() ? fmt::format("{} {}", name_of(keep.dtype()), to_string(keep.shape())) : "no keep"));
  require_same_dtype("gru_gates", i.value(), h.value());
  require_same_dtype("gru_gates", g.value(), h.value());
}

}  // namespace

Variable gru_gates_composed(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep) {
  check_gates(i, g, h, keep);
  int64_t N = h.size(1);
  auto gi = split(i, {N, N, N}, -1), gg = split(g, {N, N, N}, -1);  // r, z, n each [B, N]
  Variable r = sigmoid(gi[0] + gg[0]);
  Variable z = sigmoid(gi[1] + gg[1]);
  Variable n = tanh(gi[2] + r * gg[2]);
  Variable next = (1 - z) * n + z * h;
  return keep.defined() ? where(keep.unsqueeze(1), next, h) : next;
}

Variable gru_gates(const Variable& i, const Variable& g, const Variable& h, const Tensor& keep) {
  check_gates(i, g, h, keep);
  auto composed = [](const Variable& in, const Variable& past, const std::array<Variable, 1>& state,
                     const Tensor& kept) { return std::vector{gru_gates_composed(in, past, state[0], kept)}; };
  return one_step<GRURule>(i, g, {h}, keep, composed)[0];
}

SequenceStates gru_sequence(const SequenceInputs& inputs) { return run_sequence<GRURule>(inputs); }

}  // namespace heed::nn
