// Long training holds no more memory at its end than at its beginning.
#include <doctest/doctest.h>

#include "autograd/node.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/optim/average.h"
#include "nn/optim/clip.h"
#include "nn/recurrent/gru.h"
#include "tensor/allocator.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

TEST_SUITE("unit") {
  TEST_CASE("ten thousand steps of training do not grow live memory") {
    auto linear = make<nn::Linear>({.in = 3, .out = 4}, 1);
    auto gru = make<nn::GRU>({.input = 4, .hidden = 4}, 2);
    auto weights = nn::named_parameters(linear);
    for (auto& p : nn::named_parameters(gru)) weights.push_back({"gru." + p.name, p.variable});
    nn::Adam adam(weights, {});
    nn::ParameterAverage average(weights, {});
    Variable x = random({2, 3, 3}, 3), target = random({2, 3, 4}, 4);  // [B, T, .]
    struct Live {
      uint64_t bytes = 0;
      int64_t nodes = 0, storages = 0;
    } early;
    for (int step = 1; step <= 10000; ++step) {
      adam.zero_grad();
      backward(mean(square(gru(linear(x)).annotations - target)));
      nn::clip_grad_norm(weights, 1);
      adam.step();
      average.update();
      if (step == 100) early = {allocator_stats().live_bytes, live_nodes(), live_storages()};
    }
    CHECK(allocator_stats().live_bytes == early.bytes);
    CHECK(live_nodes() == early.nodes);
    CHECK(live_storages() == early.storages);
  }
}
