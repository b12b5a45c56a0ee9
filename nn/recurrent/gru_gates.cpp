// The gates of a GRU for one step and for a sequence, by its rule, and the same composed of public operations. The
// decoder (nn/models/attention_decoder.h) uses the rule too.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/recurrent/gru_rule.h"
#include "nn/recurrent/one_step.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {
namespace {

void check_gates(const Variable& in, const Variable& past, const Variable& h, const Tensor& keep) {
  bool fits = h.rank() == 2 && in.rank() == 2 && in.shape() == past.shape() &&
              in.shape() == Shape{h.size(0), 3 * h.size(1)} &&
              (!keep.defined() || (keep.shape() == Shape{h.size(0)} && keep.dtype() == DType::boolean));
  if (!fits)
    throw ShapeError(
        fmt::format("gru_gates: needs in [B, 3N], past [B, 3N], h [B, N] and keep [B] bool; got {}, {}, {} and {}",
                    to_string(in.shape()), to_string(past.shape()), to_string(h.shape()),
                    keep.defined() ? fmt::format("{} {}", name_of(keep.dtype()), to_string(keep.shape())) : "no keep"));
  require_same_dtype("gru_gates", in.value(), h.value());
  require_same_dtype("gru_gates", past.value(), h.value());
}

}  // namespace

Variable gru_gates_composed(const Variable& in, const Variable& past, const Variable& h, const Tensor& keep) {
  check_gates(in, past, h, keep);
  int64_t N = h.size(1);
  auto u = split(in, {N, N, N}, -1), v = split(past, {N, N, N}, -1);  // of r, z and n, [B, N] each
  Variable r = sigmoid(u[0] + v[0]);
  Variable z = sigmoid(u[1] + v[1]);
  Variable n = tanh(u[2] + r * v[2]);
  Variable next = (1 - z) * n + z * h;
  return keep.defined() ? where(keep.unsqueeze(1), next, h) : next;
}

Variable gru_gates(const Variable& in, const Variable& past, const Variable& h, const Tensor& keep) {
  check_gates(in, past, h, keep);
  auto composed = [](const Variable& i, const Variable& p, const std::array<Variable, 1>& old, const Tensor& kept) {
    return std::vector{gru_gates_composed(i, p, old[0], kept)};
  };
  return one_step<GRURule>(in, past, {h}, keep, composed)[0];
}

SequenceStates gru_sequence(const SequenceInputs& inputs) { return run_sequence<GRURule>(inputs); }

}  // namespace heed::nn
