// checkpoint: the gradients of the plain function to the bit, with less kept in between.
#include "autograd/checkpoint.h"

#include <memory>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

Tensor normal(const Shape& shape, uint64_t seed) {
  Generator rng(seed);
  return Tensor::normal(shape, rng);
}
Variable parameter(const Shape& shape, uint64_t seed) { return {normal(shape, seed), Variable::kRequiresGrad}; }

// Six layers with dropout; each in a checkpoint of its own, or all plain.
struct Net {
  Variable w = parameter({8, 8}, 1);
  Generator rng{7};
  Variable layer(const Variable& x) { return dropout(tanh(matmul(x, w)), 0.5, rng) + x; }
  Variable run(Variable x, bool checkpoints) {
    for (int i = 0; i < 6; ++i)
      x = checkpoints ? checkpoint([this](const Variable& h) { return layer(h); }, x) : layer(x);
    return x;
  }
};

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "checkpoint: with dropout and captured parameters, the same bits by backward and by grad") {
  Net plain, saving;
  Variable x1 = parameter({4, 8}, 2), x2 = parameter({4, 8}, 2);
  Variable y1 = plain.run(x1, /*checkpoints=*/false), y2 = saving.run(x2, /*checkpoints=*/true);
  CHECK(y1.value().to_vector() == y2.value().to_vector());
  CHECK(plain.rng.offset() == saving.rng.offset());
  Variable l1 = sum(square(y1)), l2 = sum(square(y2));
  auto g1 = grad({l1}, {plain.w, x1}, {.retain_graph = true}), g2 = grad({l2}, {saving.w, x2}, {.retain_graph = true});
  for (size_t i = 0; i < 2; ++i) CHECK(g1[i].value().to_vector() == g2[i].value().to_vector());
  CHECK(plain.rng.offset() == saving.rng.offset());  // the second run drew the same numbers and put the place back
  backward(l1);
  backward(l2);
  CHECK(plain.w.grad().to_vector() == saving.w.grad().to_vector());
  CHECK(x1.grad().to_vector() == x2.grad().to_vector());
  CHECK_THROWS_AS(backward(l2), GraphError);  // freed, as any graph
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: only a captured parameter is asked for, and only it is there to ask for") {
  Variable w = parameter({3, 3}, 1);
  Tensor x = normal({2, 3}, 2);
  Variable y = checkpoint([&](const Variable& h) { return matmul(h, w); }, Variable(x));
  CHECK(y.requires_grad());
  Variable dw = grad({sum(y)}, {w})[0];
  CHECK(dw.value().to_vector() == grad({sum(matmul(Variable(x), w))}, {w})[0].value().to_vector());
  // What f captured may itself have been computed.
  Variable twice = w * 2;
  Variable z = checkpoint([&](const Variable& h) { return matmul(h, twice); }, Variable(x));
  CHECK(grad({sum(z)}, {w})[0].value().to_vector() ==
        grad({sum(matmul(Variable(x), w * 2))}, {w})[0].value().to_vector());
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: inner values are not kept") {
  Net net;
  Variable x = parameter({4, 8}, 2);
  int64_t before = live_storages(), nodes = live_nodes();
  int64_t kept, kept_nodes;
  {
    Variable y = net.run(x, /*checkpoints=*/false);
    kept = live_storages() - before, kept_nodes = live_nodes() - nodes;
  }
  Variable y = net.run(x, /*checkpoints=*/true);
  CHECK(live_storages() - before == 6);  // the six outputs
  CHECK(live_nodes() - nodes == 6);
  CHECK(kept >= 12);
  CHECK(kept_nodes >= 24);
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: nothing is recorded without gradients, and constants stay constants") {
  Variable w = parameter({2, 2}, 1);
  int runs = 0;
  auto f = [&](const Variable& h) {
    ++runs;
    return h * h;
  };
  {
    NoGrad guard;
    CHECK_FALSE(checkpoint(f, w).requires_grad());
  }
  CHECK_FALSE(checkpoint(f, Variable(normal({2}, 1))).requires_grad());
  auto mixed = checkpoint_many([&] { return std::vector<Variable>{w * w, Variable(Tensor::ones({2}))}; }, {w});
  CHECK(mixed[0].requires_grad());
  CHECK_FALSE(mixed[1].requires_grad());
  backward(sum(mixed[0]));
  CHECK(runs == 2);
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: a generator that is local to f draws the same numbers again") {
  auto f = [](const Variable& x) {
    Generator local(7);
    return dropout(dropout(x * x, 0.5, local), 0.25, local);
  };
  Variable x = random_leaf({64}, 1), z(x.value().clone(), Variable::kRequiresGrad);
  backward(sum(checkpoint(f, x)));
  backward(sum(f(z)));
  CHECK(bit_equal(x.grad(), z.grad()));
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: a generator that is gone by the time of backward") {
  Variable x = random_leaf({64}, 1), y;
  Tensor expected;
  {
    auto rng = std::make_shared<Generator>(3, 40);
    y = checkpoint(
        [weak = std::weak_ptr(rng)](const Variable& v) {
          Generator fallback(3);
          auto strong = weak.lock();
          return dropout(v * v, 0.5, strong ? *strong : fallback);
        },
        x);
    CHECK(rng->offset() > 40);
  }
  backward(sum(y));  // the same numbers, and nothing is written where the generator was
  CHECK(x.grad().defined());
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: another number of draws in the second run is an error") {
  Variable x = random_leaf({8}, 1);
  int run = 0;
  Generator rng(1);
  Variable y = checkpoint(
      [&](const Variable& v) {
        Variable h = dropout(v, 0.5, rng);
        return run++ ? dropout(h, 0.5, rng) : h;
      },
      x);
  CHECK_THROWS_AS(backward(sum(y)), ValueError);
}

TEST_CASE_FIXTURE(LeakFree, "checkpoint: what changed in between is an error, not a wrong number") {
  Variable x = parameter({2}, 1), w = parameter({2}, 2);
  double factor = 2;
  Variable y = checkpoint([&](const Variable& h) { return h * w * factor; }, x);
  factor = 3;
  auto message = [&](const Variable& loss) {
    try {
      backward(loss);
    } catch (const GraphError& error) { return std::string(error.what()); }
    return std::string("no error");
  };
  CHECK(message(sum(y)) ==
        "checkpoint: the second run of f must give the same bits as the first; hint: f may depend only on its inputs, "
        "on parameters that nobody changes in between, and on generators");
  y = checkpoint([&](const Variable& h) { return h * w; }, x);
  w.set_value(normal({2}, 3));
  CHECK(message(sum(y)).starts_with("checkpoint: the second run of f must give the same bits"));
  y = checkpoint([&](const Variable& h) { return h * w; }, x);
  x.set_value(normal({2}, 3));
  CHECK(message(sum(y)) ==
        "backward of checkpoint: a value that it saved was replaced by set_value; hint: "
        "compute on a clone()");
}
