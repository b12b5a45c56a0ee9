// Positions inside attention against PyTorch's numbers: what they turn or add, and the gradients of all that goes in.
#include <doctest/doctest.h>

#include "nn/attention/positions/head_position.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

constexpr int64_t T = 5, S = 8, H = 3, K = 8, kFirst = 3;

std::unique_ptr<nn::HeadPosition> built(const Golden& g, std::initializer_list<const char*> settings) {
  nn::HeadPositionOptions o{.name = g.text("op"), .query = K, .key = K, .heads = H};
  for (const char* name : settings) o.settings[name] = g.number(name);
  Generator rng(1);
  return nn::make_head_position(o, rng);
}

void turns_alike(const std::string& name, std::initializer_list<const char*> settings) {
  in_both_precisions("position_" + name, [&](Golden& g, DType) {
    auto position = built(g, settings);
    Variable x = g.leaf("x");
    nn::Places places{.queries = T, .keys = T, .first_query = kFirst, .first_key = kFirst};
    g.check({{"query", position->turn_query(x, places)}, {"key", position->turn_key(x, places)}}, {{"x", x}});
  });
}

void adds_alike(const std::string& name, std::initializer_list<const char*> settings) {
  in_both_precisions("position_" + name, [&](Golden& g, DType dtype) {
    auto position = built(g, settings);
    g.load(*position);
    bool reads = g.has("input.q");
    Variable q = reads ? g.leaf("q") : Variable(Tensor::zeros({1, H, T, K}, dtype));
    Variable y = position->bias(q, {.queries = T, .keys = S, .first_query = kFirst}, 0.5);
    g.check_module(*position, {{"y", y}}, reads ? parity::Named{{"q", q}} : parity::Named{});
  });
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("positions: rotations for longer texts and grids") {
    turns_alike("xpos", {"decay"});
    turns_alike("rope_linear", {"factor"});
    turns_alike("rope_ntk", {"factor"});
    turns_alike("rope_yarn", {"factor", "trained"});
    turns_alike("rope_2d", {"grid"});
  }

  TEST_CASE("positions: learned biases") {
    adds_alike("kerple", {});
    adds_alike("kerple_power", {});
    adds_alike("fire", {"threshold", "hidden"});
    adds_alike("skew", {"max_distance"});
  }
}
