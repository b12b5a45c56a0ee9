#include "nn/recurrent/any_recurrent.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

using Layers = std::variant<RNN, GRU, LSTM>;

Layers make_layers(const AnyRecurrentOptions& o, Generator& rng) {
  auto common = [&](auto options) {
    options.layers = o.layers, options.bidirectional = o.bidirectional, options.dropout = o.dropout;
    return options;
  };
  if (o.cell == "rnn") return RNN(common(RNNOptions{.input = o.input, .hidden = o.hidden}), rng);
  if (o.cell == "gru") return GRU(common(GRUOptions{.input = o.input, .hidden = o.hidden}), rng);
  if (o.cell == "lstm")
    return LSTM(common(LSTMOptions{.input = o.input, .hidden = o.hidden, .forget_bias = o.forget_bias}), rng);
  throw ValueError(fmt::format("recurrent: no cell of this name; got `{}`; there are rnn, gru, lstm", o.cell));
}

// Part p of the state of every layer, stacked: [L D, B, N].
template <class State>
State stacked(const States& states) {
  State whole;
  auto to = parts(whole);
  for (size_t p = 0; p < to.size(); ++p) {
    std::vector<Variable> rows;
    for (size_t k = p; k < states.size(); k += to.size()) rows.push_back(states[k]);
    *to[p] = stack(rows, 0);
  }
  return whole;
}

template <class State>
States listed(State whole) {
  auto from = parts(whole);
  std::vector<std::vector<Variable>> rows;
  for (Variable* part : from) rows.push_back(unstack(*part, 0));
  States out;
  for (size_t k = 0; k < rows[0].size(); ++k)
    for (const auto& part : rows) out.push_back(part[k]);
  return out;
}

}  // namespace

AnyRecurrent::AnyRecurrent(const Options& o, Generator& rng) : options(o), layers(make_layers(o, rng)) {}

int64_t AnyRecurrent::parts() const { return std::holds_alternative<LSTM>(layers) ? 2 : 1; }

AnyRecurrent::Sequence AnyRecurrent::operator()(const Variable& x, const Tensor& lengths, const States& initial) const {
  Call call(*this);
  return std::visit(
      [&](const auto& l) -> Sequence {
        using State = typename std::decay_t<decltype(l)>::State;
        auto [annotations, last] = l(x, lengths, initial.empty() ? State() : stacked<State>(initial));
        return {call.result("annotations", annotations), listed(last)};
      },
      layers);
}

States AnyRecurrent::step(const Variable& x, const States& before) const {
  Call call(*this);
  return std::visit(
      [&](const auto& l) {
        States after;
        Variable input = x;
        auto from = before.begin();
        for (size_t k = 0; k < l.cells.size(); ++k) {
          if (k > 0) input = l.dropout(input);
          typename std::decay_t<decltype(l)>::State state;
          for (Variable* part : nn::parts(state)) *part = *from++;
          state = l.cells[k](input, state);
          for (Variable* part : nn::parts(state)) after.push_back(*part);
          input = *nn::parts(state)[0];
        }
        after[after.size() - static_cast<size_t>(parts())] = call.result("state", input);
        return after;
      },
      layers);
}

const Variable& AnyRecurrent::top(const States& s) const { return s[s.size() - static_cast<size_t>(parts())]; }

Variable AnyRecurrent::outputs(const States& last) const {
  if (!options.bidirectional) return top(last);
  auto p = static_cast<size_t>(parts());
  return concat({last[last.size() - 2 * p], last[last.size() - p]}, -1);
}

}  // namespace heed::nn
