// The paged memory: what it holds, what its rows share, and decoding from it; bytes of all memories.
#include "nn/attention/memories/paged.h"

#include <set>

#include "autograd/modes.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/transformer/language_model.h"
#include "tensor/allocator.h"
#include "tensor/indexing.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::HeadMemory words(int64_t rows, int64_t count, uint64_t seed) {
  return {random({rows, 2, count, 3}, seed), random({rows, 2, count, 4}, seed + 1)};
}
Tensor order(const std::vector<int64_t>& rows) { return Tensor::from(rows, {static_cast<int64_t>(rows.size())}); }

void same(const nn::AttentionMemory& a, const nn::AttentionMemory& b) {
  CHECK(a.words() == b.words());
  CHECK(bit_equal(a.view().keys.value().contiguous(), b.view().keys.value().contiguous()));
  CHECK(bit_equal(a.view().values.value().contiguous(), b.view().values.value().contiguous()));
}

// The blocks that tables point to are those in use, and each has as many references as entries.
void is_consistent(const nn::PagedMemory& pages) {
  std::set<int64_t> used;
  for (const auto& row : pages.table()) used.insert(row.begin(), row.end());
  CHECK(static_cast<int64_t>(used.size()) == pages.blocks_in_use());
}

}  // namespace

// In whatever pieces and blocks, and however rows move, the pages hold what a joined cache holds.
TEST_CASE("paged: in whatever pieces and blocks, and as rows move, it holds what the head cache holds" *
          holds("pages_hold_what_the_cache_holds")) {
  for (int64_t block : {1, 2, 3, 16}) {
    nn::PagedMemory pages(block);
    nn::HeadCache cache;
    CHECK_FALSE(pages.view().keys.defined());
    pages.keep(order({0}));  // of nothing
    CHECK(pages.bytes() == 0);
    int64_t B = 3;
    uint64_t seed = 100;
    for (const std::vector<int64_t>& rows : {std::vector<int64_t>{}, {2, 0, 0}, {1, 2, 0, 2}, {}, {3}, {0, 0}, {}}) {
      for (int64_t count : {1, 3, 2}) {
        nn::HeadMemory next = words(B, count, seed += 2);
        pages.append(next), cache.append(next);
        same(pages, cache);
        is_consistent(pages);
      }
      if (rows.empty()) continue;
      pages.keep(order(rows)), cache.keep(order(rows));
      B = static_cast<int64_t>(rows.size());
      same(pages, cache);
      is_consistent(pages);
    }
  }
}

// Rows share the blocks of a common past: the one that appends copies its last block, and dropped blocks are free.
TEST_CASE(
    "paged: rows share the blocks of their past, the one that appends copies its last block, dropped ones are "
    "free" *
    holds("shared_blocks_are_copied_on_write")) {
  nn::PagedMemory pages(4);
  pages.append(words(1, 10, 1));  // blocks of 4, 4 and 2 words
  CHECK(pages.blocks_in_use() == 3);
  CHECK(pages.bytes() == 3 * 4 * 2 * (3 + 4) * 4);
  Tensor before = pages.view().keys.value().clone();
  pages.keep(order({0, 0, 0}));
  CHECK(pages.blocks_in_use() == 3);  // three rows, no copy
  CHECK(pages.table()[0] == pages.table()[2]);
  nn::HeadMemory next = words(3, 1, 50);
  pages.append(next);
  CHECK(pages.blocks_in_use() == 2 + 3);  // the last block was copied twice, full ones are shared
  for (size_t row : {1u, 2u})
    for (size_t j : {0u, 1u}) CHECK(pages.table()[row][j] == pages.table()[0][j]);
  CHECK(pages.table()[0][2] != pages.table()[1][2]);
  for (int64_t b = 0; b < 3; ++b) {
    CHECK(bit_equal(pages.view().keys.value().select(0, b).slice(1, 0, 10).contiguous(),
                    before.select(0, 0).contiguous()));
    CHECK(bit_equal(pages.view().keys.value().select(0, b).slice(1, 10, 11).contiguous(),
                    next.keys.value().select(0, b).contiguous()));
  }
  pages.keep(order({1}));
  CHECK(pages.blocks_in_use() == 3);
  pages.append(words(1, 1, 60));  // nobody else reads the block: nothing is copied
  CHECK(pages.blocks_in_use() == 3);
}

// Decoding from pages gives what the parallel pass gives, with every kind of position.
TEST_CASE("paged: decoding in place and with weights shown is the parallel pass, with every kind of position" *
          holds("pages_are_the_parallel_pass")) {
  NoGrad no_grad;
  for (const char* position : {"none", "rope", "alibi", "t5", "shaw_keys"})
    for (const char* scope : {"causal", "causal&window:4"})
      for (bool shown : {false, true}) {
        CAPTURE(position);
        CAPTURE(scope);
        nn::MultiHeadOptions o{.model = 8, .heads = 4, .scope = nn::stage_from(nn::Kind::scope, scope)};
        o.kv_heads = 2, o.position.name = position, o.position.causal = true;
        o.evaluator = nn::stage_from(nn::Kind::evaluator, "paged:3");
        auto m = shaken<nn::MultiHeadAttention>(o);
        Tensor x = random({2, 14, 8}, 5, DType::f64), words = Tensor::from_bools(std::vector<int>(28, 1), {2, 14});
        for (int64_t s = 0; s < 4; ++s) words.set({1, s}, 0);  // padding on the left
        Tensor parallel = m(Variable(x), {.words = words}).output.value();
        auto memory = m.memory();
        REQUIRE(dynamic_cast<nn::PagedMemory*>(memory.get()) != nullptr);
        for (int64_t from = 0, to = 0; from < 14; from = to) {
          to = std::min<int64_t>(14, from == 5 ? 9 : from + 1);
          nn::MultiHeadOutput now =
              m.extend(Variable(x.slice(1, from, to)), *memory, {.words = words.slice(1, 0, to), .weights = shown});
          CHECK(max_abs_difference(now.output.value(), parallel.slice(1, from, to)) < 1e-12);
          CHECK(now.weights.defined() == shown);
        }
      }
  nn::TransformerOptions o = small_transformer();
  o.evaluator = "paged:2";
  auto speaker = shaken<nn::LanguageModel>(o);
  Tensor text = ids({2, 4, 5, 6, 8, 2, 7, 7, 4, 5, 2, 6, 8, 5, 4}, {3, 5}), rows = order({2, 2, 0});
  nn::LanguageModelSearch beams(speaker, {{}, {}, {}});
  for (int64_t t = 0; t < 3; ++t) beams.next(text.select(1, t).contiguous());
  beams.keep(rows);
  Tensor moved = concat({index_select(text, rows).slice(1, 0, 3), text.slice(1, 3, 5)}, 1);
  Variable spoken = speaker(moved);
  for (int64_t t = 3; t < 5; ++t)
    CHECK(relative_error(beams.next(moved.select(1, t).contiguous()), log_softmax_rows(spoken.value().select(1, t))) <
          1e-10);
}

// Grouped, latent, ring and paged caches keep exactly the bytes of their formulas; they allocate at most a third more,
// the ring at most three times as much.
TEST_CASE("memories: bytes of grouped, latent, ring and paged caches, by formula and as allocated" *
          holds("cache_bytes_are_their_formula")) {
  NoGrad no_grad;
  constexpr int64_t B = 2, G = 2, K = 16, S = 64, r = 32, R = 16;
  auto measured = [](auto make_memory, int64_t rows, int64_t heads, int64_t width, bool values) {
    uint64_t before = allocator_stats().live_bytes;
    auto memory = make_memory();
    for (int64_t s = 0; s < S; ++s) {
      Variable k(random({rows, heads, 1, width}, static_cast<uint64_t>(s + 1)));
      memory->append({k, values ? k : Variable()});
    }
    return std::pair(memory->bytes(), static_cast<int64_t>(allocator_stats().live_bytes - before));
  };
  // After 64 words the rooms that double are full, so what is kept is what is allocated (and a few words of shapes).
  auto grouped = measured([] { return std::make_unique<nn::HeadCache>(); }, B, G, K, true);
  CHECK(grouped.first == B * S * G * 2 * K * 4);
  auto all_heads = measured([] { return std::make_unique<nn::HeadCache>(); }, B, 4 * G, K, true);
  CHECK(all_heads.first == 4 * grouped.first);  // G / H of the cache of all heads
  Variable up(random({r, G * K}, 1));
  auto latent = measured([&] { return std::make_unique<nn::LatentMemory>(up, up, G, R); }, B, 1, r + R, false);
  CHECK(latent.first == B * S * (r + R) * 4);
  auto paged = measured([] { return std::make_unique<nn::PagedMemory>(16); }, B, G, K, true);
  CHECK(paged.first == B * (S / 16) * 16 * G * 2 * K * 4);
  for (const auto& [kept, allocated] : {grouped, all_heads, latent, paged}) {
    CHECK(allocated >= kept);
    CHECK(allocated <= kept + kept / 3);  // each block has a header
  }
  auto ring = measured([] { return std::make_unique<nn::RingMemory>(15); }, B, G, K, true);
  CHECK(ring.first == B * 16 * G * 2 * K * 4);  // the reach and the word itself
  CHECK(ring.second <= 3 * ring.first);         // twice the room that it needs
  CHECK(ring.second < grouped.second);
}
