// Modes: recording off, thread-local, leaks seen.
#include <memory>
#include <thread>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

TEST_CASE_FIXTURE(LeakFree, "modes: no node is made under NoGrad, nor for constants") {
  Variable x = leaf({1, 2}), c(Tensor::ones({2}, DType::f64));
  int64_t nodes = live_nodes();
  {
    NoGrad guard;
    Variable y = cross_entropy(reshape(tanh(x * x), {1, 2}), Tensor::from(std::vector<int64_t>{0}, {1}));
    auto parts = split(x, {1, 1}, 0);
    CHECK_FALSE(y.requires_grad());
    CHECK_FALSE(parts[0].requires_grad());
    CHECK(live_nodes() == nodes);
    GradMode again(true);
    CHECK((x * 2).requires_grad());
  }
  Variable y = tanh(c * c);
  CHECK_FALSE(y.requires_grad());
  CHECK(y.is_leaf());
  CHECK(live_nodes() == nodes);
  CHECK(grad_enabled());
}

TEST_CASE_FIXTURE(LeakFree, "modes: each thread has its own") {
  NoGrad guard;
  Anomaly anomaly;
  NameScope scope("main");
  bool enabled = false, watched = true, same_path = true;
  double gradient = 0;
  std::thread other([&] {
    enabled = grad_enabled();
    watched = anomaly_slot();
    same_path = current_path() == path_slot() && path_name(current_path()) == "main";
    Variable x = leaf({3});
    backward(sum(x * x));
    gradient = x.grad().item();
    GradMode off(false);
  });
  other.join();
  CHECK(enabled);
  CHECK_FALSE(watched);
  CHECK_FALSE(same_path);
  CHECK(gradient == 6);
  CHECK_FALSE(grad_enabled());
  CHECK(anomaly_slot());
}

TEST_CASE("modes: LeakCheck counts what is kept, and nothing else") {
  LeakCheck check;
  CHECK_FALSE(check.leaked());
  auto kept = std::make_unique<Variable>(leaf({1, 2}));
  CHECK(check.nodes() == 1);
  CHECK(check.tensors() == 1);
  *kept = sum(square(*kept));  // leaf, square, sum; the leaf's value and the sum's (square's own is gone)
  CHECK(check.nodes() == 3);
  CHECK(check.tensors() == 2);
  CHECK(check.leaked());
  kept.reset();
  CHECK_FALSE(check.leaked());
}

TEST_CASE_FIXTURE(LeakFree, "modes: backward releases what was saved, and keeps it with retain_graph") {
  Variable x = leaf({1, 2});
  Variable loss = sum(exp(square(x)));
  CHECK(leaks.tensors() == 3);  // x, e^(x^2), the loss
  backward(loss, {.retain_graph = true});
  CHECK(leaks.tensors() == 4);  // and the gradient
  backward(loss);
  CHECK(leaks.tensors() == 3);
  CHECK(leaks.nodes() == 2);  // the leaf and an empty sum
}
