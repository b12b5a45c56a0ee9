// Long training holds no more memory at its end than at its beginning.
#include "autograd/node.h"
#include "nn/layers.h"
#include "nn/optim/adam.h"
#include "nn/optim/average.h"
#include "nn/optim/clip.h"
#include "nn/recurrent/gru.h"
#include "nn/transformer/transformer.h"
#include "tensor/allocator.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

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
#if !defined(HEED_SANITIZED)  // which keep no freed memory
TEST_CASE("batches of changing lengths need little more memory than the largest of them holds") {
  nn::TransformerOptions o{.source_vocabulary = 4000,
                           .target_vocabulary = 4000,
                           .model = 128,
                           .heads = 4,
                           .inner = 256,
                           .encoder_layers = 1,
                           .decoder_layers = 1};
  auto model = make<nn::Transformer>(o, 1);
  nn::Adam adam(nn::named_parameters(model), {});
  trim();
  reset_peak();
  Generator rng(2);
  for (int step = 0; step < 24; ++step) {
    const int64_t T = 8 + rng.below(20), B = (400 + rng.below(1600)) / T;
    Tensor words = Tensor::zeros({B, T}, DType::i64), lengths = Tensor::full({B}, static_cast<double>(T), DType::i64);
    for (int64_t i = 0; i < B * T; ++i) words.data<int64_t>()[i] = 4 + rng.below(3996);
    adam.zero_grad();
    Variable loss = cross_entropy(model(words, lengths, words), words);
    backward(loss);
    adam.step();
  }
  const AllocatorStats after = allocator_stats();
  const auto held = static_cast<double>(after.arena_bytes + after.cached_bytes);
  CHECK(held <= 1.3 * static_cast<double>(after.peak_bytes));  // free lists by size alone: 4 times
}
#endif
