// Positions inside attention against PyTorch's numbers: what they turn or add, and the gradients of all that goes in.
#include <doctest/doctest.h>

#include "nn/attention/positions/forgetting.h"
#include "nn/attention/structures/multi_head.h"
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

// Multi-head attention under the names of the file, whose gates are not inside a position.
struct Forgetting : nn::Module {
  explicit Forgetting(nn::MultiHeadAttention& of) : heads(of) {}
  void visit(nn::Visitor& v) {
    v.parameter("in_proj_weight", heads.in_proj_weight);
    v.parameter("in_proj_bias", heads.in_proj_bias);
    v.child("out_proj", heads.out_proj);
    v.child("forget", dynamic_cast<nn::ForgettingPosition&>(*heads.position).forget);
  }
  nn::MultiHeadAttention& heads;
};

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

  TEST_CASE("positions: forgetting attention, from words to words") {
    for (const char* evaluator : {"dense", "tiled"})
      in_both_precisions("mixer_forgetting", [&](Golden& g, DType) {
        Generator rng(1);
        nn::MultiHeadAttention heads({.model = 8,
                                      .heads = 2,
                                      .scope = {.name = "causal"},
                                      .position = {.name = g.text("stage")},
                                      .evaluator = {.name = evaluator}},
                                     rng);
        Forgetting named(heads);
        g.load(named);
        Variable x = g.leaf("x");
        g.check_module(named, {{"y", heads(x).output}}, {{"x", x}});
      });
  }
}
