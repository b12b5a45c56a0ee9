// A sequence as one node against the same sequence step by step: values, gradients, gradients of gradients, hooks.
#include "nn/recurrent/sequence.h"

#include "autograd/modes.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/recurrent/side_by_side.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

namespace {

template <class State>
std::vector<Variable*> parts_of(State& state) {
  auto all = nn::parts(state);
  return {all.begin(), all.end()};
}

// A cell with a hook is run step by step.
template <class M>
void step_by_step(M& m) {
  for (auto& cell : m.cells) cell.output_hooks = {[](std::string_view, const Variable&) { return Variable(); }};
}

struct Use {
  bool lengths = false, given = false, outputs = true, last = true;
};

// Annotations and last states, then all gradients: x, the first state, the parameters.
template <class M>
std::vector<Tensor> run(M& m, const Use& use, DType dtype) {
  nn::zero_grad(m);
  Variable x = leaf({5, 4, m.options.input}, 2, dtype);
  typename M::State first;
  int64_t rows = m.options.layers * m.directions();
  if (use.given)
    for (Variable* part : parts_of(first)) *part = leaf({rows, 5, m.options.hidden}, 3, dtype);
  Tensor lengths = use.lengths ? Tensor::from(std::vector<int64_t>{4, 1, 3, 4, 2}, {5}) : Tensor();
  auto [y, last] = m(x, lengths, first);
  std::vector<Tensor> out{y.value()};
  Variable total(Tensor::zeros({}, dtype));
  if (use.outputs) total = total + weighted_sum(y);
  for (Variable* part : parts_of(last)) {
    out.push_back(part->value());
    if (use.last) total = total + weighted_sum(*part, 78);
  }
  backward(total);
  out.push_back(x.grad());
  if (use.given)
    for (Variable* part : parts_of(first)) out.push_back(part->grad());
  for (const Tensor& g : gradients(m)) out.push_back(g);
  return out;
}

template <class M>
void fused_as_composed(const typename M::Options& options, const Use& use) {
  for (DType dtype : {DType::f32, DType::f64}) {
    M fused = make<M>(options, 1), composed = make<M>(options, 1);
    step_by_step(composed);
    for (M* m : {&fused, &composed}) nn::convert(*m, dtype);
    close(run(fused, use, dtype), run(composed, use, dtype), dtype == DType::f32 ? 1e-5 : 1e-12);
  }
}

nn::RNNOptions relu(const nn::RNNOptions& o) {
  nn::RNNOptions out = o;
  out.activation = nn::RNNActivation::relu;
  return out;
}

// The values of a sequence and of its steps. Of the two products of f c + i g Clang may fuse another one in each.
bool same_forward(const Tensor& a, const Tensor& b) {
#ifdef __clang__
  return max_abs_difference(a, b) < 1e-6;
#else
  return bit_equal(a, b);
#endif
}

}  // namespace

TEST_CASE_TEMPLATE("a sequence as one node: as step by step, in layers, directions, lengths, states, with no bias", M,
                   nn::RNN, nn::GRU, nn::LSTM) {
  for (int64_t hidden : {1, 7, 16, 33})
    for (bool both : {false, true})
      for (bool lengths : {false, true})
        for (bool given : {false, true}) {
          CAPTURE(hidden);
          CAPTURE(both);
          CAPTURE(lengths);
          CAPTURE(given);
          typename M::Options o{.input = 3, .hidden = hidden, .layers = 2, .bidirectional = both, .dropout = 0.4};
          Use use{.lengths = lengths, .given = given};
          fused_as_composed<M>(o, use);
          o.layers = 1, o.bias = false;
          fused_as_composed<M>(o, use);
          if constexpr (std::is_same_v<M, nn::RNN>) fused_as_composed<M>(relu(o), use);
          if (!given) continue;
          use.last = false;
          fused_as_composed<M>(o, use);
          use.last = true, use.outputs = false;
          fused_as_composed<M>(o, use);
        }
}

TEST_CASE_TEMPLATE("a sequence as one node: forward bits are those of the steps", M, nn::RNN, nn::GRU, nn::LSTM) {
  typename M::Options o{.input = 9, .hidden = 21, .layers = 2, .bidirectional = true};
  M fused = make<M>(o, 1), composed = make<M>(o, 1);
  step_by_step(composed);
  auto a = run(fused, {.lengths = true}, DType::f32), b = run(composed, {.lengths = true}, DType::f32);
  CHECK(same_forward(a[0], b[0]));
  CHECK(same_forward(a[1], b[1]));
}

TEST_CASE_TEMPLATE("a sequence as one node: gradients of gradients replay the steps", M, nn::RNN, nn::GRU, nn::LSTM) {
  M m = make<M>({.input = 3, .hidden = 4, .bidirectional = true}, 1);
  nn::convert(m, DType::f64);
  auto curvature = [&] {  // of |dL/dx|^2, in x and W_hh
    Variable x = leaf({2, 3, 3}, 2, DType::f64);
    Tensor lengths = Tensor::from(std::vector<int64_t>{3, 2}, {2});
    Variable dx = grad({weighted_sum(m(x, lengths).annotations)}, {x}, {.create_graph = true})[0];
    std::vector<Tensor> out;
    for (const Variable& g : grad({sum(square(dx))}, {x, m.cells[0].weight_hh})) out.push_back(g.value());
    return out;
  };
  std::vector<Tensor> fused = curvature();
  step_by_step(m);
  close(fused, curvature(), 1e-12);
}

TEST_CASE("a sequence as one node: one node a direction, and hooks see the cell's steps") {
  nn::LSTM m = make<nn::LSTM>({.input = 3, .hidden = 4, .bidirectional = true}, 1);
  Variable x = leaf({2, 50, 3}, 2);
  LeakCheck check;
  Variable y = m(x).annotations;
  CHECK(check.nodes() < 10);  // not hundreds
  int steps = 0;
  m.cells[1].output_hooks = {[&](std::string_view name, const Variable&) {
    steps += name == "state";
    return Variable();
  }};
  CHECK(same_forward(m(x).annotations.value(), y.value()));
  CHECK(steps == 50);
}

TEST_CASE("a sequence as one node: backward twice is twice, and a value that was overwritten is an error") {
  nn::GRU m = make<nn::GRU>({.input = 3, .hidden = 4}, 1);
  Variable x = leaf({2, 3, 3}, 2), y = weighted_sum(m(x).annotations);
  backward(y, {.retain_graph = true});
  std::vector<Tensor> once = gradients(m);
  backward(y);
  std::vector<Tensor> twice = gradients(m);
  for (size_t k = 0; k < once.size(); ++k) CHECK(relative_error(twice[k], mul(once[k], 2)) <= 1e-6);

  nn::SequenceInputs in{Variable(random({3, 2, 4}, 1)), leaf({15, 4}, 2), leaf({15, 5}, 3), {}, {}, {}};
  in.state = {Variable(Tensor::zeros({2, 5}))};
  CHECK(
      bit_equal(nn::gru_sequence(in).last[0].value(), nn::gru_sequence(in).outputs.value().select(0, 2)));  // forwards
  Variable outputs = nn::gru_sequence(in).outputs, total = sum(outputs);
  Tensor value = outputs.value();
  fill_into(value, 1);
  refuses<GraphError>("backward of gru_sequence: overwritten fill_into got 2 1", [&] { backward(total); });
}

TEST_CASE("side_by_side: as its composed form, to the bit") {
  Tensor keep = Tensor::from_bools({1, 1, 1, 0, 1, 0}, {3, 2});
  for (const Tensor& kept : {Tensor(), keep})
    for (size_t D : {size_t{1}, size_t{2}}) {
      auto result = [&](auto f) {
        std::vector<Variable> sides{leaf({3, 2, 5}, 1), leaf({3, 2, 5}, 2)};
        sides.resize(D);
        Variable y = f(sides, kept);
        backward(weighted_sum(y));
        std::vector<Tensor> out{y.value()};
        for (const Variable& side : sides) out.push_back(side.grad());
        return out;
      };
      CHECK(same_bits(result(nn::side_by_side), result(nn::side_by_side_composed)));
    }
}
