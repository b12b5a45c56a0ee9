#include "nn/recurrent/gru.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/recurrent/padding.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

const GRUOptions& checked(const GRUOptions& o) {
  if (o.input < 1 || o.hidden < 1)
    throw ValueError(fmt::format("GRU: widths must be positive; got input {} and hidden {}", o.input, o.hidden));
  return o;
}

}  // namespace

GRUCell::GRUCell(const Options& o, Generator& rng)
    : options(checked(o)),
      weight_ih(uniform_parameter({3 * o.hidden, o.input}, o.hidden, rng)),
      weight_hh(uniform_parameter({3 * o.hidden, o.hidden}, o.hidden, rng)) {
  if (o.bias) {
    bias_ih = uniform_parameter({3 * o.hidden}, o.hidden, rng);
    bias_hh = uniform_parameter({3 * o.hidden}, o.hidden, rng);
  }
}
Variable GRUCell::apply_input(const Variable& x) const {
  Call call(*this);
  return call.result("gates", linear(x, weight_ih, bias_ih));
}
Variable GRUCell::apply_state(const Variable& i, const Variable& h, const Tensor& keep) const {
  Call call(*this);
  return call.result("state", gru_gates(i, linear(h, weight_hh, bias_hh), h, keep));
}

GRU::GRU(const Options& o, Generator& rng) : options(o), dropout({.p = o.dropout}, rng) {
  if (o.layers < 1) throw ValueError(fmt::format("GRU: needs at least one layer; got {}", o.layers));
  for (int64_t layer = 0; layer < o.layers; ++layer)
    for (int64_t d = 0; d < directions(); ++d) {
      GRUOptions cell = o;
      cell.input = layer == 0 ? o.input : o.hidden * directions();
      cells.emplace_back(cell, rng);
    }
}

void GRU::visit(Visitor& v) {
  for (size_t k = 0; k < cells.size(); ++k) {
    auto d = static_cast<size_t>(directions());
    std::string suffix = fmt::format("_l{}{}", k / d, k % d ? "_reverse" : "");
    v.parameter("weight_ih" + suffix, cells[k].weight_ih);
    v.parameter("weight_hh" + suffix, cells[k].weight_hh);
    v.parameter("bias_ih" + suffix, cells[k].bias_ih);
    v.parameter("bias_hh" + suffix, cells[k].bias_hh);
  }
  v.child("dropout", dropout);
}

namespace {

// One direction of one layer. inputs[t] [B, 3N], state [B, N] -> states[t] [B, N]; `state` becomes the last one.
std::vector<Variable> run_direction(const GRUCell& cell, const Variable& x, Variable& state,
                                    const std::vector<Tensor>& keep, bool backwards) {
  std::vector<Variable> inputs = unstack(cell.apply_input(x), 1), states(inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    size_t t = backwards ? inputs.size() - 1 - k : k;
    state = cell.apply_state(inputs[t], state, keep.empty() ? Tensor() : keep[t]);
    states[t] = state;
  }
  return states;
}

}  // namespace

SequenceOutput GRU::operator()(const Variable& x, const Tensor& lengths, const Variable& initial) const {
  Call call(*this);
  if (x.rank() != 3 || x.size(2) != options.input || x.size(1) == 0)
    throw ShapeError(
        fmt::format("GRU: needs x [B, T, {}] with T at least 1; got {}", options.input, to_string(x.shape())));
  int64_t B = x.size(0), T = x.size(1), N = options.hidden, D = directions(), L = options.layers;
  if (initial.defined() && !(initial.shape() == Shape{L * D, B, N}))
    throw ShapeError(fmt::format("GRU: the initial state must be [layers x directions, B, N] = {}; got {}",
                                 to_string(Shape{L * D, B, N}), to_string(initial.shape())));
  if (lengths.defined() && !(lengths.shape() == Shape{B}))
    throw ShapeError(
        fmt::format("GRU: needs one length a sentence, {}; got {}", to_string(Shape{B}), to_string(lengths.shape())));
  Tensor valid = lengths.defined() ? length_mask(lengths, T) : Tensor();  // [B, T]
  std::vector<Tensor> keep;                                               // T of [B]
  for (int64_t t = 0; lengths.defined() && t < T; ++t) keep.push_back(valid.select(1, t).contiguous());

  Variable layer_input = x;
  std::vector<Variable> last;
  for (int64_t layer = 0; layer < L; ++layer) {
    std::vector<Variable> sides;
    for (int64_t d = 0; d < D; ++d) {
      int64_t k = layer * D + d;
      Variable state = initial.defined() ? select(initial, 0, k) : Variable(Tensor::zeros({B, N}, x.dtype()));
      sides.push_back(
          stack(run_direction(cells[static_cast<size_t>(k)], layer_input, state, keep, /*backwards=*/d == 1), 1));
      last.push_back(state);
    }
    layer_input = D == 2 ? concat(sides, -1) : sides[0];  // [B, T, D N]
    if (valid.defined()) layer_input = masked_fill(layer_input, logical_not(valid).unsqueeze(-1), 0);
    if (layer + 1 < L) layer_input = dropout(layer_input);
  }
  return {call.result("annotations", layer_input), call.result("state", stack(last, 0))};
}

}  // namespace heed::nn
