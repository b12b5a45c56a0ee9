// The graph and its backward pass: sharing, accumulation, release, ownership.
#include <cmath>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/thread_pool.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

TEST_CASE_FIXTURE(LeakFree, "graph: b = a + a, c = b + b gives 4") {
  Variable a = leaf({3}), b = a + a, c = b + b;
  backward(c);
  CHECK(a.grad().item() == 4);
}

TEST_CASE_FIXTURE(LeakFree, "graph: x x through one handle gives 2 x") {
  Variable x = leaf({3, -2});
  backward(sum(x * x));
  CHECK(x.grad().to_vector() == Doubles{6, -4});
  Variable y = leaf({3, -2});
  y = y * y;  // the handle itself is replaced; the leaf lives on in the graph
  backward(sum(y));
}

TEST_CASE_FIXTURE(LeakFree, "graph: a value between, used by two losses, gives the sum of both") {
  Variable x = leaf({2}), h = square(x);
  Variable first = sum(h * 3), second = sum(square(h));
  backward(first + second);
  CHECK(x.grad().item() == 3 * 4 + 2 * 4 * 4);
  Variable z = leaf({2}), g = square(z);  // one after the other, through the part that they share
  backward(sum(g * 3), {.retain_graph = true});
  backward(sum(square(g)));
  CHECK(z.grad().item() == 3 * 4 + 2 * 4 * 4);
}

TEST_CASE_FIXTURE(LeakFree, "graph: backward twice is exactly double") {
  Variable x = random_leaf({5, 4}, 1), w = random_leaf({4, 3}, 2);
  Variable loss = sum(tanh(matmul(x, w)));
  backward(loss, {.retain_graph = true});
  Tensor once = w.grad().clone();
  backward(loss);
  CHECK(bit_equal(w.grad(), mul(once, 2)));
}

TEST_CASE_FIXTURE(LeakFree, "graph: backward after release throws") {
  Variable x = leaf({3});
  Variable loss = sum(x * x);
  backward(loss);
  CHECK(error_of([&] { backward(loss); }) ==
        "backward: the graph was already freed at sum; pass retain_graph to the first pass");
  CHECK(error_of([&] { grad({loss}, {x}); }) ==
        "backward: the graph was already freed at sum; pass retain_graph to the first pass");
  CHECK(x.grad().item() == 6);
}

TEST_CASE_FIXTURE(LeakFree, "grad through a part that was freed says so, instead of leaving that part out") {
  Variable x(Tensor::from(std::vector<double>{1, 2}, {2}), Variable::kRequiresGrad);
  auto half_freed = [&] {  // h is shared; sum(h) freed what is below it
    Variable h = tanh(x * 3), y = sum(square(h));
    grad({sum(h)}, {x});
    return y;
  };
  const std::string freed = "backward: the graph was already freed at tanh; pass retain_graph to the first pass";
  CHECK(error_of([&] { grad({half_freed()}, {x}); }) == freed);
  CHECK(error_of([&] { grad({half_freed()}, {x}, {.allow_unused = true}); }) == freed);
  CHECK(error_of([&] { grad({half_freed() + sum(x)}, {x}); }) == freed);  // sum(x) alone would be half of it
}

TEST_CASE_FIXTURE(LeakFree, "grad with respect to a value whose own graph was freed needs none of it") {
  Variable x(Tensor::from(std::vector<double>{1, 2}, {2}), Variable::kRequiresGrad);
  Variable h = tanh(x * 3), y = sum(square(h));
  grad({sum(h)}, {x});
  CHECK(grad({y}, {h})[0].value().to_vector()[0] == doctest::Approx(2 * std::tanh(3.0)));
}

TEST_CASE_FIXTURE(LeakFree, "graph: a value with several elements is differentiated with a seed") {
  Variable x = leaf({1, 2});
  backward(x * 2, {.seed = Tensor::from(Doubles{1, 10}, {2})});
  CHECK(x.grad().to_vector() == Doubles{2, 20});
}

TEST_CASE_FIXTURE(LeakFree, "graph: scaling one gradient in place scales no other") {
  Variable a = leaf({1, 2}), b = leaf({3, 4});
  Tensor seed = Tensor::ones({2}, DType::f64);
  backward(a + b, {.seed = seed});
  Tensor g = a.grad();
  scale_into(g, 0.5);
  CHECK(a.grad().to_vector() == Doubles{0.5, 0.5});
  CHECK(b.grad().to_vector() == Doubles{1, 1});
  CHECK(seed.to_vector() == Doubles{1, 1});
  Variable c = leaf({1, 2});  // the gradient of a sum is one number repeated: it must get memory of its own
  backward(sum(c));
  Tensor h = c.grad();
  CHECK(h.is_contiguous());
  scale_into(h, 3);
  CHECK(c.grad().to_vector() == Doubles{3, 3});
}

TEST_CASE_FIXTURE(LeakFree, "graph: a gradient that was set may be repeated, and is added to rightly") {
  Variable x = leaf({1, 2, 3});
  x.set_grad(Tensor::from(Doubles{1}, {1}).expand({3}));
  backward(sum(x * x));
  CHECK(x.grad().to_vector() == Doubles{3, 5, 7});
  CHECK_THROWS_AS(x.set_grad(Tensor::ones({2}, DType::f64)), ShapeError);
}

TEST_CASE_FIXTURE(LeakFree, "graph: a million operations in a chain, built, differentiated and destroyed") {
  Variable x = leaf({1}), one(Tensor::from(Doubles{1}, {1})), y = x;
  for (int i = 0; i < 500000; ++i) y = (y + 0.0) * one;
  CHECK(leaks.nodes() == 1000001);
  backward(y);
  CHECK(x.grad().item() == 1);
  Variable z = x;
  for (int i = 0; i < 500000; ++i) z = (z + 0.0) * one;  // and one that is dropped without a pass
}

TEST_CASE_FIXTURE(LeakFree, "linear: one node, and the gradient of the weight is made in its own layout") {
  Variable x(Tensor::ones({4, 2, 3}), Variable::kRequiresGrad), w(Tensor::ones({5, 3}), Variable::kRequiresGrad),
      b(Tensor::ones({5}), Variable::kRequiresGrad);
  int64_t nodes = live_nodes(), before = copies_made();
  Variable y = linear(x, w, b);
  CHECK(live_nodes() == nodes + 1);
  backward(y, {.seed = Tensor::ones({4, 2, 5})});
  CHECK(copies_made() == before);
  CHECK(w.grad().is_contiguous());
  CHECK(w.grad().to_vector() == std::vector<double>(15, 8));
  CHECK(b.grad().to_vector() == std::vector<double>(5, 8));
  CHECK(x.grad().to_vector() == std::vector<double>(24, 5));
}

TEST_CASE_FIXTURE(LeakFree, "graph: an expanded gradient is made whole once, at the leaf") {
  Variable x = random_leaf({64, 32}, 1);
  int64_t before = copies_made();
  backward(sum(x));  // [] -> [64, 32] as a view; the leaf clones it
  CHECK(copies_made() == before);
  CHECK(leaks.tensors() == 2);  // x and its gradient
  Variable y = random_leaf({64, 32}, 1);
  backward(sum(square(y)));
  CHECK(copies_made() == before);
  CHECK(y.grad().is_contiguous());
}

TEST_CASE_FIXTURE(LeakFree, "graph: an output that nobody uses counts as zero") {
  Variable x = leaf({1, 2, 3, 4, 5});
  auto parts = split(x, {2, 3}, 0);
  backward(sum(square(parts[1])));
  CHECK(x.grad().to_vector() == Doubles{0, 0, 6, 8, 10});
  bool first = true, second = true;  // and the node may ask
  auto outputs = attach_many("two", {x}, {x.value(), x.value()}, [&](Grads& g) {
    first = g.has(0);
    second = g.has(1);
    g.add(0, g.dy(0) + g.dy(1));
  });
  x.zero_grad();
  backward(sum(outputs[0]));
  CHECK(first);
  CHECK_FALSE(second);
  CHECK(x.grad().to_vector() == Doubles{1, 1, 1, 1, 1});
}

TEST_CASE_FIXTURE(LeakFree, "graph: more than 64 outputs, each used several times") {
  Variable x = leaf(Doubles(70, 1.0));
  auto parts = unstack(x, 0);
  Variable other = leaf({1}, {});
  Variable twice = parts[65] * 2, shared = parts[65] + other;  // the first gradient to arrive has two receivers
  Variable total = shared + twice + (parts[1] + parts[1] + parts[1]);
  backward(total);
  CHECK(x.grad().to_vector()[1] == 3);
  CHECK(x.grad().to_vector()[65] == 3);
  CHECK(other.grad().item() == 1);
}

TEST_CASE_FIXTURE(LeakFree, "graph: grad of an input that nothing depends on") {
  Variable x = leaf({1}), unused = leaf({2});
  CHECK(error_of([&] {
          grad({sum(x * x)}, {x, unused});
        }) == "grad: no output depends on input 1; pass allow_unused to get an undefined one");
  auto g = grad({sum(x * x)}, {x, unused}, {.allow_unused = true});
  CHECK(g[0].item() == 2);
  CHECK_FALSE(g[1].defined());
  CHECK_FALSE(x.grad().defined());  // grad() touches no .grad
  CHECK(error_of([&] { grad({sum(x)}, {Variable(Tensor::scalar(1))}); }) ==
        "grad: every input must require a gradient; got a constant");
}

TEST_CASE_FIXTURE(LeakFree, "graph: grad with respect to values between, several outputs, seeds") {
  Variable x = leaf({3}), h = square(x), y = h * 2, z = exp(h * 0.0);
  auto g = grad({y, z}, {h, x, h}, {.seeds = {Tensor::from(Doubles{10}, {1}), Tensor::from(Doubles{5}, {1})}});
  CHECK(g[0].item() == 20);
  CHECK(g[1].item() == 120);
  CHECK(g[2].item() == 20);
  CHECK(error_of([&] {
          grad({y}, {x}, {.seeds = {y, y}});
        }) == "grad: needs one seed per output; got 2 seeds for 1 outputs");
}

TEST_CASE_FIXTURE(LeakFree, "graph: retain_grad keeps the gradient of a value between") {
  Variable x = leaf({3}), h = square(x), y = square(h);
  CHECK_FALSE(h.grad().defined());
  h.retain_grad();
  backward(sum(y));
  CHECK(h.grad().item() == 18);
  CHECK(x.grad().item() == 108);
  Tensor kept = h.grad();
  scale_into(kept, 0);  // its own memory
  CHECK(x.grad().item() == 108);
}

TEST_CASE_FIXTURE(LeakFree, "graph: retained gradients are added over passes, as those of leaves are") {
  Variable x = leaf({3});
  Variable y = x * 2;
  y.retain_grad();
  Variable z = sum(y * y);
  backward(z, {.retain_graph = true});
  CHECK(y.grad().to_vector() == Doubles{12});
  backward(z);
  CHECK(y.grad().to_vector() == Doubles{24});
  CHECK(x.grad().to_vector() == Doubles{48});
  y.zero_grad();
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE_FIXTURE(LeakFree, "graph: one tensor set as the gradient of two leaves stays two gradients") {
  Variable a = leaf({1}), b = leaf({1});
  Tensor start = Tensor::zeros({1}, DType::f64);
  a.set_grad(start);
  b.set_grad(start);
  backward(sum(a * 2 + b * 3));
  CHECK(a.grad().to_vector() == Doubles{2});
  CHECK(b.grad().to_vector() == Doubles{3});
  CHECK(start.to_vector() == Doubles{0});
}

TEST_CASE_FIXTURE(LeakFree, "graph: the gradients that grad returns share no memory") {
  Variable a = leaf({1, 2}), b = leaf({3, 4});
  for (bool create_graph : {false, true}) {
    std::vector<Variable> d = grad({sum(a + b)}, {a, b}, {.create_graph = create_graph});
    CHECK_FALSE(d[0].same_as(d[1]));
    CHECK(&d[0].value().storage() != &d[1].value().storage());
  }
  Variable seed(Tensor::ones({2}, DType::f64));
  Variable same = grad({a}, {a}, {.seeds = {seed}})[0];
  CHECK(&same.value().storage() != &seed.value().storage());
}

TEST_CASE_FIXTURE(LeakFree, "graph: a list of inputs may outlive the handles it was made from") {
  Variable x = leaf({2});
  Inputs inputs;
  {
    Variable twice = x * 2;
    inputs.emplace_back(twice);
  }
  Variable y = attach_many("keep", inputs, {Tensor::ones({1}, DType::f64)}, [](Grads& g) { g.add(0, g.dy(0)); })[0];
  backward(y);
  CHECK(x.grad().to_vector() == Doubles{2});
}

TEST_CASE_FIXTURE(LeakFree, "graph: a custom operation in ten lines") {
  auto cube = [](const Variable& x) {
    Tensor y = mul(x.value(), square(x.value()));
    return attach("cube", {x}, y, [sx = save(x)](Grads& g, const Variable& dy) { g.add(0, dy * 3 * square(g[sx])); });
  };
  Variable x = leaf({2, -1});
  backward(sum(cube(x)));
  CHECK(x.grad().to_vector() == Doubles{12, 3});
  Variable d = grad({sum(cube(x))}, {x}, {.create_graph = true})[0];
  CHECK(grad({sum(d)}, {x})[0].value().to_vector() == Doubles{12, -6});
}

TEST_CASE_FIXTURE(LeakFree, "graph: the same bits of every gradient on 1, 2 and 3 threads") {
  Generator rng(5);
  std::vector<int64_t> ids(192);
  for (int64_t& id : ids) id = rng.below(300);
  Tensor at = Tensor::from(ids, {192});
  std::vector<std::vector<Tensor>> runs;
  int before = thread_count();
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Variable table = random_leaf({300, 160}, 1, DType::f32), w = random_leaf({160, 300}, 2, DType::f32);
    Variable bias = random_leaf({300}, 3, DType::f32);
    Generator dropped(9);
    Variable h = dropout(tanh(embedding(table, at)), 0.2, dropped);
    Variable p = softmax(matmul(h, transpose(h, 0, 1)));
    backward(cross_entropy(matmul(matmul(p, h), w) + bias, at, {.label_smoothing = 0.1}));
    runs.push_back({table.grad(), w.grad(), bias.grad()});
  }
  set_thread_count(before);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(bit_equal(runs[0][i], runs[1][i]));
    CHECK(bit_equal(runs[0][i], runs[2][i]));
  }
}
