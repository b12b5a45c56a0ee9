#include "nn/recurrent/rnn.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

RNNCell::RNNCell(const Options& o, Generator& rng)
    : RecurrentCell(kName, {.gates = 1, .input = o.input, .hidden = o.hidden, .bias = o.bias}, rng), options(o) {}

Variable rnn_step(const Variable& in, const Variable& past, const Variable& h, RNNActivation f, const Tensor& keep) {
  // Without this check, a state of one row would silently be broadcast over the whole batch.
  if (in.rank() != 2 || in.shape() != h.shape() ||
      (keep.defined() && (keep.shape() != Shape{h.size(0)} || keep.dtype() != DType::boolean)))
    throw ShapeError(
        fmt::format("RNN: needs in [B, N], h [B, N] and keep [B] bool; got {}, {} and {}", to_string(in.shape()),
                    to_string(h.shape()),
                    keep.defined() ? fmt::format("{} {}", name_of(keep.dtype()), to_string(keep.shape())) : "no keep"));
  Variable next = f == RNNActivation::tanh ? tanh(in + past) : relu(in + past);
  return keep.defined() ? where(keep.unsqueeze(1), next, h) : next;
}

Variable RNNCell::apply_state(const Variable& in, const Variable& h, const Tensor& keep) const {
  Call call(*this);
  return call.result("state", rnn_step(in, project(h), h, options.activation, keep));
}

}  // namespace heed::nn
