#include "nn/attention/structures/lstmn_layers.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

LSTMNLayers::LSTMNLayers(const Options& o, Generator& rng) : options(o), dropout({.p = o.dropout}, rng) {
  int64_t directions = o.bidirectional ? 2 : 1;
  for (int64_t k = 0; k < o.layers; ++k)
    for (int64_t d = 0; d < directions; ++d)
      sides.emplace_back(
          LSTMNOptions{.input = k == 0 ? o.input : directions * o.hidden, .hidden = o.hidden, .tape = o.tape}, rng);
}

void LSTMNLayers::visit(Visitor& v) {
  size_t directions = options.bidirectional ? 2 : 1;
  for (size_t i = 0; i < sides.size(); ++i)
    v.child(fmt::format("l{}{}", i / directions, i % directions == 1 ? "_reverse" : ""), sides[i]);
  v.child("dropout", dropout);
}

Variable reversed_words(const Variable& x, const Tensor& lengths) {
  int64_t B = x.size(0), T = x.size(1);
  Tensor from = Tensor::empty({B, T, 1}, DType::i64), sizes = lengths.defined() ? lengths.contiguous() : Tensor();
  for (int64_t b = 0; b < B; ++b) {
    int64_t n = sizes.defined() ? sizes.data<int64_t>()[b] : T;
    for (int64_t t = 0; t < T; ++t) from.data<int64_t>()[b * T + t] = t < n ? n - 1 - t : t;
  }
  return gather(x, 1, from.expand(x.shape()).contiguous());
}

LSTMNLayers::Sequence LSTMNLayers::operator()(const Variable& x, const Tensor& lengths,
                                              const std::vector<Variable>& initial) const {
  Call call(*this);
  size_t directions = options.bidirectional ? 2 : 1;
  Sequence out{.annotations = x, .last = {}, .cells = {}};
  for (size_t i = 0; i < sides.size(); i += directions) {
    Variable in = i > 0 ? dropout(out.annotations) : out.annotations;
    std::vector<Variable> h;
    for (size_t d = 0; d < directions; ++d) {
      LSTMState first;
      if (!initial.empty()) first = {initial.at(2 * (i + d)), initial.at(2 * (i + d) + 1)};
      LSTMN::Sequence read = sides[i + d](d == 1 ? reversed_words(in, lengths) : in, lengths, first);
      h.push_back(d == 1 ? reversed_words(read.h, lengths) : read.h);
      out.last.push_back(read.last.h), out.last.push_back(read.last.c);
      if (directions == 1) out.cells = read.c;
    }
    out.annotations = directions == 1 ? h[0] : concat(h, -1);
  }
  return out;
}

std::vector<Variable> LSTMNLayers::step(const Variable& x, const std::vector<Variable>& before,
                                        const Variable& added) const {
  Call call(*this);
  const size_t L = sides.size(), each = before.size() / L - 2;  // values of one layer's tape; 0: there is none yet
  const auto entries = static_cast<std::ptrdiff_t>(each > 0 ? (each - 1) / 3 : 0);
  std::vector<Variable> states, tapes;
  Variable input = x;
  for (size_t k = 0; k < L; ++k) {
    Tape tape;
    if (each == 0) {
      tape = sides[k].begin({before.at(2 * k), before.at(2 * k + 1)});
    } else {
      auto from = before.begin() + static_cast<std::ptrdiff_t>(2 * L + k * each);
      tape.summary = *from++;
      tape.h.assign(from, from + entries);
      tape.c.assign(from + entries, from + 2 * entries);
      tape.keys.assign(from + 2 * entries, from + 3 * entries);
    }
    if (k > 0) input = dropout(input);
    LSTMState state = sides[k].step(input, tape, k + 1 == L ? added : Variable());
    states.push_back(state.h), states.push_back(state.c);
    tapes.push_back(tape.summary);
    for (const auto* part : {&tape.h, &tape.c, &tape.keys}) tapes.insert(tapes.end(), part->begin(), part->end());
    input = state.h;
  }
  states.insert(states.end(), tapes.begin(), tapes.end());
  return states;
}

}  // namespace heed::nn
