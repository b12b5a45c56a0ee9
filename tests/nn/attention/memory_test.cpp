// Memories of attention during decoding: the ring keeps what a window can still see, and reads what the whole pass
// reads.
#include "nn/attention/memories/memory.h"

#include "autograd/modes.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/transformer/transformer.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::HeadMemory some(int64_t rows, int64_t count, uint64_t seed) {
  return {Variable(random({rows, 2, count, 3}, seed)), Variable(random({rows, 2, count, 4}, seed + 1))};
}

}  // namespace

TEST_CASE("ring: it keeps the last rows, in order, whatever comes at once, and moves with its rows") {
  nn::RingMemory ring(5);
  CHECK_FALSE(ring.view().keys.defined());
  nn::HeadMemory all;
  uint64_t seed = 1;
  for (int64_t n : {1, 3, 4, 1, 1, 9, 2, 1, 1, 1, 30, 1}) {
    nn::HeadMemory next = some(3, n, seed += 2);
    int64_t after = ring.kept_after(n).first;
    ring.append(next);
    all = nn::joined(all, next);
    CHECK(ring.kept().first == after);
    CHECK(ring.words() == all.keys.size(2));
    CHECK(ring.words() - ring.kept().first >= std::min<int64_t>(ring.words(), 5 + n));
    CHECK(bit_equal(ring.view().keys.value().contiguous(),
                    all.keys.value().slice(2, ring.kept().first, ring.words()).contiguous()));
    CHECK(bit_equal(ring.view().values.value().contiguous(),
                    all.values.value().slice(2, ring.kept().first, ring.words()).contiguous()));
  }
  Tensor rows = Tensor::from(std::vector<int64_t>{2, 0}, {2});
  Tensor wanted = index_select(ring.view().keys.value(), 0, rows);
  ring.keep(rows);
  CHECK(bit_equal(ring.view().keys.value().contiguous(), wanted));
  ring.append(some(2, 1, 99));
  CHECK(ring.view().keys.size(0) == 2);
}

TEST_CASE("ring: words one by one and in pieces are the parallel pass of the window, with every position") {
  NoGrad no_grad;
  for (const char* position : {"none", "rope", "shaw:3", "alibi", "t5", "forgetting"})
    for (const char* scope : {"causal&window:4", "causal&dilated:2,gap=3", "causal"}) {
      CAPTURE(position);
      CAPTURE(scope);
      nn::TransformerLayerOptions layer{.model = 8, .heads = 2, .inner = 6, .causal = true, .kv_heads = 1};
      layer.scope = nn::stage_from(nn::Kind::scope, scope);
      layer.position = nn::stage_from(nn::Kind::position, position);
      auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 2}, 3);
      Tensor x = random({2, 40, 8}, 5);
      Tensor parallel = stack(Variable(x)).output.value();
      std::vector<nn::LayerCache> caches;
      for (int64_t from = 0, to = 0; from < 40; from = to) {
        to = std::min<int64_t>(40, from == 6 ? 15 : from + 1);
        Tensor now = stack(Variable(x.slice(1, from, to)), {}, &caches).output.value();
        CHECK(max_abs_difference(now, parallel.slice(1, from, to)) < 1e-5);
      }
      bool window = std::string(scope) != "causal";
      CHECK((caches[0].self->bytes() < 40 * 2 * 8 * 4) == window);
    }
}

TEST_CASE("a stage that remembers the step before: word by word over a growing memory it is the parallel pass") {
  NoGrad no_grad;
  for (const char* score : {"location_aware", "location_aware:cumulative=1"}) {
    CAPTURE(score);
    nn::TransformerLayerOptions layer{.model = 8, .heads = 2, .inner = 6, .causal = true};
    layer.score = nn::stage_from(nn::Kind::score, score);
    auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 2}, 3);
    Tensor x = random({2, 9, 8}, 5), parallel = stack(Variable(x)).output.value();
    std::vector<nn::LayerCache> caches;
    for (int64_t t = 0; t < 9; ++t) {
      Tensor now = stack(Variable(x.slice(1, t, t + 1)), {}, &caches).output.value();
      CHECK(max_abs_difference(now, parallel.slice(1, t, t + 1)) < 1e-5);
    }
  }
}

// & binds closer than |: every part of the scope must stay causal.
TEST_CASE("a causal layer sees no later word, whatever its scope") {
  NoGrad no_grad;
  for (const char* scope : {"global", "window:2", "window:1|dilated:2,gap=3", "causal|window:2", "adaptive_span:3",
                            "window:1|longformer:1,global=1", "sparse_strided:3", "sparse_fixed:3", "block_local:3",
                            "axial:3", "prefix:4", "segments"}) {
    CAPTURE(scope);
    nn::TransformerLayerOptions layer{.model = 8, .heads = 2, .inner = 6, .causal = true};
    layer.scope = nn::stage_from(nn::Kind::scope, scope);
    auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 2}, 3);
    Tensor x = random({1, 9, 8}, 5), other = x.clone();
    for (int64_t d = 0; d < 8; ++d) other.set({0, 8, d}, 7);
    Tensor a = stack(Variable(x)).output.value(), b = stack(Variable(other)).output.value();
    CHECK(bit_equal(a.slice(1, 0, 8).contiguous(), b.slice(1, 0, 8).contiguous()));
  }
}

TEST_CASE("a stage that knows keys by their places keeps all of them, not a ring") {
  NoGrad no_grad;
  for (const char* score : {"location", "location_aware", "location_aware:cumulative=1"}) {
    CAPTURE(score);
    nn::TransformerLayerOptions layer{.model = 8, .heads = 2, .inner = 6, .causal = true};
    layer.score = nn::stage_from(nn::Kind::score, score), layer.scope = nn::stage_from(nn::Kind::scope, "window:2");
    auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 1}, 3);
    Tensor x = random({1, 9, 8}, 5), parallel = stack(Variable(x)).output.value();
    std::vector<nn::LayerCache> caches;
    for (int64_t t = 0; t < 9; ++t) {
      Tensor now = stack(Variable(x.slice(1, t, t + 1)), {}, &caches).output.value();
      CHECK(max_abs_difference(now, parallel.slice(1, t, t + 1)) < 1e-5);
    }
    CHECK_THROWS_AS(stack.require_distances("packed rows"), ValueError);
  }
}

TEST_CASE("ring: ten thousand words are decoded in the memory of the window") {
  NoGrad no_grad;
  nn::MultiHeadOptions o{.model = 8, .heads = 2, .scope = nn::stage_from(nn::Kind::scope, "causal&window:64")};
  auto m = make<nn::MultiHeadAttention>(o, 3);
  Tensor x = random({1, 10000, 8}, 5);
  Tensor parallel = m(Variable(x)).output.value();
  auto memory = m.memory();
  double worst = 0;
  int64_t most = 0;
  for (int64_t t = 0; t < 10000; ++t) {
    Tensor now = m.extend(Variable(x.slice(1, t, t + 1)), *memory).output.value();
    worst = std::max(worst, max_abs_difference(now, parallel.slice(1, t, t + 1)));
    most = std::max(most, memory->bytes());
  }
  CHECK(worst < 1e-5);
  CHECK(most == 65 * (8 + 8) * 4);
}
