#include "nn/attention/structures/lstmn.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/init.h"
#include "nn/padding.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {
LSTMNOptions completed(LSTMNOptions o) {
  if (o.attention == 0) o.attention = o.hidden;
  if (o.tape < 0) throw ValueError(fmt::format("LSTMN: the tape's length must not be negative; got {}", o.tape));
  return o;
}
}  // namespace

LSTMN::LSTMN(const Options& o, Generator& rng)
    : options(completed(o)),
      cell({.input = o.input, .hidden = o.hidden}, rng),
      key({.in = o.hidden, .out = options.attention, .bias = false}, rng),
      word({.in = o.input, .out = options.attention}, rng),
      past({.in = o.hidden, .out = options.attention, .bias = false}, rng),
      v(uniform_parameter({options.attention}, options.attention, rng)) {}

Tape LSTMN::begin(const LSTMState& first) const {
  Tape tape;
  if (first.h.defined()) write(first, tape);
  return tape;
}

LSTMState LSTMN::summary(const Variable& x, Tape& tape) const {
  Call call(*this);
  if (tape.h.empty()) {
    Variable zero(Tensor::zeros({x.size(0), options.hidden}, x.dtype()));
    tape.summary = zero;
    return {zero, zero};
  }
  Variable query = word(x);                                                       // W_x x_t
  if (tape.summary.defined()) query = query + past(tape.summary);                 // W_p h~_{t-1}
  Variable scores = additive_score(unsqueeze(query, 1), stack(tape.keys, 1), v);  // keys W_h h_i; [B, 1, entries]
  Variable both = concat({stack(tape.h, 1), stack(tape.c, 1)}, -1);               // [B, entries, 2N]
  Attended read = attend(scores, both);                                           // [B, 1, 2N]
  auto halves = split(squeeze(read.context, 1), {options.hidden, options.hidden}, -1);
  tape.weights = call.result("weights", squeeze(read.weights, 1));
  tape.summary = call.result("summary", halves[0]);
  return {tape.summary, halves[1]};
}

LSTMState LSTMN::gates(const Variable& x, const LSTMState& summary, const Variable& added) const {
  if (!added.defined()) return cell(x, summary);
  auto parts = chunk(cell.apply_input(x) + linear(summary.h, cell.weight_hh, cell.bias_hh), 4, -1);  // i, f, g, o
  Variable c = sigmoid(parts[1]) * summary.c + sigmoid(parts[0]) * tanh(parts[2]) + added;           // deep fusion
  return {sigmoid(parts[3]) * tanh(c), c};
}

void LSTMN::write(const LSTMState& state, Tape& tape) const {
  auto push = [&](std::vector<Variable>& to, const Variable& value) {
    if (options.tape > 0 && static_cast<int64_t>(to.size()) == options.tape) to.erase(to.begin());
    to.push_back(value);
  };
  push(tape.h, state.h);
  push(tape.c, state.c);
  push(tape.keys, key(state.h));
}

LSTMState LSTMN::step(const Variable& x, Tape& tape, const Variable& added) const {
  LSTMState state = gates(x, summary(x, tape), added);
  write(state, tape);
  return state;
}

LSTMN::Sequence LSTMN::operator()(const Variable& x, const Tensor& lengths, const LSTMState& first) const {
  Call call(*this);
  if (x.rank() != 3 || x.size(2) != options.input || x.size(1) == 0)
    throw ShapeError(
        fmt::format("LSTMN: needs x [B, T, {}] with T at least 1; got {}", options.input, to_string(x.shape())));
  int64_t B = x.size(0), T = x.size(1);
  Tensor words = lengths.defined() ? length_mask(lengths, T) : Tensor();  // [B, T]
  Tape tape = begin(first);
  std::vector<Variable> h, c;
  for (const Variable& x_t : unstack(without_padding(x, words), 1)) {
    LSTMState state = step(x_t, tape);
    h.push_back(state.h);
    c.push_back(state.c);
  }
  Variable all_h = stack(h, 1), all_c = stack(c, 1);  // [B, T, N]
  if (!lengths.defined()) return {call.result("annotations", all_h), call.result("cells", all_c), {h.back(), c.back()}};
  // The steps after a sentence's end did not influence any step before it, so it is enough to set their results to 0.
  Tensor padding = logical_not(words).unsqueeze(2);               // [B, T, 1]
  Tensor at = Tensor::empty({B, 1, options.hidden}, DType::i64);  // index of the last word, repeated for each unit
  copy_into(at, sub(lengths, 1).view({B, 1, 1}).expand({B, 1, options.hidden}));
  auto last = [&](const Variable& all) { return squeeze(gather(all, 1, at), 1); };
  LSTMState end{last(all_h), last(all_c)};
  return {call.result("annotations", masked_fill(all_h, padding, 0)),
          call.result("cells", masked_fill(all_c, padding, 0)), end};
}

}  // namespace heed::nn
