#include "nn/models/any_recurrent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

using Layers = std::variant<RNN, GRU, LSTM, LSTMNLayers>;

template <class L, class O>
Layers made(const AnyRecurrentOptions& o, O options, Generator& rng) {
  options.layers = o.layers, options.bidirectional = o.bidirectional, options.dropout = o.dropout;
  return L(options, rng);
}

struct Row {
  const char* name;
  int64_t gates, parts;
  bool tape;
  const char* weights;  // of the first layer
  Layers (*make)(const AnyRecurrentOptions&, Generator&);
};
const Row kCells[] = {
    {"rnn", 1, 1, false, "weight_hh_l0",
     [](const AnyRecurrentOptions& o, Generator& rng) {
       return made<RNN>(o, RNNOptions{.input = o.input, .hidden = o.hidden}, rng);
     }},
    {"gru", 3, 1, false, "weight_hh_l0",
     [](const AnyRecurrentOptions& o, Generator& rng) {
       return made<GRU>(o, GRUOptions{.input = o.input, .hidden = o.hidden}, rng);
     }},
    {"lstm", 4, 2, false, "weight_hh_l0",
     [](const AnyRecurrentOptions& o, Generator& rng) {
       return made<LSTM>(o, LSTMOptions{.input = o.input, .hidden = o.hidden, .forget_bias = o.forget_bias}, rng);
     }},
    {"lstmn", 4, 2, true, "l0.cell.weight_hh",
     [](const AnyRecurrentOptions& o, Generator& rng) {
       return made<LSTMNLayers>(o, LSTMNLayersOptions{.input = o.input, .hidden = o.hidden, .tape = o.tape}, rng);
     }},
};

const Row& row_of(const std::string& cell) {
  for (const Row& row : kCells)
    if (row.name == cell) return row;
  throw ValueError(
      fmt::format("recurrent: no cell of this name; got `{}`; there are {}", cell, fmt::join(recurrent_cells(), ", ")));
}

Layers make_layers(const AnyRecurrentOptions& o, Generator& rng) {
  const Row& row = row_of(o.cell);
  if (o.tape != 0 && !row.tape)
    throw ValueError(fmt::format("recurrent: the cell {} keeps no tape; got a tape of {}; hint: the cell {}", o.cell,
                                 o.tape, cells_with_tape()));
  return row.make(o, rng);
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

std::vector<std::string> recurrent_cells() {
  std::vector<std::string> names;
  for (const Row& row : kCells) names.emplace_back(row.name);
  return names;
}
bool keeps_tape(const std::string& cell) { return row_of(cell).tape; }
std::string cells_with_tape() {
  std::vector<std::string> names;
  for (const Row& row : kCells)
    if (row.tape) names.emplace_back(row.name);
  return fmt::format("{}", fmt::join(names, " or "));
}
int64_t state_parts(const std::string& cell) { return row_of(cell).parts; }
std::pair<std::string, Shape> first_weights(const std::string& cell, int64_t hidden) {
  const Row& row = row_of(cell);
  return {row.weights, {row.gates * hidden, hidden}};
}

AnyRecurrent::AnyRecurrent(const Options& o, Generator& rng) : options(o), layers(make_layers(o, rng)) {}

int64_t AnyRecurrent::parts() const { return state_parts(options.cell); }

AnyRecurrent::Sequence AnyRecurrent::operator()(const Variable& x, const Tensor& lengths, const States& initial) const {
  Call call(*this);
  if (const auto* l = std::get_if<LSTMNLayers>(&layers)) {
    auto [annotations, last, cells] = (*l)(x, lengths, initial);
    return {call.result("annotations", annotations), last, cells};
  }
  return std::visit(
      [&]<class L>(const L& l) -> Sequence {
        if constexpr (!std::is_same_v<L, LSTMNLayers>) {
          using State = typename std::decay_t<decltype(l)>::State;
          auto [annotations, last] = l(x, lengths, initial.empty() ? State() : stacked<State>(initial));
          return {call.result("annotations", annotations), listed(last)};
        }
        return {};
      },
      layers);
}

States AnyRecurrent::step(const Variable& x, const States& before, const Variable& added) const {
  Call call(*this);
  const auto last = static_cast<size_t>((options.layers - 1) * parts());  // h of the last layer
  if (const auto* l = std::get_if<LSTMNLayers>(&layers)) {
    States after = l->step(x, before, added);
    after[last] = call.result("state", after[last]);
    return after;
  }
  return std::visit(
      [&]<class L>(const L& l) {
        States after;
        if constexpr (!std::is_same_v<L, LSTMNLayers>) {
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
          after[last] = call.result("state", input);
        }
        return after;
      },
      layers);
}

const Variable& AnyRecurrent::top(const States& s) const {
  int64_t sides = options.layers * (options.bidirectional ? 2 : 1);
  return s[static_cast<size_t>((sides - 1) * parts())];
}

Variable AnyRecurrent::outputs(const States& last) const {
  if (!options.bidirectional) return top(last);
  auto at = static_cast<size_t>((options.layers - 1) * 2 * parts());
  return concat({last[at], top(last)}, -1);
}

}  // namespace heed::nn
