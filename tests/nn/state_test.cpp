// States: what save_state writes and load_state accepts. Tied weights, buffers, files that do not fit, snapshots.
#include "nn/layers.h"
#include "nn/optim/sgd.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::named_parameters;

namespace {

// One weight under two names, as an output layer that reuses the embedding.
struct Tied : nn::Module {
  struct Options {
    int64_t width;
  };
  Tied(const Options& o, Generator& rng)
      : options(o), first({.in = o.width, .out = o.width}, rng), second({.in = o.width, .out = o.width}, rng) {
    second.weight = first.weight;
  }
  void visit(nn::Visitor& v) {
    v.child("first", first);
    v.child("second", second);
    v.buffer("scale", scale);
  }
  Options options;
  nn::Linear first, second;
  Tensor scale = Tensor::ones({1});
};

}  // namespace

TEST_CASE("a tied weight counts once, is saved under both names, and must agree when loaded") {
  Tied m = make<Tied>({.width = 2}, 1);
  auto names = named_parameters(m);
  REQUIRE(names.size() == 3);
  CHECK(names[0].name == "first.weight");
  CHECK(names[1].name == "first.bias");
  CHECK(names[2].name == "second.bias");
  CHECK(nn::count_parameters(m) == 4 + 2 + 2);

  io::SafeTensors file = nn::save_state(m);
  REQUIRE(file.tensors.size() == 5);
  REQUIRE(file.find("second.weight"));
  CHECK(bit_equal(*file.find("first.weight"), *file.find("second.weight")));

  Tied other = make<Tied>({.width = 2}, 2);
  nn::load_state(other, file, "m");
  CHECK(other.first.weight.same_as(other.second.weight));
  CHECK(bit_equal(other.second.weight.value(), m.first.weight.value()));

  Tensor before = other.first.weight.value().clone(), bias = other.first.bias.value().clone();
  for (auto& [name, t] : file.tensors) t = name == "scale" ? t : random(t.shape(), name.size());
  CHECK_THROWS_AS(nn::load_state(other, file, "m"), IoError);
  CHECK(bit_equal(other.first.weight.value(), before));  // a refused file changes nothing
  CHECK(bit_equal(other.first.bias.value(), bias));

  Tied copy = nn::clone(m);
  CHECK(copy.first.weight.same_as(copy.second.weight));
  nn::convert(copy, DType::f64);
  CHECK(copy.second.weight.dtype() == DType::f64);
  CHECK(copy.scale.dtype() == DType::f64);
}

TEST_CASE("buffers are saved, loaded and copied, but not trained") {
  Tied m = make<Tied>({.width = 2}, 1), other = make<Tied>({.width = 2}, 2);
  m.scale = Tensor::full({1}, 3);
  nn::load_state(other, nn::save_state(m), "m");
  CHECK(other.scale.item() == 3);
  Tied copy = nn::clone(m);
  fill_into(copy.scale, 4);
  CHECK(m.scale.item() == 3);
  for (auto& p : named_parameters(m)) CHECK(p.name != "scale");
}

TEST_CASE("a state saved in memory stays as it was while the model trains on") {
  nn::Linear m = make<nn::Linear>({.in = 2, .out = 3}, 1);
  io::SafeTensors best = nn::save_state(m);
  Tensor then = m.weight.value().clone();
  nn::SGD sgd(named_parameters(m), {.learning_rate = 0.1});
  backward(sum(m(random({2, 2}, 1))));
  sgd.step();
  CHECK_FALSE(bit_equal(m.weight.value(), then));
  CHECK(bit_equal(*best.find("weight"), then));
  nn::load_state(m, best, "best");
  CHECK(bit_equal(m.weight.value(), then));
}

TEST_CASE("a clone keeps what was frozen") {
  nn::Linear m = make<nn::Linear>({.in = 2, .out = 3}, 1);
  m.weight.set_requires_grad(false);
  nn::Linear copy = nn::clone(m);
  CHECK_FALSE(copy.weight.requires_grad());
  CHECK(copy.bias.requires_grad());
}

TEST_CASE("f64 values load into an f32 model") {
  nn::Linear wide = make<nn::Linear>({.in = 2, .out = 3}, 1), narrow = make<nn::Linear>({.in = 2, .out = 3}, 2);
  Tensor then = wide.weight.value().clone();
  nn::convert(wide, DType::f64);
  nn::load_state(narrow, nn::save_state(wide), "m");
  CHECK(bit_equal(narrow.weight.value(), then));
}
