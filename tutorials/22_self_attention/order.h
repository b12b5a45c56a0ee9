// Does a layer depend on the order of its words, and how many of its operations must wait for each other?
#pragma once

#include <chrono>

#include "nn/recurrent/gru.h"
#include "nn/recurrent/recurrent.h"
#include "tensor/elementwise.h"
#include "tutorials/08_recurrent/path.h"
#include "tutorials/22_self_attention/ring.h"

namespace heads {

// The largest difference between f(shuffled x) and shuffled f(x). It is 0 if f does not depend on the order.
template <class F>
double far_from_equivariant(const F& f, const Tensor& x, const Tensor& order) {
  heed::NoGrad guard;
  Tensor moved = f(Variable(index_select(x, 1, order))).value(), after = index_select(f(Variable(x)).value(), 1, order);
  return heed::max_abs_difference(moved, after);
}

// A plain recurrent network from single operations, so that the graph shows its steps: h_t = tanh(W x_t + U h_{t-1}).
inline Variable plain_rnn(const Variable& x, const Variable& w, const Variable& u) {  // [1, T, D] -> [1, D]
  Variable h(Tensor::zeros({1, x.size(2)}));
  for (int64_t t = 0; t < x.size(1); ++t) h = tanh(linear(select(x, 1, t), w, {}) + linear(h, u, {}));
  return h;
}

struct Steps {
  int64_t attention = 0, rnn = 0;  // operations on the longest path of the recorded graph
};
inline Steps dependent_steps(int64_t T, int64_t D) {
  Generator rng(1);
  nn::MultiHeadAttention layer({.model = D, .heads = 4, .evaluator = {.name = "dense"}}, rng);
  Variable x(Tensor::normal({1, T, D}, rng)), w(Tensor::normal({D, D}, rng), Variable::kRequiresGrad),
      u(Tensor::normal({D, D}, rng), Variable::kRequiresGrad);
  return {recurrent::longest_path(layer(x).output).operations, recurrent::longest_path(plain_rnn(x, w, u)).operations};
}

struct Clock {
  double attention = 0, gru = 0;  // ms: forward and backward of a layer, the best of three
};
inline Clock clock_of(int64_t T, int64_t D) {
  Generator rng(1);
  nn::MultiHeadAttention layer({.model = D, .heads = 4}, rng);
  nn::Recurrent<nn::GRUCell> gru({.input = D, .hidden = D}, rng);
  Variable x(Tensor::normal({8, T, D}, rng));
  auto best = [](const auto& run) {
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      auto start = std::chrono::steady_clock::now();
      backward(sum(square(run())));
      least =
          std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return least;
  };
  return {best([&] { return layer(x).output; }), best([&] { return gru(x).annotations; })};
}
// Multiply-adds of the forward pass, in millions.
inline Clock work_of(int64_t T, int64_t D) {
  auto t = static_cast<double>(T), d = static_cast<double>(D);
  return {8e-6 * (4 * t * d * d + 2 * t * t * d), 8e-6 * 6 * t * d * d};
}

}  // namespace heads
