// RNN, GRU and LSTM alike: padding, directions, threads and batches change no bit; the parts agree with the whole.
#include "nn/recurrent/recurrent.h"

#include <cmath>

#include "nn/padding.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "tensor/thread_pool.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

namespace {

Tensor lengths_of(const std::vector<int64_t>& lengths) {
  return Tensor::from(lengths, {static_cast<int64_t>(lengths.size())});
}

template <class M>
typename M::Options both_ways() {
  return {.input = 5, .hidden = 7, .layers = 2, .bidirectional = true};
}

template <class State>
std::vector<Variable> parts_of(State state) {
  std::vector<Variable> out;
  for (Variable* part : nn::parts(state)) out.push_back(*part);
  return out;
}
// A state made part by part: make(p).
template <class State, class F>
State state_of(const F& make_part) {
  State state;
  uint64_t p = 0;
  for (Variable* part : nn::parts(state)) *part = make_part(p++);
  return state;
}

Tensor row(const Tensor& t, int64_t b) { return t.slice(1, b, b + 1).contiguous(); }  // [L D, B, N] -> [L D, 1, N]

}  // namespace

TEST_CASE_TEMPLATE("a padded sentence gives the bits of the same sentence alone, and padding gets no gradient", M,
                   nn::RNN, nn::GRU, nn::LSTM) {
  using State = typename M::State;
  M module = make<M>(both_ways<M>(), 1);
  std::vector<int64_t> lengths{6, 2, 4, 1};
  Variable x = leaf({4, 6, 5}, 2);
  auto initial = state_of<State>([](uint64_t p) { return leaf({4, 4, 7}, 30 + p); });
  Tensor dy = random({4, 6, 14}, 4);
  auto seed = [](uint64_t p) { return random({4, 4, 7}, 50 + p); };  // of each part of the last state
  auto loss = [](const Variable& y, const Tensor& upstream) { return sum(y * Variable(upstream)); };

  auto [y, last] = module(x, lengths_of(lengths), initial);
  std::vector<Variable> ends = parts_of(last), starts = parts_of(initial);
  Variable total = loss(y, dy);
  for (size_t p = 0; p < ends.size(); ++p) total = total + loss(ends[p], seed(p));
  backward(total);

  for (int64_t b = 0; b < 4; ++b) {
    CAPTURE(b);
    int64_t n = lengths[static_cast<size_t>(b)];
    auto cut = [&](const Tensor& t) { return t.slice(0, b, b + 1).slice(1, 0, n).contiguous(); };  // [1, n, ..]
    Variable alone = leaf(cut(x.value()));
    auto start = state_of<State>([&](uint64_t p) { return leaf(row(starts[p].value(), b)); });
    auto [y1, last1] = module(alone, {}, start);
    CHECK(bit_equal(y1.value(), cut(y.value())));
    std::vector<Variable> ends1 = parts_of(last1), starts1 = parts_of(start);
    Variable total1 = loss(y1, cut(dy));
    for (size_t p = 0; p < ends1.size(); ++p) {
      CHECK(bit_equal(ends1[p].value(), row(ends[p].value(), b)));
      total1 = total1 + loss(ends1[p], row(seed(p), b));
    }
    backward(total1);
    CHECK(bit_equal(alone.grad(), cut(x.grad())));
    for (size_t p = 0; p < starts1.size(); ++p) CHECK(bit_equal(starts1[p].grad(), row(starts[p].grad(), b)));
    if (n == 6) continue;
    CHECK(all_zero(x.grad().select(0, b).slice(0, n, 6)));
    CHECK(all_zero(y.value().select(0, b).slice(0, n, 6)));
  }
}

TEST_CASE_TEMPLATE("the backward direction begins at a sentence's own last word", M, nn::RNN, nn::GRU, nn::LSTM) {
  using State = typename M::State;
  M module = make<M>({.input = 3, .hidden = 4, .bidirectional = true}, 1);
  Tensor x = random({2, 5, 3}, 2);
  auto [y, last] = module(x, lengths_of({3, 5}));
  for (int64_t b = 0; b < 2; ++b) {
    int64_t n = b == 0 ? 3 : 5;
    auto state = state_of<State>([](uint64_t) { return Variable(Tensor::zeros({1, 4})); });
    for (int64_t t = n - 1; t >= 0; --t) {
      state = module.cells[1](x.slice(0, b, b + 1).select(1, t), state);
      Tensor here = y.value().slice(0, b, b + 1).select(1, t).slice(1, 4, 8).contiguous();
      CHECK(bit_equal(here, parts_of(state)[0].value()));
    }
    std::vector<Variable> ends = parts_of(last), stepped = parts_of(state);
    for (size_t p = 0; p < ends.size(); ++p)
      CHECK(bit_equal(ends[p].value().select(0, 1).slice(0, b, b + 1).contiguous(), stepped[p].value()));
  }
}

TEST_CASE_TEMPLATE("one step at a time with a cell gives the same bits", M, nn::RNN, nn::GRU, nn::LSTM) {
  using State = typename M::State;
  M module = make<M>({.input = 3, .hidden = 4}, 1);
  Tensor x = random({2, 5, 3}, 2);
  auto [y, last] = module(x);
  auto state = state_of<State>([](uint64_t) { return Variable(Tensor::zeros({2, 4})); });
  for (int64_t t = 0; t < 5; ++t) {
    state = module.cells[0](x.select(1, t), state);
    CHECK(bit_equal(y.value().select(1, t).contiguous(), parts_of(state)[0].value()));
  }
  std::vector<Variable> ends = parts_of(last), stepped = parts_of(state);
  for (size_t p = 0; p < ends.size(); ++p)
    CHECK(bit_equal(ends[p].value().select(0, 0).contiguous(), stepped[p].value()));
}

TEST_CASE_TEMPLATE("the same bits on one and on two threads, gradients too", M, nn::RNN, nn::GRU, nn::LSTM) {
  M module = make<M>({.input = 96, .hidden = 160, .bidirectional = true}, 1);
  Tensor x = random({120, 4, 96}, 2);
  std::vector<int64_t> lengths(120);
  for (size_t b = 0; b < lengths.size(); ++b) lengths[b] = 1 + static_cast<int64_t>(b % 4);
  int threads = thread_count();
  std::vector<std::vector<Tensor>> runs;
  for (int n : {1, 2, 3}) {
    set_thread_count(n);
    nn::zero_grad(module);
    Variable in = leaf(x);
    auto [y, last] = module(in, lengths_of(lengths));
    Variable total = weighted_sum(y);
    for (const Variable& part : parts_of(last)) total = total + weighted_sum(part);
    backward(total);
    runs.push_back(gradients(module));
    for (const Tensor& t : {y.value(), in.grad()}) runs.back().push_back(t);
    for (const Variable& part : parts_of(last)) runs.back().push_back(part.value());
  }
  set_thread_count(threads);
  CHECK(same_bits(runs[0], runs[1]));
  CHECK(same_bits(runs[0], runs[2]));
}

TEST_CASE_TEMPLATE("a batch of five gives the bits of five batches of one", M, nn::RNN, nn::GRU, nn::LSTM) {
  M module = make<M>(both_ways<M>(), 1);
  Variable x = leaf({5, 4, 5}, 2);
  auto [y, last] = module(x);
  backward(sum(square(y)));
  for (int64_t b = 0; b < 5; ++b) {
    Variable one = leaf(x.value().slice(0, b, b + 1));
    auto [y1, last1] = module(one);
    backward(sum(square(y1)));
    CHECK(bit_equal(y1.value(), y.value().slice(0, b, b + 1).contiguous()));
    std::vector<Variable> ends = parts_of(last), ends1 = parts_of(last1);
    for (size_t p = 0; p < ends.size(); ++p) CHECK(bit_equal(ends1[p].value(), row(ends[p].value(), b)));
    CHECK(bit_equal(one.grad(), x.grad().slice(0, b, b + 1).contiguous()));
  }
}

TEST_CASE_TEMPLATE("dropout falls between layers only, and only while training", M, nn::RNN, nn::GRU, nn::LSTM) {
  typename M::Options one{.input = 3, .hidden = 4, .dropout = 0.5}, two = one;
  two.layers = 2;
  Tensor x = random({2, 5, 3}, 2);
  M single = make<M>(one, 1), stacked = make<M>(two, 1);
  CHECK(bit_equal(single(x).annotations.value(), single(x).annotations.value()));
  CHECK_FALSE(bit_equal(stacked(x).annotations.value(), stacked(x).annotations.value()));
  auto first_layer = [&] { return parts_of(stacked(x).state)[0].value().select(0, 0).contiguous(); };
  CHECK(bit_equal(first_layer(), first_layer()));  // it never sees the dropout
  nn::set_training(stacked, false);
  CHECK(bit_equal(stacked(x).annotations.value(), stacked(x).annotations.value()));
}

TEST_CASE_TEMPLATE("names are PyTorch's; a state or lengths that do not fit are refused in one sentence", M, nn::RNN,
                   nn::GRU, nn::LSTM) {
  using State = typename M::State;
  std::string name = std::is_same_v<M, nn::GRU> ? "GRU" : std::is_same_v<M, nn::LSTM> ? "LSTM" : "RNN";
  int64_t gates = name == "GRU" ? 3 : name == "LSTM" ? 4 : 1;
  M module = make<M>({.input = 3, .hidden = 4, .layers = 2, .bidirectional = true}, 1);
  auto names = nn::named_parameters(module);
  REQUIRE(names.size() == 16);
  CHECK(names[4].name == "weight_ih_l0_reverse");
  CHECK(names[15].name == "bias_hh_l1_reverse");
  CHECK(names[8].variable.shape() == Shape{gates * 4, 8});
  CHECK(message_of<ShapeError>([&] {
          module(random({2, 5, 3}, 1), {}, state_of<State>([](uint64_t) { return random({2, 2, 4}, 1); }));
        }) == name + ": the initial state must be [layers x directions, B, N] = [4, 2, 4]; got [2, 2, 4]");
  refuses("length_mask: [1, 5] got 0 1", [&] { module(random({2, 5, 3}, 1), lengths_of({5, 0})); });
  refuses("length_mask: [1, 5] got 6 0", [&] { module(random({2, 5, 3}, 1), lengths_of({6, 1})); });
  refuses<ShapeError>("length_mask: [B] got f32 [2]", [] { nn::length_mask(Tensor::zeros({2}), 3); });
}

TEST_CASE("RNN: by hand, in numbers; and a state of one row is not repeated for a batch") {
  for (auto activation : {nn::RNNActivation::tanh, nn::RNNActivation::relu}) {
    nn::RNNCell cell = make<nn::RNNCell>({.input = 1, .hidden = 1, .activation = activation}, 1);
    cell.weight_ih.set_value(Tensor::full({1, 1}, 2)), cell.bias_ih.set_value(Tensor::full({1}, 0.25));
    cell.weight_hh.set_value(Tensor::full({1, 1}, -1)), cell.bias_hh.set_value(Tensor::full({1}, 0.125));
    for (double x : {1.0, -1.0}) {
      double pre = 2 * x + 0.25 - 0.5 + 0.125;
      double y = cell(Tensor::full({1, 1}, x), Tensor::full({1, 1}, 0.5)).item();
      CHECK(y == doctest::Approx(activation == nn::RNNActivation::tanh ? std::tanh(pre) : std::max(pre, 0.0)));
    }
  }
}

TEST_CASE("LSTM: forget_bias is added to the forget gate's bias_ih alone") {
  nn::LSTM plain = make<nn::LSTM>({.input = 3, .hidden = 4, .layers = 2}, 1);
  nn::LSTM remembers = make<nn::LSTM>({.input = 3, .hidden = 4, .layers = 2, .forget_bias = 2}, 1);
  auto a = nn::named_parameters(plain), b = nn::named_parameters(remembers);
  for (size_t k = 0; k < a.size(); ++k) {
    CAPTURE(a[k].name);
    Tensor expected = a[k].variable.value().clone();
    if (a[k].name.rfind("bias_ih", 0) == 0) {
      Tensor forget = expected.slice(0, 4, 8);
      add_into(forget, Tensor::full({4}, 2));
    }
    CHECK(bit_equal(b[k].variable.value(), expected));
  }
}
