// Graphs and handles on several threads: what the headers allow, with the numbers of one thread.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"

using namespace heed;

namespace {
Variable leaf(double value) { return {Tensor::full({4}, value, DType::f64), Variable::kRequiresGrad}; }
Variable some_function(const Variable& x, const Variable& w, int depth) {
  Variable h = x;
  for (int i = 0; i < depth; ++i) h = tanh(h * w + x);
  return sum(h);
}
}  // namespace

TEST_CASE("threads: a graph begun on one thread and continued on another is walked in the right order") {
  std::vector<Variable> earlier;
  for (int i = 0; i < 9; ++i) earlier.push_back(leaf(i));
  Variable x(Tensor::full({}, 3, DType::f64), Variable::kRequiresGrad);
  double got = 0;
  std::thread([&] { got = grad({x * x + x}, {x})[0].item(); }).join();
  CHECK(got == 7);
  Variable half = x * x;  // made here, continued there, differentiated here
  Variable whole;
  std::thread([&] { whole = half * x + half; }).join();
  backward(whole);
  CHECK(x.grad().item() == 3 * 9 + 2 * 3);
}

TEST_CASE("threads: separate graphs over shared leaves, differentiated at once") {
  Variable w = leaf(0.7);
  std::vector<double> alone, together(4);
  for (int t = 0; t < 4; ++t) alone.push_back(grad({some_function(leaf(0.1 * t), w, 50)}, {w})[0].value().at({0}));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int again = 0; again < 50; ++again)
        together[t] = grad({some_function(leaf(0.1 * static_cast<double>(t)), w, 50)}, {w})[0].value().at({0});
    });
  for (std::thread& t : threads) t.join();
  CHECK(together == alone);
}

TEST_CASE("threads: two models are trained at once, as each alone") {
  auto train = [](double seed) {  // least squares by gradient descent
    Generator rng(static_cast<uint64_t>(seed));
    Tensor x = Tensor::normal({16, 4}, rng, 0, 1, DType::f64), y = Tensor::normal({16, 1}, rng, 0, 1, DType::f64);
    Variable w(Tensor::zeros({1, 4}, DType::f64), Variable::kRequiresGrad);
    for (int step = 0; step < 100; ++step) {
      w.zero_grad();
      backward(mean(square(dropout(linear(x, w, {}), 0.1, rng) - Variable(y))));
      NoGrad guard;
      add_(w, w.grad(), -0.1);
    }
    return w.value().to_vector();
  };
  std::vector<double> first = train(1), second = train(2), one, two;
  std::thread a([&] { one = train(1); }), b([&] { two = train(2); });
  a.join();
  b.join();
  CHECK(one == first);
  CHECK(two == second);
}

TEST_CASE("threads: handles are copied and dropped by several threads at once") {
  Tensor shared = Tensor::ones({3, 5});
  Variable handle(shared);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        Variable copy = handle;
        Tensor view = copy.value().transpose(0, 1), same = shared;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(handle.unique() == false);
  CHECK(shared.storage().owners() == 2);
  CHECK(shared.shared_layout()->owners() >= 2);
}

TEST_CASE("threads: what one thread makes, another may destroy") {
  std::vector<Variable> made;
  std::thread([&] {
    Variable x = leaf(1);
    for (int i = 0; i < 1000; ++i) made.push_back(x = tanh(x));
  }).join();
  made.clear();
  CHECK(made.empty());
}
