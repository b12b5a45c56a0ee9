// Cases of nn/recurrent/: the gates of a step (fused and composed), the cells, whole sequences.
#include "autograd/cases/layouts.h"
#include "nn/cases/build.h"
#include "nn/models/any_recurrent.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/recurrent/side_by_side.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

// The gates of one step, G of them: f(in, keep) with in [B, G N], past [B, G N] and the parts of a state, each [B, N].
template <class F>
CaseRow gates(const std::string& name, int64_t G, size_t state_parts, const F& f) {
  auto shapes_of = [&](const Shape& in, int64_t B, int64_t N) {
    std::vector<Shape> shapes{in, {B, G * N}};
    shapes.insert(shapes.end(), state_parts, {B, N});
    return shapes;
  };
  std::vector<BaseCase> bases;
  for (const Shape& h : {Shape{2, 3}, Shape{1, 1}, Shape{3, 5}, Shape{0, 2}})
    for (bool keep : {false, true}) {
      int64_t B = h[0], N = h[1];
      Tensor kept = Tensor::from_bools(std::vector<int>(static_cast<size_t>(B), 1), {B});
      if (B > 1) kept.set({1}, 0);
      bases.push_back({.label = to_string(h) + (keep ? " one row kept" : ""),
                       .shapes = shapes_of({B, G * N}, B, N),
                       .f = [f, keep, kept](In in) { return f(in, keep ? kept : Tensor()); }});
    }
  // One step of a sequence for all sentences, as a view: its rows are not adjacent in memory.
  bases.push_back({.label = "step 1 of [2, 3, " + std::to_string(2 * G) + "]",
                   .shapes = shapes_of({2, 3, 2 * G}, 2, 2),
                   .f = [f](In in) {
                     std::vector<Variable> step = in;
                     step[0] = unstack(in[0], 1)[1];
                     return f(step, Tensor());
                   }});
  return nn::module_row(name, over_layouts(bases));
}

template <class F>
CaseRow gru_gates(const std::string& name, const F& gates_of) {
  return gates(name, 3, 1, [&gates_of](In in, const Tensor& keep) { return gates_of(in[0], in[1], in[2], keep); });
}
template <class F>
CaseRow lstm_gates(const std::string& name, const F& gates_of) {
  return gates(name, 4, 2, [&gates_of](In in, const Tensor& keep) {
    auto [h, c] = gates_of(in[0], in[1], {in[2], in[3]}, keep);
    return nn::together({h, c});
  });
}

// state_of builds a state with the parts in[1], in[2], ..; parts_of lists the parts of a state.
template <class State>
State state_of(In in) {
  State state;
  for (size_t p = 0; p < nn::parts(state).size(); ++p) *nn::parts(state)[p] = in[1 + p];
  return state;
}
template <class State>
std::vector<Variable> parts_of(State state) {
  std::vector<Variable> out;
  for (Variable* part : nn::parts(state)) out.push_back(*part);
  return out;
}

template <class Cell>
CaseRow cell(const std::string& name, const typename Cell::Options& base) {
  using State = typename Cell::State;
  State any;
  size_t P = nn::parts(any).size();
  auto options = [&](int64_t hidden, bool bias) {
    typename Cell::Options o = base;
    o.hidden = hidden, o.bias = bias;
    return o;
  };
  auto data = [&](int64_t hidden) {
    std::vector<Shape> shapes{{2, 2}};
    shapes.insert(shapes.end(), P, {2, hidden});
    return shapes;
  };
  auto once = [](Cell& m, In in) { return nn::together(parts_of(m(in[0], state_of<State>(in)))); };
  auto twice = [](Cell& m, In in) { return nn::together(parts_of(m(in[0], m(in[0], state_of<State>(in))))); };
  return nn::module_row(name, {module_case<Cell>("[2, 2], [2, 3]", options(3, true), data(3), once),
                               module_case<Cell>("two steps with the same weights", options(2, true), data(2), twice),
                               module_case<Cell>("no bias", options(2, false), data(2), twice)});
}

// Whole sequences [2, 3, 2]: all combinations of layers, directions, lengths and given initial states.
template <class M>
CaseRow sequence(const std::string& name, const typename M::Options& base) {
  using State = typename M::State;
  Tensor two = Tensor::from(std::vector<int64_t>{3, 1}, {2}), all;
  std::vector<Case> cases;
  for (int64_t layers : {1, 2})
    for (bool both : {false, true})
      for (bool lengths : {false, true})
        for (bool given : {false, true}) {
          typename M::Options options = base;
          options.layers = layers, options.bidirectional = both;
          std::string label = std::string("[2, 3, 2]") + (layers == 2 ? " two layers" : "") +
                              (both ? " both directions" : "") + (lengths ? " lengths 3, 1" : "") +
                              (given ? " given state" : "");
          Tensor cut = lengths ? two : all;
          State any;
          std::vector<Shape> data{{2, 3, 2}};
          if (given) data.insert(data.end(), nn::parts(any).size(), {layers * (both ? 2 : 1), 2, 2});
          cases.push_back(module_case<M>(label, options, data, [cut, given](M& m, In in) {
            auto [y, state] = m(in[0], cut, given ? state_of<State>(in) : State());
            std::vector<Variable> outputs = parts_of(state);
            outputs.push_back(y);
            return nn::together(outputs);
          }));
        }
  typename M::Options dropping = base;
  dropping.layers = 2, dropping.dropout = 0.5;
  cases.push_back(module_case<M>("[2, 3, 2] two layers, dropout between", dropping, {{2, 3, 2}},
                                 [](M& m, In in) { return m(in[0]).annotations; }));
  cases.push_back(module_case<M>("[3, 2, 2] transposed", base, {{3, 2, 2}},
                                 [](M& m, In in) { return m(transpose(in[0], 0, 1)).annotations; }));
  return nn::module_row(name, std::move(cases));
}

// The inputs are x [3, 2, 2], the weights, the biases and the parts of a state. Read forward, or backward with padding.
CaseRow one_node(const std::string& name, int64_t G, size_t state_parts,
                 nn::SequenceStates (*run)(const nn::SequenceInputs&)) {
  Tensor keep = Tensor::from_bools({1, 1, 1, 0, 1, 0}, {3, 2});
  std::vector<BaseCase> bases;
  for (bool backwards : {false, true}) {
    std::vector<Shape> shapes{{3, 2, 2}, {G * 2, 2}, {G * 2, 2}, {G * 2}, {G * 2}};
    shapes.insert(shapes.end(), state_parts, {2, 2});
    bases.push_back({.label = backwards ? "[3, 2, 2] backwards, a row cut short" : "[3, 2, 2]",
                     .shapes = shapes,
                     .f = [run, backwards, keep](In in) {
                       nn::SequenceInputs s{in[0], in[1], in[2], in[3], in[4], {in.begin() + 5, in.end()}};
                       if (backwards) s.keep = keep, s.backwards = true;
                       auto [outputs, ends] = run(s);
                       ends.push_back(outputs);
                       return nn::together(ends);
                     }});
  }
  return nn::module_row(name, over_layouts(bases));
}

CaseRow side_by_side(const std::string& name, Variable (*f)(const std::vector<Variable>&, const Tensor&)) {
  Tensor keep = Tensor::from_bools({1, 1, 1, 0, 1, 0}, {3, 2}), all;
  std::vector<BaseCase> bases;
  for (bool cut : {false, true})
    bases.push_back({.label = cut ? "two of [3, 2, 2], a row cut short" : "two of [3, 2, 2]",
                     .shapes = {{3, 2, 2}, {3, 2, 2}},
                     .f = [f, kept = cut ? keep : all](In in) { return f(in, kept); }});
  return nn::module_row(name, over_layouts(bases));
}

// A sequence and one step of two layers, with all last states.
CaseRow any_recurrent() {
  std::vector<Case> cases;
  for (const std::string& name : nn::recurrent_cells()) {
    nn::AnyRecurrentOptions o{.cell = name, .input = 2, .hidden = 2, .layers = 2};
    cases.push_back(module_case<nn::AnyRecurrent>(name + " [2, 3, 2]", o, {{2, 3, 2}}, [](auto& m, In in) {
      auto [annotations, last, cells] = m(in[0]);
      last.push_back(annotations);
      if (cells.defined()) last.push_back(cells);
      return nn::together(last);
    }));
    cases.push_back(module_case<nn::AnyRecurrent>(name + " two steps", o, {{2, 2}, {2, 2}}, [](auto& m, In in) {
      nn::States zero(static_cast<size_t>(2 * m.parts()), Variable(Tensor::zeros({2, 2}, DType::f64)));
      return nn::together(m.step(in[1], m.step(in[0], zero)));
    }));
  }
  return nn::module_row("AnyRecurrent", std::move(cases));
}

}  // namespace

std::vector<CaseRow> recurrent_cases() {
  // tanh and relu share a row of the table.
  CaseRow rnn_cell = cell<nn::RNNCell>("RNNCell", {.input = 2, .hidden = 2});
  CaseRow relu = cell<nn::RNNCell>("RNNCell", {.input = 2, .hidden = 2, .activation = nn::RNNActivation::relu});
  for (Case& c : relu.cases) {
    c.label += " relu";
    c.note = "no pre-activation lies within a step of 0";
    rnn_cell.cases.push_back(std::move(c));
  }
  return {gru_gates("gru_gates", nn::gru_gates),
          gru_gates("gru_gates_composed", nn::gru_gates_composed),
          lstm_gates("lstm_gates", nn::lstm_gates),
          lstm_gates("lstm_gates_composed", nn::lstm_gates_composed),
          one_node("rnn_tanh_sequence", 1, 1, nn::rnn_tanh_sequence),
          one_node("rnn_relu_sequence", 1, 1, nn::rnn_relu_sequence),
          one_node("gru_sequence", 3, 1, nn::gru_sequence),
          one_node("lstm_sequence", 4, 2, nn::lstm_sequence),
          side_by_side("side_by_side", nn::side_by_side),
          side_by_side("side_by_side_composed", nn::side_by_side_composed),
          rnn_cell,
          cell<nn::GRUCell>("GRUCell", {.input = 2, .hidden = 2}),
          cell<nn::LSTMCell>("LSTMCell", {.input = 2, .hidden = 2}),
          sequence<nn::RNN>("RNN", {.input = 2, .hidden = 2}),
          sequence<nn::GRU>("GRU", {.input = 2, .hidden = 2}),
          sequence<nn::LSTM>("LSTM", {.input = 2, .hidden = 2}),
          any_recurrent()};
}

}  // namespace heed
