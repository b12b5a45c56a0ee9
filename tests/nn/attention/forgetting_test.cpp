// Memories that forget: decoding reads what dense attention reads of the words that are kept.
#include <doctest/doctest.h>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/memories/forgetting.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/transformer/transformer.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::Kind;

namespace {

constexpr int64_t B = 2, T = 11, D = 8, H = 4;

nn::MultiHeadOptions heads(const std::string& evaluator, const std::string& position, int64_t groups = 2) {
  nn::MultiHeadOptions o{.model = D, .heads = H, .scope = {.name = "causal"}, .kv_heads = groups};
  o.position = nn::stage_from(Kind::position, position), o.evaluator = nn::stage_from(Kind::evaluator, evaluator);
  o.position.causal = true;
  return o;
}

// Output and weights of each word, [B, 1, D] and [B, H, 1, L]. words bool [B, T], or undefined.
std::vector<nn::MultiHeadOutput> one_by_one(const nn::MultiHeadAttention& m, const Tensor& x,
                                            const Tensor& words = {}) {
  NoGrad decoding;
  auto memory = m.memory();
  std::vector<nn::MultiHeadOutput> seen;
  for (int64_t t = 0; t < T; ++t)
    seen.push_back(
        m.extend(Variable(x.slice(1, t, t + 1)), *memory,
                 {.words = words.defined() ? words.slice(1, 0, t + 1).contiguous() : words, .weights = true}));
  return seen;
}

// The words of row b that are kept at step t, t among them, if `dropped` chooses among those that may go: neither the
// first s of the row, nor the last w.
struct Kept {
  int64_t first, last, most;
  std::vector<int64_t> words = {};
  template <class Choose>
  void add(int64_t t, const Choose& dropped) {
    if (std::ssize(words) == most) words.erase(words.begin() + first + dropped(std::ssize(words) - first - last + 1));
    words.push_back(t);
  }
};

// bool [B, H, t + 1, t + 1]: what row t may read is given, for each sentence, or for each of G heads of keys, b G + g;
// the rows before are causal.
Tensor last_row(const std::vector<Kept>& kept, int64_t t) {
  const int64_t G = std::ssize(kept) / B;
  Tensor mask = Tensor::full({B, H, t + 1, t + 1}, 1, DType::boolean);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h)
      for (int64_t s = 0; s <= t; ++s) {
        const std::vector<int64_t>& words = kept[size_t(b * G + h / (H / G))].words;
        mask.set({b, h, t, s}, std::count(words.begin(), words.end(), s) > 0);
      }
  return mask;
}

Tensor last(const Variable& y) { return y.value().slice(1, y.size(1) - 1, y.size(1)); }

const char* const kPositions[] = {"none",   "rope", "alibi",       "t5:max_distance=4,buckets=4",
                                  "shaw:3", "xl",   "disentangled"};

}  // namespace

// With places of the text it is dense attention under a mask of the first and the last words.
TEST_CASE("streaming: with places of the text it is dense attention under a mask of the first and the last words" *
          holds("sinks_are_a_mask")) {
  for (DType dtype : {DType::f32, DType::f64})
    for (const char* position : kPositions)
      for (int64_t before : {0, 2}) {  // padding before the words of row 1
        CAPTURE(position);
        auto m = drawn<nn::MultiHeadAttention>(heads("streaming:window=3,sinks=2,text_places=1", position), dtype);
        auto dense = drawn<nn::MultiHeadAttention>(heads("dense", position), dtype);
        const Tensor x = random({B, T, D}, 5, dtype);
        Tensor words = Tensor::full({B, T}, 1, DType::boolean);
        for (int64_t s = 0; s < before; ++s) words.set({1, s}, 0);
        const auto seen = one_by_one(m, x, before > 0 ? words : Tensor());
        for (int64_t t = before; t < T; ++t) {
          std::vector<Kept> kept(B, Kept{});
          for (int64_t b = 0; b < B; ++b)
            for (int64_t s = b == 1 ? before : 0; s <= t; ++s)
              if (s < (b == 1 ? before : 0) + 2 || s > t - 3) kept[size_t(b)].words.push_back(s);
          nn::HeadMasks masks{.allowed = last_row(kept, t)};
          if (before > 0) masks.words = words.slice(1, 0, t + 1).contiguous();
          const Tensor wanted = last(dense(Variable(x.slice(1, 0, t + 1).contiguous()), masks).output);
          CHECK(relative_error(seen[size_t(t)].output.value(), wanted) < (dtype == DType::f32 ? 1e-5 : 1e-12));
          CHECK(seen[size_t(t)].weights.size(-1) == std::min<int64_t>(t + 1, 5));
        }
      }
}

// Places are counted in the memory, as if the words that are kept were the whole text, so distances stay bounded.
TEST_CASE("streaming: places are counted in the memory, as if the words that are kept were the whole text" *
          holds("sinks_have_bounded_distances")) {
  for (const char* position : kPositions)
    for (const char* score : {"scaled_dot", "general"}) {
      CAPTURE(position);
      if (score[0] == 'g' && std::string(position) == "disentangled") continue;
      nn::MultiHeadOptions o = heads("streaming:window=3,sinks=2", position), d = heads("dense", position);
      o.score.name = d.score.name = score;
      auto m = drawn<nn::MultiHeadAttention>(o, DType::f64), dense = drawn<nn::MultiHeadAttention>(d, DType::f64);
      const Tensor x = random({B, T, D}, 6, DType::f64);
      const auto seen = one_by_one(m, x);
      for (int64_t t = 0; t < T; ++t) {
        std::vector<Tensor> kept;
        for (int64_t s = 0; s <= t; ++s)
          if (s < 2 || s > t - 3) kept.push_back(x.slice(1, s, s + 1));
        const Tensor wanted = last(dense(Variable(concat(kept, 1))).output);
        CHECK(relative_error(seen[size_t(t)].output.value(), wanted) < 1e-12);
      }
    }
}

// It is dense attention under a mask of the last words and those with the largest weights so far, chosen for
// each key head.
TEST_CASE("heavy hitters: dense attention under a mask of the last words and of those with the largest weights so far" *
          holds("heavy_words_are_a_mask")) {
  for (const char* position : kPositions)
    for (int64_t G : {1, 2, 4}) {
      CAPTURE(position);
      CAPTURE(G);
      auto m = drawn<nn::MultiHeadAttention>(heads("heavy_hitters:window=2,heavy=3", position, G), DType::f64);
      auto dense = drawn<nn::MultiHeadAttention>(heads("dense", position, G), DType::f64);
      const Tensor x = mul(random({B, T, D}, 7, DType::f64), 3);
      const auto seen = one_by_one(m, x);
      std::vector<Kept> kept(size_t(B * G), Kept{.first = 0, .last = 2, .most = 5});
      std::vector<std::vector<double>> sums(size_t(B * G), std::vector<double>(T));
      bool rows_differ = false, heads_differ = G == 1;
      for (int64_t t = 0; t < T; ++t) {
        for (size_t r = 0; r < kept.size(); ++r)
          kept[r].add(t, [&](int64_t n) {
            const auto begin = kept[r].words.begin();
            return std::min_element(begin, begin + n,
                                    [&](int64_t i, int64_t j) { return sums[r][size_t(i)] < sums[r][size_t(j)]; }) -
                   begin;
          });
        rows_differ = rows_differ || kept[0].words != kept[size_t(G)].words;
        for (int64_t g = 1; g < G; ++g) heads_differ = heads_differ || kept[0].words != kept[size_t(g)].words;
        auto wanted =
            dense(Variable(x.slice(1, 0, t + 1).contiguous()), {.allowed = last_row(kept, t), .weights = true});
        CHECK(relative_error(seen[size_t(t)].output.value(), last(wanted.output)) < 1e-12);
        for (int64_t b = 0; b < B; ++b)
          for (int64_t h = 0; h < H; ++h)
            for (int64_t s = 0; s <= t; ++s)
              sums[size_t(b * G + h / (H / G))][size_t(s)] += wanted.weights.value().at({b, h, t, s});
      }
      CHECK(rows_differ);  // each row chooses for itself, and so does each head
      CHECK(heads_differ);
    }
}

// With room for all words it is the growing cache, and decoding in pieces is decoding word by word.
TEST_CASE("memories that forget: room for all words is the growing cache, and pieces are words one by one" *
          holds("room_for_all_forgets_nothing")) {
  const Tensor x = random({B, T, D}, 8);
  for (const char* evaluator : {"streaming:window=9,sinks=2", "heavy_hitters:window=2,heavy=9",
                                "streaming:window=2,sinks=1", "heavy_hitters:window=1,heavy=2"}) {
    CAPTURE(evaluator);
    NoGrad decoding;
    auto m = drawn<nn::MultiHeadAttention>(heads(evaluator, "rope"), DType::f32);
    auto dense = drawn<nn::MultiHeadAttention>(heads("dense", "rope"), DType::f32);
    const auto seen = one_by_one(m, x), wanted = one_by_one(dense, x);
    const bool room = m.memory()->kept().count() == 0 && std::string(evaluator).find('9') != std::string::npos;
    for (size_t t = 0; t < T && room; ++t)
      CHECK(max_abs_difference(seen[t].output.value(), wanted[t].output.value()) < 1e-6);
    auto memory = m.memory();
    int64_t full = 0;
    for (int64_t begin = 0, n = 1; begin < T; begin += n, n = std::min<int64_t>(n + 1, T - begin)) {
      const Tensor piece = m.extend(Variable(x.slice(1, begin, begin + n).contiguous()), *memory).output.value();
      for (int64_t t = 0; t < n; ++t)
        CHECK(max_abs_difference(piece.slice(1, t, t + 1), seen[size_t(begin + t)].output.value()) < 1e-6);
      if (begin < 5 || room) continue;
      CHECK((full == 0 || memory->bytes() == full));
      full = memory->bytes();
    }
    CHECK(memory->words() == T);
  }
}

TEST_CASE("memories that forget: rows move with what they have kept") {
  NoGrad decoding;
  const Tensor x = mul(random({B, T, D}, 9), 3), rows = Tensor::from(std::vector<int64_t>{1, 1, 0}, {3});
  for (const char* evaluator : {"streaming:window=2,sinks=1", "heavy_hitters:window=1,heavy=2"}) {
    auto m = drawn<nn::MultiHeadAttention>(heads(evaluator, "rope"), DType::f32);
    auto kept = m.memory(), moved = m.memory();
    const Tensor y = index_select(x, 0, rows);
    m.extend(Variable(x.slice(1, 0, 6).contiguous()), *kept), kept->keep(rows);
    m.extend(Variable(y.slice(1, 0, 6).contiguous()), *moved);
    for (int64_t t = 6; t < T; ++t) {
      const Variable word(y.slice(1, t, t + 1).contiguous());
      CHECK(max_abs_difference(m.extend(word, *kept).output.value(), m.extend(word, *moved).output.value()) < 1e-6);
    }
  }
}

TEST_CASE("memories that forget: in a stack, with shared positions, shared keys and mixers, words and pieces agree") {
  NoGrad decoding;
  for (const char* position : {"rope", "t5", "alibi"})
    for (int64_t shared : {1, 2})
      for (const char* evaluator : {"streaming:window=3,sinks=1", "heavy_hitters:window=2,heavy=2"}) {
        CAPTURE(position);
        CAPTURE(evaluator);
        nn::TransformerStackOptions o{.layer = {.model = 16, .heads = 2, .inner = 8, .causal = true}, .layers = 4};
        o.layer.evaluator = nn::stage_from(Kind::evaluator, evaluator);
        o.layer.position.name = position, o.shared_keys = shared;
        if (shared == 1 && std::string(position) == "rope")
          o.mixers = {{.evaluator = nn::stage_from(Kind::evaluator, evaluator)}, {.scope = {.name = "causal"}}};
        auto stack = make<nn::TransformerStack>(o, 1);
        const Tensor x = random({B, T, 16}, 10);
        Tensor words = Tensor::full({B, T}, 1, DType::boolean);
        words.set({1, 0}, 0);
        std::vector<nn::LayerCache> in_words, in_pieces;
        std::vector<Tensor> each;
        for (int64_t t = 0; t < T; ++t)
          each.push_back(stack(Variable(x.slice(1, t, t + 1).contiguous()),
                               {.self = {.words = words.slice(1, 0, t + 1).contiguous()}}, &in_words)
                             .output.value());
        for (int64_t begin : {0, 4, 5}) {
          const int64_t end = begin == 0 ? 4 : begin == 4 ? 5 : T;
          const Tensor piece = stack(Variable(x.slice(1, begin, end).contiguous()),
                                     {.self = {.words = words.slice(1, 0, end).contiguous()}}, &in_pieces)
                                   .output.value();
          for (int64_t t = begin; t < end; ++t)
            CHECK(max_abs_difference(piece.slice(1, t - begin, t - begin + 1), each[size_t(t)]) < 1e-5);
        }
        if (position[0] == 'r') {  // row 1 without its padding is the same sentence
          std::vector<nn::LayerCache> alone;
          for (int64_t t = 1; t < T; ++t) {
            const Tensor y =
                stack(Variable(x.slice(0, 1, 2).slice(1, t, t + 1).contiguous()), {}, &alone).output.value();
            CHECK(max_abs_difference(y, each[size_t(t)].slice(0, 1, 2)) < 1e-4);
          }
        }
      }
}
