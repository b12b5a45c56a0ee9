// Graphs and handles on several threads: what the headers allow, with the numbers of one thread.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/row_places.h"
#include "tensor/thread_pool.h"

using namespace heed;

namespace {
Variable leaf(double value) { return {Tensor::full({4}, value, DType::f64), Variable::kRequiresGrad}; }
Variable some_function(const Variable& x, const Variable& w, int depth) {
  Variable h = x;
  for (int i = 0; i < depth; ++i) h = tanh(h * w + x);
  return sum(h);
}

// A random program on tensors that are large enough for all threads: its value and its gradients.
std::vector<Tensor> random_large_program(uint64_t seed) {
  Generator rng(seed);
  const int64_t R = 150 + rng.below(150), C = 150 + rng.below(150);
  auto some = [&](const Shape& shape) {
    return Variable(Tensor::normal(shape, rng, 0, 1, DType::f32), Variable::kRequiresGrad);
  };
  Variable x = some({R, C}), w = some({C, C}), b = some({C}), h = x;  // [R, C], [C, C], [C], [R, C]
  for (int step = 0; step < 6; ++step) switch (rng.below(8)) {
      case 0:
        h = tanh(h + b);
        break;
      case 1:
        h = softmax(h);
        break;
      case 2:
        h = layer_norm(h);
        break;
      case 3:
        h = matmul(h, w) * 0.1;
        break;
      case 4:
        h = matmul(softmax(matmul(h, transpose(x, 0, 1))), h);
        break;
      case 5:
        h = dropout(h, 0.2, rng);
        break;
      case 6:
        h = h * x - mean(h, {0});
        break;
      default:
        h = cumsum(h, 1) * 0.01;
    }
  backward(mean(square(linear(h, w, b))));
  return {h.value(), x.grad(), w.grad(), b.grad()};
}
bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), bit_equal);
}
struct Threads {
  explicit Threads(int n) { set_thread_count(n); }
  ~Threads() { set_thread_count(before); }
  int before = thread_count();
};
}  // namespace

TEST_CASE("threads: random programs give the same bits with 1, 2, 3 and 16 of them") {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    std::vector<Tensor> alone;
    for (int n : {1, 2, 3, 16}) {
      Threads use(n);
      std::vector<Tensor> got = random_large_program(seed);
      if (n == 1) alone = got;
      CHECK_MESSAGE(same_bits(alone, got), "seed " << seed << ", " << n << " threads");
    }
  }
}

TEST_CASE("threads: one model is evaluated by several threads of the user at once, with the bits of one") {
  Generator rng(3);
  auto some = [&](const Shape& shape) { return Variable(Tensor::normal(shape, rng, 0, 1, DType::f32)); };
  const Variable w = some({200, 300}), b = some({200}), v = some({300, 200});
  const std::vector<Variable> requests = {some({90, 300}), some({17, 300}), some({256, 300}), some({130, 300})};
  auto forward = [&](const Variable& x) {  // [R, 300] -> [R, 300]
    NoGrad guard;
    return softmax(linear(layer_norm(tanh(linear(x, w, b))), v, {})).value();
  };
  std::vector<Tensor> alone;
  for (const Variable& x : requests) alone.push_back(forward(x));
  for (int n : {1, 2, 3, 16}) {
    Threads use(n);
    std::atomic<int> wrong{0};
    std::vector<std::thread> users;
    for (size_t i = 0; i < requests.size(); ++i)
      users.emplace_back([&, i] {
        for (int again = 0; again < 8; ++again) wrong += !bit_equal(forward(requests[i]), alone[i]);
      });
    for (std::thread& t : users) t.join();
    CHECK(wrong == 0);
  }
}

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

TEST_CASE("threads: tiled dropout of a share of a batch is differentiated on another thread with the same numbers") {
  Generator rng(3);
  auto some = [&] { return Variable(Tensor::normal({2, 9, 2, 4}, rng, 0, 1, DType::f64), Variable::kRequiresGrad); };
  const Variable q = some(), k = some(), v = some();
  const AttentionTiles tiles{.dropout = 0.5, .seed = 7, .offset = 0};
  auto gradients = [&](bool elsewhere) {
    const RowScope share({.rows = 2, .first = 1, .step = 2, .all = 4});
    for (Variable x : {q, k, v}) x.zero_grad();
    const Variable y = sum(square(tiled_attention(q, k, v, tiles)));
    if (elsewhere)
      std::thread([&] { backward(y); }).join();
    else
      backward(y);
    std::vector<Tensor> out;
    for (const Variable& x : {q, k, v}) out.push_back(x.grad());
    return out;
  };
  const std::vector<Tensor> here = gradients(false), there = gradients(true);
  for (size_t i = 0; i < here.size(); ++i) CHECK(here[i].to_vector() == there[i].to_vector());
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
