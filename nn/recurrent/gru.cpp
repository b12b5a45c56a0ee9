#include "nn/recurrent/gru.h"

namespace heed::nn {

GRUCell::GRUCell(const Options& o, Generator& rng)
    : RecurrentCell(kName, {.gates = 3, .input = o.input, .hidden = o.hidden, .bias = o.bias}, rng), options(o) {}

Variable GRUCell::apply_state(const Variable& in, const Variable& h, const Tensor& keep) const {
  Call call(*this);
  return call.result("state", gru_gates(in, project(h), h, keep));
}

}  // namespace heed::nn
