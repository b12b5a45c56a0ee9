// All memories of attention over one list of operations: what they keep, from which word on, how many bytes that is,
// and that they read what a memory of everything would read.
#include "autograd/modes.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/memories/segment.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t kInputs = 6, kGroups = 2, kKey = 3, kValue = 4, kReach = 5;

// x [B, S, D] -> [B, G, S, width]
Variable heads(const Variable& x, const Variable& w) {
  Variable all = matmul(x, w);
  return transpose(reshape(all, {x.size(0), x.size(1), kGroups, w.size(1) / kGroups}), 1, 2);
}

struct Walk {
  std::string name;
  std::unique_ptr<nn::AttentionMemory> memory;
  std::function<nn::HeadMemory(const Variable& x)> words;  // as append wants them, of inputs [B, n, D]
  int64_t reach;                                           // words that are left of those before an append; -1: all
  int64_t numbers;                                         // of one word in one sentence
};

std::vector<Walk> walks() {
  Variable up_keys(random({kInputs, kGroups * kKey}, 1)), up_values(random({kInputs, kGroups * kValue}, 2));
  auto projected = [=](const Variable& x) { return nn::HeadMemory{heads(x, up_keys), heads(x, up_values)}; };
  auto inputs = [](const Variable& x) { return nn::HeadMemory{unsqueeze(x, 1), {}}; };
  int64_t both = kGroups * (kKey + kValue);
  std::vector<Walk> all;
  all.push_back({"growing", std::make_unique<nn::HeadCache>(), projected, -1, both});
  all.push_back({"ring", std::make_unique<nn::RingMemory>(kReach), projected, kReach, both});
  all.push_back({"segment",
                 std::make_unique<nn::SegmentMemory>(kReach, [=](const Variable& x, int64_t) { return projected(x); }),
                 inputs, kReach, kInputs});
  all.push_back({"latent", std::make_unique<nn::LatentMemory>(up_keys, up_values, kGroups), inputs, -1, kInputs});
  return all;
}

}  // namespace

TEST_CASE("memories: one list of operations, words in pieces and rows that move, reads what all words would give") {
  NoGrad no_grad;
  auto reference = std::move(walks().front().words);  // keys and values of any inputs
  for (Walk& walk : walks()) {
    CAPTURE(walk.name);
    nn::AttentionMemory& memory = *walk.memory;
    CHECK(memory.words() == 0);
    CHECK(memory.kept().first == 0);
    CHECK(memory.bytes() == 0);
    CHECK_FALSE(memory.view().keys.defined());
    memory.keep(Tensor::from(std::vector<int64_t>{0}, {1}));  // of nothing
    Tensor all;
    uint64_t seed = 10;
    std::vector<std::pair<int64_t, std::vector<int64_t>>> operations = {
        {1, {}}, {3, {}}, {4, {2, 0, 0}}, {1, {1, 2, 0}}, {9, {}}, {2, {0}}, {1, {0, 0}}, {1, {}}, {20, {1}}, {1, {}}};
    int64_t B = 3;
    for (const auto& operation : operations) {
      const int64_t n = operation.first;
      const std::vector<int64_t>& rows = operation.second;
      Tensor x = random({B, n, kInputs}, ++seed);
      int64_t before = all.defined() ? all.size(1) : 0, after = memory.kept_after(n).first;
      int64_t first = walk.reach < 0 ? 0 : std::max<int64_t>(before - walk.reach, 0);
      memory.append(walk.words(Variable(x)));
      all = all.defined() ? concat({Variable(all), Variable(x)}, 1).value() : x;
      auto check = [&] {
        CHECK(memory.words() == before + n);
        CHECK(memory.kept().first == first);
        CHECK(memory.bytes() == B * (before + n - first) * walk.numbers * 4);
        nn::HeadMemory wanted = reference(Variable(all.slice(1, first, before + n).contiguous()));
        nn::HeadMemory seen = memory.view();
        REQUIRE(seen.keys.shape() == wanted.keys.shape());
        REQUIRE(seen.values.shape() == wanted.values.shape());
        CHECK(max_abs_difference(seen.keys.value(), wanted.keys.value()) < 1e-6);
        CHECK(max_abs_difference(seen.values.value(), wanted.values.value()) < 1e-6);
      };
      CHECK(after == first);
      check();
      if (rows.empty()) continue;
      B = static_cast<int64_t>(rows.size());
      Tensor kept = Tensor::from(rows, {B});
      memory.keep(kept);
      all = index_select(all, 0, kept);
      check();
    }
  }
}
