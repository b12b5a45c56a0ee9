// Sequential: names, order, children of every kind. What holds for all modules is in module_test.cpp.
#include "nn/sequential.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "nn/layers.h"
#include "nn/norm.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

TEST_SUITE("unit") {
  TEST_CASE("Sequential: the children in their order, named by their place") {
    Generator rng(1);
    nn::Sequential net(nn::Linear({.in = 2, .out = 3}, rng), nn::ReLU(),
                       [](const Variable& x) { return elu(x - 1, 0.5); });
    net.push_back(nn::Linear({.in = 3, .out = 1}, rng));
    std::vector<std::string> names;
    for (const auto& p : named_parameters(net)) names.push_back(p.name);
    CHECK(names == std::vector<std::string>{"0.weight", "0.bias", "3.weight", "3.bias"});
    auto &first = *net.child<nn::Linear>(0), &last = *net.child<nn::Linear>(3);
    Variable x = random({4, 2}, 2);
    CHECK(bit_equal(net(x).value(), last(elu(relu(first(x)) - 1, 0.5)).value()));
    CHECK(net.size() == 4);
    CHECK(net.child<nn::Linear>(1) == nullptr);
    CHECK(net.child<nn::Linear>(4) == nullptr);
    CHECK(net.child<nn::ReLU>(1) != nullptr);
    CHECK(bit_equal(nn::Sequential()(x).value(), x.value()));
    nn::assign_paths(net, "net");
    CHECK(path_name(last.path) == "net.3");
  }

  TEST_CASE("Sequential: the first child may take ids") {
    Generator rng(1);
    nn::Sequential net(nn::Embedding({.vocabulary = 5, .width = 3}, rng), nn::RMSNorm({.shape = {3}}, rng));
    Tensor words = ids({4, 0, 2}, {3});
    const Variable& table = net.child<nn::Embedding>(0)->weight;
    CHECK(bit_equal(net(words).value(), (*net.child<nn::RMSNorm>(1))(embedding(table, words)).value()));
  }

  TEST_CASE("Sequential: hooks of the row and of its children") {
    Generator rng(1);
    nn::Sequential net(nn::Linear({.in = 2, .out = 3}, rng), nn::Tanh());
    std::string seen;
    net.child<nn::Linear>(0)->output_hooks.emplace_back([&](std::string_view, const Variable& y) {
      seen += "child ";
      return 2 * y;
    });
    net.output_hooks.emplace_back([&](std::string_view name, const Variable&) {
      seen += name;
      return Variable();
    });
    Variable x = random({4, 2}, 2);
    Tensor y = net(x).value();
    CHECK(seen == "child output");
    net.child<nn::Linear>(0)->output_hooks.clear();
    CHECK(bit_equal(y, tanh(2 * (*net.child<nn::Linear>(0))(x)).value()));
  }

  TEST_CASE("Sequential: a clone keeps values, training and what is nested, and shares nothing") {
    Generator rng(1);
    nn::Sequential net(nn::Sequential(nn::Linear({.in = 2, .out = 2}, rng), nn::SiLU()), nn::Sigmoid());
    nn::set_training(net, false);
    nn::Sequential copy = nn::clone(net);
    Variable x = random({4, 2}, 2);
    CHECK(bit_equal(net(x).value(), copy(x).value()));
    CHECK_FALSE(copy.training);
    CHECK_FALSE(copy.child<nn::Sequential>(0)->training);
    nn::Linear& linear = *copy.child<nn::Sequential>(0)->child<nn::Linear>(0);
    linear.weight.set_value(Tensor::zeros({2, 2}));
    CHECK_FALSE(bit_equal(net(x).value(), copy(x).value()));
  }

  TEST_CASE("save and load: a module's file, and a file of another module is refused by name") {
    Generator rng(1);
    nn::Linear a({.in = 2, .out = 3}, rng), b({.in = 2, .out = 3}, rng);
    std::string path = (std::filesystem::temp_directory_path() / "heed-sequential-test.safetensors").string();
    nn::save(a, path);
    nn::load(b, path);
    CHECK(same_bits({a.weight.value(), a.bias.value()}, {b.weight.value(), b.bias.value()}));
    nn::Sequential row(nn::Linear({.in = 2, .out = 3}, rng));
    CHECK(message_of<IoError>([&] { nn::load(row, path); }).find(path) != std::string::npos);
    std::filesystem::remove(path);
  }
}
