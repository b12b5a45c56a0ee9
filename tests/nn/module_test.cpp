// What every module must hold, whatever it computes; and the clients of visit one by one.
#include "nn/module.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "autograd/modes.h"
#include "nn/attention/attention.h"
#include "nn/attention/scores/additive.h"
#include "nn/models/bahdanau.h"
#include "nn/optim/adam.h"
#include "tests/nn/module_support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::named_parameters;

namespace {

std::vector<Tensor> values(AnyModule& module) {
  std::vector<Tensor> out;
  for (auto& p : named_parameters(module)) out.push_back(p.variable.value());
  return out;
}

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / fmt::format("heed-module-{}-{}", getpid(), name)).string();
}

struct Six : nn::Module {
  struct Options {
    int64_t width;
  };
  Six(const Options& o, Generator& rng) : options(o) {
    for (int i = 0; i < 6; ++i) layers.emplace_back(nn::Linear::Options{.in = o.width, .out = o.width}, rng);
  }
  void visit(nn::Visitor& v) {
    for (size_t i = 0; i < layers.size(); ++i) v.child(fmt::format("layers.{}", i), layers[i]);
  }
  Options options;
  std::vector<nn::Linear> layers;
};

}  // namespace

TEST_CASE("every module shows its results to its hooks, trained or evaluated, and a clone has none") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    auto made = c.make(1);
    AnyModule& m = *made;
    nn::assign_paths(m);
    for (bool training : {true, false}) {
      nn::set_training(m, training);
      std::vector<nn::Module*> all = nn::detail::collect(m).modules;
      std::vector<int> seen(all.size());
      for (size_t i = 0; i < all.size(); ++i)
        all[i]->output_hooks = {[&seen, i](std::string_view result, const Variable& value) {
          CHECK_FALSE(result.empty());
          CHECK(value.defined());
          ++seen[i];
          return Variable();
        }};
      double hooked = m.loss(DType::f32).item();
      for (size_t i = 0; i < all.size(); ++i) {
        std::string where = std::string(c.name) + " " + path_name(all[i]->path);
        CAPTURE(where);
        // A GRU of one layer has nothing to drop between layers.
        bool unused = where.ends_with("encoder.dropout") || where.ends_with("decoder.dropout");
        if (where == "Bahdanau with a pointer-generator output") continue;  // the model's own, beside that which copies
        CHECK((seen[i] > 0) == !unused);
      }
      for (nn::Module* child : all) child->output_hooks.clear();
      // Where nobody looks at the weights, a fused evaluator may take over, with other roundings.
      if (!training) CHECK(m.loss(DType::f32).item() == doctest::Approx(hooked).epsilon(1e-5));
    }
    nn::Module& root = m;
    root.output_hooks = {[](std::string_view, const Variable&) { return Variable(); }};
    CHECK(static_cast<nn::Module&>(*m.clone()).output_hooks.empty());
  }
}

TEST_CASE("a hook of a module may replace a result, and may ask for its gradient") {
  Generator rng(1);
  nn::Linear layer({.in = 2, .out = 2, .bias = false}, rng);
  layer.weight.set_value(Tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2}));
  Variable x(Tensor::from(std::vector<float>{1, 1}, {1, 2}));
  Tensor seen;
  std::string order;
  layer.output_hooks.push_back([&](std::string_view name, const Variable& y) {
    order += std::string(name) + "1 ";
    return y * 10;
  });
  layer.output_hooks.push_back([&](std::string_view name, const Variable& y) {
    order += std::string(name) + "2";
    Variable handle = y;
    handle.on_grad([&](const Variable& dy) {
      seen = dy.value();
      return Variable();
    });
    return Variable();
  });
  Variable y = layer(x);
  CHECK(order == "output1 output2");
  CHECK(y.value().to_vector() == std::vector<double>{30, 70});
  backward(sum(y * Variable(Tensor::from(std::vector<float>{1, 2}, {1, 2}))));
  CHECK(seen.to_vector() == std::vector<double>{1, 2});
  CHECK(layer.weight.grad().to_vector() == std::vector<double>{10, 10, 20, 20});
}

TEST_CASE("every module: all parameters receive a gradient, and there are as many as the formula says") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto made = c.make(1);
    AnyModule& m = *made;
    CHECK(nn::count_parameters(m) == c.parameters);
    backward(m.loss(DType::f32));
    for (auto& p : named_parameters(m)) {
      CAPTURE(p.name);
      REQUIRE(p.variable.grad().defined());
      CHECK(all_finite(p.variable.grad()));
      CHECK_FALSE(all_zero(p.variable.grad()));
    }
    nn::zero_grad(m);
    for (auto& p : named_parameters(m)) CHECK_FALSE(p.variable.grad().defined());
  }
}

TEST_CASE("every module: saved to a file and loaded into another, the bits are the same") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto first = c.make(1), second = c.make(2);
    AnyModule &saved = *first, &loaded = *second;
    for (auto& p : named_parameters(saved)) {  // a norm starts with the same ones, whatever the seed
      Tensor w = p.variable.value();
      add_into(w, random(w.shape(), 3), 0.1);
    }
    if (nn::count_parameters(saved) > 0) CHECK_FALSE(same_bits(values(saved), values(loaded)));
    std::string path = temporary(c.name.c_str());
    io::save_safetensors(path, nn::save_state(saved));
    nn::load_state(loaded, io::load_safetensors(path), path);
    std::filesystem::remove(path);
    CHECK(same_bits(values(saved), values(loaded)));
    nn::set_training(saved, false);
    nn::set_training(loaded, false);
    CHECK(bit_equal(saved.loss(DType::f32).value(), loaded.loss(DType::f32).value()));
  }
}

TEST_CASE("load_state: a tensor that only the file holds is moved into the model, any other is copied") {
  Generator rng(1);
  nn::Linear layer({.in = 2, .out = 2}, rng);
  io::SafeTensors file = nn::save_state(layer);
  Tensor held = file.tensors[0].second;
  const void *weight = held.data<float>(), *bias = file.tensors[1].second.data<float>();
  nn::load_state(layer, std::move(file), "a file");
  CHECK(layer.weight.value().data<float>() != weight);
  CHECK(layer.bias.value().data<float>() == bias);
  io::SafeTensors kept = nn::save_state(layer);
  nn::load_state(layer, kept, "a file");
  CHECK(layer.bias.value().data<float>() != kept.tensors[1].second.data<float>());
}

TEST_CASE("every module: a clone is equal and shares nothing") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto made = c.make(1);
    AnyModule& m = *made;
    auto cloned = m.clone();
    AnyModule& copy = *cloned;
    CHECK(same_bits(values(m), values(copy)));
    CHECK(bit_equal(m.loss(DType::f32).value(), copy.loss(DType::f32).value()));  // dropout's position too
    auto before = m.clone();
    for (auto& p : named_parameters(copy)) {
      CHECK(p.variable.requires_grad());
      Tensor w = p.variable.value();
      fill_into(w, 0.5);
    }
    CHECK(same_bits(values(m), values(*before)));
    backward(copy.loss(DType::f32));
    for (auto& p : named_parameters(m)) CHECK_FALSE(p.variable.grad().defined());
  }
}

TEST_CASE("clone: parameters that were tied by hand are tied in the copy, and to nothing else") {
  struct Pair : nn::Module {
    struct Options {
      int64_t width;
    };
    Pair(const Options& o, Generator& rng)
        : options(o), one({.in = o.width, .out = o.width}, rng), two({.in = o.width, .out = o.width}, rng) {}
    void visit(nn::Visitor& v) { v.child("one", one), v.child("two", two); }
    Options options;
    nn::Linear one, two;
  };
  Generator rng(1);
  Pair pair({3}, rng);
  pair.two.weight = pair.one.weight;
  Pair copy = nn::clone(pair);
  CHECK(nn::named_parameters(copy).size() == 3);
  CHECK(copy.two.weight.identity() == copy.one.weight.identity());
  CHECK(copy.one.weight.identity() != pair.one.weight.identity());
  CHECK(copy.one.bias.identity() != copy.two.bias.identity());
  CHECK(bit_equal(copy.two.weight.value(), pair.one.weight.value()));
}

TEST_CASE("every module: training and evaluating reach all children, and a clone keeps them") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto made = c.make(1);
    AnyModule& m = *made;
    for (nn::Module* child : nn::detail::collect(m).modules) CHECK(child->training);
    nn::set_training(m, false);
    for (nn::Module* child : nn::detail::collect(m).modules) CHECK_FALSE(child->training);
    CHECK(bit_equal(m.loss(DType::f32).value(), m.loss(DType::f32).value()));  // no dropout any more
    auto copy = m.clone();
    for (nn::Module* child : nn::detail::collect(*copy).modules) CHECK_FALSE(child->training);
  }
}

TEST_CASE("every module: moved to f64, its optimiser still trains it") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    if (c.parameters == 0) continue;
    CAPTURE(c.name);
    auto made = c.make(1);
    AnyModule& m = *made;
    nn::Adam adam(named_parameters(m), {.learning_rate = 0.01});
    backward(m.loss(DType::f32));
    adam.step();
    std::vector<const void*> handles;
    for (auto& p : named_parameters(m)) handles.push_back(p.variable.identity());
    double in_f32 = m.loss(DType::f32).item();
    nn::convert(m, DType::f64);
    nn::set_training(m, false);  // only so that the two losses are one function
    auto copy = m.clone();
    AnyModule& evaluated = *copy;
    nn::convert(evaluated, DType::f32);
    CHECK(m.loss(DType::f64).item() == doctest::Approx(evaluated.loss(DType::f32).item()).epsilon(1e-5));
    CHECK(std::isfinite(in_f32));
    std::vector<Tensor> before;
    for (const Tensor& t : values(m)) {
      CHECK(t.dtype() == DType::f64);
      before.push_back(t.clone());
    }
    adam.zero_grad();
    backward(m.loss(DType::f64));
    adam.step();
    auto after = named_parameters(m);
    for (size_t i = 0; i < after.size(); ++i) {
      CAPTURE(after[i].name);
      CHECK(after[i].variable.identity() == handles[i]);
      CHECK_FALSE(bit_equal(after[i].variable.value(), before[i]));
    }
  }
}

TEST_CASE("assign_paths names every module, below a root that may have a name") {
  Generator rng(1);
  nn::Bahdanau m({.source = {7}, .target = {8}}, rng);
  nn::assign_paths(m);
  CHECK(path_name(m.path).empty());
  CHECK(path_name(m.encoder.path) == "encoder");
  CHECK(path_name(std::get<nn::GRU>(m.encoder.layers).dropout.path) == "encoder.dropout");
  CHECK(path_name(static_cast<nn::AdditiveScore&>(*m.attention.score).query.path) == "attention.score.query");
  CHECK(path_name(m.decoder.path) == "decoder");
  nn::assign_paths(m, "model");
  CHECK(path_name(m.path) == "model");
  CHECK(path_name(m.attention.normaliser->path) == "model.attention.normaliser");
  Six six({.width = 2}, rng);
  nn::assign_paths(six);
  CHECK(path_name(six.layers[4].path) == "layers.4");
  NameScope outside("outside");  // a module without a path of its own speaks from where it is called
  nn::Linear free({.in = 2, .out = 2}, rng);
  Variable y = free(leaf({1, 2}, 1));
  CHECK(path_name(y.node()->path) == "outside");
}

TEST_CASE("an error names the module where it happened") {
  Generator rng(1);
  nn::Attention m({.score = {.query = 3, .key = 4, .settings = {{"width", 5}}}}, rng);
  nn::assign_paths(m, "decoder.attention");
  Tensor weight = static_cast<nn::AdditiveScore&>(*m.score).query.weight.value();
  weight.set({0, 0}, std::nan(""));
  Anomaly anomaly;
  std::string said = message_of<GraphError>([&] {
    m(random({1, 1, 3}, 1), m.remember(random({1, 2, 4}, 2), random({1, 2, 4}, 2)));
  });
  CHECK(said.find(" in decoder.attention.score.query: gave nan at position 0") != std::string::npos);
}

TEST_CASE("six layers in a vector have six weights") {
  Six six = make<Six>({.width = 3}, 1);
  std::set<const void*> handles;
  std::set<double> corners;
  for (auto& p : named_parameters(six)) {
    handles.insert(p.variable.identity());
    corners.insert(p.variable.value().to_vector()[0]);
  }
  CHECK(named_parameters(six)[6].name == "layers.3.weight");
  CHECK(handles.size() == 12);
  CHECK(corners.size() == 12);
  CHECK(nn::count_parameters(six) == 6 * (9 + 3));
}
