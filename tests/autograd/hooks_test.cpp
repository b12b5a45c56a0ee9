// Hooks on gradients: once a pass, with the sum, free to replace it.
#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

TEST_CASE_FIXTURE(LeakFree, "hooks: run once in a pass, with the summed gradient") {
  Variable x = leaf({2}), h = square(x);
  std::vector<double> at_value, at_leaf;
  h.on_grad([&](const Variable& dy) {
    at_value.push_back(dy.item());
    return Variable();
  });
  x.on_grad([&](const Variable& dy) {
    at_leaf.push_back(dy.item());
    return Variable();
  });
  Variable loss = sum(h * 3 + h * h + x);
  backward(loss, {.retain_graph = true});
  CHECK(at_value == Doubles{3 + 2 * 4});
  CHECK(at_leaf == Doubles{11 * 4 + 1});
  backward(loss);
  CHECK(at_value.size() == 2);
  CHECK(at_leaf.size() == 2);
  CHECK(x.grad().item() == 2 * 45);
  CHECK_FALSE(h.grad().defined());  // only retain_grad keeps it
}

TEST_CASE_FIXTURE(LeakFree, "hooks: may replace the gradient, one after the other; the shape is checked") {
  Variable x = leaf({2, 3}), h = square(x);
  h.retain_grad();
  h.on_grad([](const Variable& dy) { return dy * 10; });
  h.on_grad([](const Variable& dy) { return dy + 1; });
  backward(sum(h));
  CHECK(h.grad().to_vector() == Doubles{11, 11});
  CHECK(x.grad().to_vector() == Doubles{44, 66});

  Variable y = leaf({2, 3});
  y.on_grad([](const Variable& dy) { return sum(dy); });
  CHECK_THROWS_AS(backward(sum(y * 2)), GradientShapeError);
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE_FIXTURE(LeakFree, "hooks: are seen by grad(), and recorded with create_graph") {
  Variable x = leaf({2});
  x.on_grad([](const Variable& dy) { return square(dy); });
  Variable d = grad({sum(square(x))}, {x}, {.create_graph = true})[0];
  CHECK(d.item() == 16);                        // (2 x)^2
  CHECK(grad({sum(d)}, {x})[0].item() == 256);  // (8 x)^2: the hook once more
}

TEST_CASE_FIXTURE(LeakFree, "hooks: a hook may ask for gradients of the same graph while a pass runs") {
  Variable x = leaf({2}), h = square(x), y = h * h * h;
  double inner = 0;
  h.on_grad([&](const Variable&) {
    static bool busy = false;
    if (busy) return Variable();
    busy = true;
    inner = grad({y}, {x}, {.seeds = {Tensor::from(Doubles{1}, {1})}, .retain_graph = true})[0].item();
    busy = false;
    return Variable();
  });
  backward(y, {.retain_graph = true});
  CHECK(inner == 6 * 32);  // d x^6 = 6 x^5
  CHECK(x.grad().item() == 6 * 32);
}

TEST_CASE_FIXTURE(LeakFree, "hooks: a hook may add a hook, which runs in this very pass") {
  Variable x = leaf({2});
  int calls = 0;
  x.on_grad([&, handle = x.detach()](const Variable&) {
    ++calls;
    return Variable();
  });
  Variable* at = &x;
  x.on_grad([&, at](const Variable&) {
    if (calls < 5)
      at->on_grad([&](const Variable&) {
        ++calls;
        return Variable();
      });
    return Variable();
  });
  backward(sum(x * x));
  CHECK(calls == 2);
  CHECK(x.grad().item() == 4);
}

// BackwardOptions::ready
TEST_CASE_FIXTURE(LeakFree,
                  "ready: each leaf once, when its gradient is whole, while others still wait; the same bits") {
  Variable first = leaf({2, 3}), second = leaf({5, 7}), shared = leaf({0.5, 0.25}), unused = leaf({1});
  auto f = [&](bool again) {
    auto part = [&](const Variable& x) { return tanh(x * first) * shared; };
    Variable h = again ? checkpoint(part, square(first)) : part(square(first));
    return sum(tanh(h * second) * shared + h);
  };
  backward(f(false));
  const std::vector<Variable*> leaves = {&first, &second, &shared};
  std::vector<Doubles> plain;
  for (Variable* x : leaves) plain.push_back(x->grad().to_vector()), x->zero_grad();
  for (bool again : {false, true}) {
    CAPTURE(again);
    std::vector<std::string> order;
    backward(f(again), {.ready = [&](Node& node) {
               for (size_t i = 0; i < leaves.size(); ++i) {
                 if (leaves[i]->node().get() != &node) continue;
                 order.push_back(std::string(1, static_cast<char>('1' + i)) + (first.grad().defined() ? "" : " early"));
                 CHECK(leaves[i]->grad().to_vector() == plain[i]);
               }
             }});
    CHECK(order == std::vector<std::string>{"2 early", "3 early", "1"});
    for (Variable* x : leaves) x->zero_grad();
  }
}
TEST_CASE("ready: a leaf that is itself the value, once and with its gradient") {
  Variable x(Tensor::ones({1}), Variable::kRequiresGrad);
  int calls = 0;
  backward(x, {.ready = [&](Node& node) { calls += &node == x.node().get() && x.grad().item() == 1; }});
  CHECK(calls == 1);
}
