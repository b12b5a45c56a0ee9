#include "nn/recurrent/recurrent.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/padding.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/recurrent/side_by_side.h"
#include "tensor/compare.h"
#include "tensor/row_places.h"

namespace heed::nn {

RecurrentCell::RecurrentCell(const char* name, const Sizes& s, Generator& rng) {
  if (s.input < 1 || s.hidden < 1)
    throw ValueError(fmt::format("{}: widths must be positive; got input {} and hidden {}", name, s.input, s.hidden));
  int64_t rows = s.gates * s.hidden;
  weight_ih = uniform_parameter({rows, s.input}, s.hidden, rng);
  weight_hh = uniform_parameter({rows, s.hidden}, s.hidden, rng);
  if (!s.bias) return;
  bias_ih = uniform_parameter({rows}, s.hidden, rng);
  bias_hh = uniform_parameter({rows}, s.hidden, rng);
}
Variable RecurrentCell::apply_input(const Variable& x) const {
  Call call(*this);
  return call.result("gates", linear(x, weight_ih, bias_ih));
}
Variable RecurrentCell::project(const Variable& h) const { return linear(h, weight_hh, bias_hh); }

template <class Cell>
Recurrent<Cell>::Recurrent(const Options& o, Generator& rng) : options(o), dropout({.p = o.dropout}, rng) {
  if (o.layers < 1) throw ValueError(fmt::format("{}: needs at least one layer; got {}", Cell::kName, o.layers));
  for (int64_t layer = 0; layer < o.layers; ++layer)
    for (int64_t d = 0; d < directions(); ++d) {
      Options cell = o;
      cell.input = layer == 0 ? o.input : o.hidden * directions();
      cells.emplace_back(cell, rng);
    }
}

template <class Cell>
void Recurrent<Cell>::visit(Visitor& v) {
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

// Names that hooks see for the parts of a state: h, and LSTM's c.
constexpr std::string_view kPartNames[] = {"state", "cell"};

void check_input(const char* name, const Variable& x, int64_t width, const Tensor& lengths) {
  if (x.rank() != 3 || x.size(2) != width || x.size(1) == 0)
    throw ShapeError(fmt::format("{}: needs x [B, T, {}] with T at least 1; got {}{}", name, width,
                                 to_string(x.shape()),
                                 x.rank() == 2 ? "; hint: unsqueeze(x, 0) is a batch of one" : ""));
  if (lengths.defined() && !(lengths.shape() == Shape{x.size(0)}))
    throw ShapeError(fmt::format("{}: needs one length per sentence, {}; got {}", name, to_string(Shape{x.size(0)}),
                                 to_string(lengths.shape())));
}

// Either all parts of the initial state are given, or none.
template <class State>
bool check_initial(const char* name, State initial, const Shape& wanted) {
  size_t given = 0;
  for (Variable* part : parts(initial)) {
    if (!part->defined()) continue;
    ++given;
    if (!(part->shape() == wanted))
      throw ShapeError(fmt::format("{}: the initial state must be [layers x directions, B, N] = {}; got {}", name,
                                   to_string(wanted), to_string(part->shape())));
  }
  if (given != 0 && given != parts(initial).size())
    throw ValueError(
        fmt::format("{}: the initial state needs all its {} parts; got {}", name, parts(initial).size(), given));
  return given != 0;
}

// One direction of one layer: x [T, B, I] -> the outputs of the cell [T, B, N]. `state` [B, N] is replaced by the last
// state. keep is [T, B] or undefined. The whole sequence is one graph node (sequence.h), unless the cell has hooks:
// then it is computed step by step, so that the hooks see every step.
template <class Cell>
Variable run_direction(const Cell& cell, const Variable& x, typename Cell::State& state, const Tensor& keep,
                       bool backwards) {
  if (cell.output_hooks.empty()) {
    SequenceInputs inputs{x, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh, {}, keep, backwards};
    for (Variable* part : parts(state)) inputs.state.push_back(*part);
    SequenceStates result = cell.apply_sequence(inputs);
    for (size_t p = 0; p < result.last.size(); ++p) *parts(state)[p] = result.last[p];
    return result.outputs;
  }
  // Zeros in the padding, which may hold NaN.
  Variable words = keep.defined() ? masked_fill(x, logical_not(keep).unsqueeze(-1), 0) : x;
  std::vector<Variable> inputs = unstack(cell.apply_input(words), 0), outputs(inputs.size());  // [B, G N], [B, N]
  for (int64_t k = 0; k < x.size(0); ++k) {
    int64_t t = step_at(k, x.size(0), backwards);
    auto at = static_cast<size_t>(t);
    state = cell.apply_state(inputs[at], state, keep.defined() ? keep.select(0, t) : Tensor());
    outputs[at] = *parts(state)[0];
  }
  return stack(outputs, 0);
}

}  // namespace

template <class Cell>
SequenceOutput<typename Cell::State> Recurrent<Cell>::operator()(const Variable& x, const Tensor& lengths,
                                                                 const State& initial_) const {
  Call call(*this);
  check_input(Cell::kName, x, options.input, lengths);
  require_same_dtype(Cell::kName, x.value(), cells[0].weight_ih.value());
  int64_t B = x.size(0), T = x.size(1), N = options.hidden, D = directions(), L = options.layers;
  State initial = initial_, last;
  bool given = check_initial(Cell::kName, initial, {L * D, B, N});
  Tensor keep;  // [T, B]
  if (lengths.defined()) keep = length_mask(lengths, T).transpose(0, 1).contiguous();

  constexpr size_t P = std::tuple_size_v<decltype(parts(last))>;
  std::array<std::vector<Variable>, P> ends;               // for each part: L D tensors [B, N]
  Variable layer_input = transpose(x, 0, 1), annotations;  // time-major inside this function, [T, B, ..]
  for (int64_t layer = 0; layer < L; ++layer) {
    std::vector<Variable> sides;  // D tensors [T, B, N]
    for (int64_t d = 0; d < D; ++d) {
      int64_t k = layer * D + d;
      State state;
      for (size_t p = 0; p < P; ++p)
        *parts(state)[p] = given ? select(*parts(initial)[p], 0, k) : Variable(Tensor::zeros({B, N}, x.dtype()));
      sides.push_back(run_direction(cells[static_cast<size_t>(k)], layer_input, state, keep, /*backwards=*/d == 1));
      for (size_t p = 0; p < P; ++p) ends[p].push_back(*parts(state)[p]);
    }
    if (layer + 1 < L) {
      RowPlaces places = row_places();
      places.axis = 1;
      RowScope time_major(places);
      layer_input = dropout(D == 2 ? concat(sides, -1) : sides[0]);  // [T, B, D N]
    } else {
      annotations = side_by_side(sides, keep);
    }
  }
  for (size_t p = 0; p < P; ++p) *parts(last)[p] = call.result(kPartNames[p], stack(ends[p], 0));
  return {call.result("annotations", annotations), last};
}

template struct Recurrent<RNNCell>;
template struct Recurrent<GRUCell>;
template struct Recurrent<LSTMCell>;

}  // namespace heed::nn
