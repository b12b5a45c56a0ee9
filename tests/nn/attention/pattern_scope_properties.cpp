// What the scopes hold that are patterns of places, and packed segments.
#include <tuple>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/bigbird.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/transformer/packing.h"
#include "tensor/compare.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;
using nn::Places;

nn::Restriction answer(const std::string& scope, const Places& places) {
  Generator rng(1);
  nn::StageContext context{.places = places};
  auto made = nn::make_scope(nn::stage_from(nn::Kind::scope, scope), rng);
  return (*made)(Variable(Tensor::zeros({1, places.queries, 1}, kF64)), {}, context);
}
Tensor mask_of(const std::string& scope, const Places& places) {
  Tensor mask = nn::mask_of(answer(scope, places), places);
  return mask.defined() ? mask.contiguous() : Tensor::full({places.queries, places.keys}, 1, DType::boolean);
}
std::vector<double> flat(const Tensor& mask) { return mask.to_vector(); }

// Who reaches whom in two steps: boolean product [T, T] of two masks.
std::vector<double> two_steps(const Tensor& a, const Tensor& b) {
  int64_t T = a.size(0);
  std::vector<double> out;
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = 0; j < T; ++j) {
      bool reached = false;
      for (int64_t k = 0; k < T; ++k) reached = reached || (a.at({i, k}) != 0 && b.at({k, j}) != 0);
      out.push_back(reached);
    }
  return out;
}

// Written by hand, from the papers' figures: rows are queries, 1 is a key that is seen.
const std::map<std::string, std::vector<std::string>> kGolden = {
    {"sparse_strided:3",
     {"1111..1.", "11111..1", "111111..", "1111111.", ".1111111", "..111111", "1..11111", ".1..1111"}},
    {"sparse_fixed:4",
     {"1111...1", "1111...1", "1111...1", "1111...1", "...11111", "...11111", "...11111", "...11111"}},
    {"bigbird:1,random=0",
     {"11111111", "111.....", "1111....", "1.111...", "1..111..", "1...111.", "1....111", "1.....11"}},
    {"block_local:3", {"111.....", "111.....", "111.....", "111111..", "111111..", "111111..", "...11111", "...11111"}},
    {"axial:3", {"1111..1.", "111.1..1", "111..1..", "1..1111.", ".1.111.1", "..1111..", "1..1..11", ".1..1.11"}},
    {"prefix:3", {"111.....", "111.....", "111.....", "1111....", "11111...", "111111..", "1111111.", "11111111"}}};

std::pair<std::string, std::vector<std::string>> golden_of(const CatalogueEntry& entry) {
  for (const auto& row : kGolden)
    if (row.first.starts_with(entry.name + ":")) return row;
  FAIL("no mask is written down for " << entry.name);
  return {};
}

PROPERTY(golden_mask) {
  auto [scope, rows] = golden_of(entry);
  Tensor mask = mask_of(scope, {.queries = 8, .keys = 8});
  Tensor end = mask_of(scope, {.queries = 2, .keys = 8, .first_query = 6});  // six words are cached
  for (int64_t t = 0; t < 8; ++t)
    for (int64_t s = 0; s < 8; ++s) {
      CAPTURE(t);
      CAPTURE(s);
      bool wanted = rows[static_cast<size_t>(t)][static_cast<size_t>(s)] == '1';
      CHECK(mask.at({t, s}) == (wanted ? 1 : 0));
      if (t >= 6) CHECK(end.at({t - 6, s}) == (wanted ? 1 : 0));
    }
}

// The same places given one by one; and those of a second sentence, whose words stand in the opposite order.
PROPERTY(given_places_count_like_counted_ones) {
  auto [scope, rows] = golden_of(entry);
  std::vector<int64_t> at;
  for (int64_t n = 0; n < 16; ++n) at.push_back(n < 8 ? n : 15 - n);
  Tensor both = Tensor::from(at, {2, 8});
  Tensor mask = mask_of(scope, {.queries = 8, .keys = 8, .query_at = both, .key_at = both});
  REQUIRE(mask.shape() == Shape{2, 8, 8});
  for (int64_t t = 0; t < 8; ++t)
    for (int64_t s = 0; s < 8; ++s) {
      double wanted = rows[static_cast<size_t>(t)][static_cast<size_t>(s)] == '1' ? 1 : 0;
      CHECK(mask.at({0, t, s}) == wanted);
      CHECK(mask.at({1, 7 - t, 7 - s}) == wanted);
    }
}

// The list of blocks is that of the mask, some are left out, and the tiled evaluator, which computes no other, gives
// what the dense one gives.
PROPERTY(only_blocks_with_a_key_are_computed) {
  const std::map<std::string, std::string> sparse = {{"sparse_strided", "sparse_strided:200"},
                                                     {"sparse_fixed", "sparse_fixed:256"},
                                                     {"bigbird", "bigbird:64"},
                                                     {"block_local", "block_local:50"},
                                                     {"axial", "axial:256"},
                                                     {"prefix", "prefix:70"}};
  const std::string scope = sparse.at(entry.name);
  constexpr int64_t T = 600;
  nn::Restriction seen = answer(scope, {.queries = T, .keys = T});
  int64_t size = seen.blocks.size, columns = (T + size - 1) / size;
  std::vector<double> some(static_cast<size_t>(columns * columns));
  const bool* allowed = seen.allowed.data<bool>();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < T; ++s)
      if (allowed[t * T + s]) some[static_cast<size_t>(t / size * columns + s / size)] = 1;
  CHECK(seen.blocks.keep.to_vector() == some);
  CHECK(std::count(some.begin(), some.end(), 0) > 8);
  Tensor outputs[2], gradients[2];
  for (bool tiled : {false, true}) {
    nn::MultiHeadOptions o{.model = 4, .heads = 1, .bias = false, .scope = nn::stage_from(nn::Kind::scope, scope)};
    o.evaluator.name = tiled ? "tiled" : "dense";
    auto m = make<nn::MultiHeadAttention>(o, 1);
    nn::convert(m, kF64);
    Variable x = leaf({1, T, 4}, 3, kF64), y = m(x).output;
    backward(weighted_sum(y));
    outputs[tiled] = y.value(), gradients[tiled] = x.grad();
  }
  CHECK(max_abs_difference(outputs[0], outputs[1]) < 1e-10);
  CHECK(max_abs_difference(gradients[0], gradients[1]) < 1e-10);
}

// Two layers reach every earlier word, though one layer reads only a few of them.
PROPERTY(two_hops_reach_everything_before) {
  constexpr int64_t T = 30;
  for (const char* settings : {":5", ":6", ":7"}) {
    Tensor m = mask_of("causal&" + entry.name + settings, {.queries = T, .keys = T});
    CHECK(two_steps(m, m) == flat(mask_of("causal", {.queries = T, .keys = T})));
    CHECK(flat(m) != flat(mask_of("causal", {.queries = T, .keys = T})));
  }
}

nn::BigBirdScope bigbird(const std::string& text) {
  return make<nn::BigBirdScope>(nn::completed_stage(nn::Kind::scope, nn::stage_from(nn::Kind::scope, text)), 1);
}

// Every inner block reads the same number of blocks: its neighbours, the global ones and the random ones.
PROPERTY(every_block_has_as_many_keys) {
  // 2 w + 1 neighbours, g global and r random ones, for each block that is not at an end.
  for (auto [w, g, r] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 2}, {0, 2, 3}, {2, 0, 1}, {1, 1, 0}}) {
    nn::BigBirdScope scope = bigbird("bigbird:4,window=" + std::to_string(w) + ",global=" + std::to_string(g) +
                                     ",random=" + std::to_string(r));
    for (int64_t I = w + g; I < 20 - w; ++I) {
      std::vector<bool> seen = scope.seen_by(I, 20);
      CHECK(std::count(seen.begin(), seen.end(), true) == 2 * w + 1 + g + r);
      for (int64_t J = 0; J < 20; ++J)
        if (std::abs(I - J) <= w || J < g) CHECK(seen[static_cast<size_t>(J)]);
    }
  }
  CHECK(bigbird("bigbird:4,random=50").seen_by(7, 20) == std::vector<bool>(20, true));
}

// The seed alone decides which blocks are drawn, none is preferred, and padding does not change the draw.
PROPERTY(the_seed_draws_the_blocks) {
  const Places places{.queries = 80, .keys = 80};
  auto of = [&](const char* seed) { return flat(mask_of(std::string("bigbird:4,seed=") + seed, places)); };
  CHECK(of("7") == of("7"));
  CHECK(of("7") != of("8"));
  std::vector<bool> reached(20);  // every block is drawn by some other: the draw prefers none
  for (int64_t I = 5; I < 20; ++I) {
    std::vector<bool> seen = bigbird("bigbird:4,window=0,global=0,random=4,seed=3").seen_by(I, 20);
    for (size_t J = 0; J < 20; ++J) reached[J] = reached[J] || seen[J];
  }
  CHECK(std::count(reached.begin(), reached.end(), true) >= 18);
  // A sentence that is padded draws what it draws alone.
  Places padded = places;
  padded.lengths = Tensor::from(std::vector<int64_t>{80, 37}, {2});
  Tensor together = mask_of("bigbird:4", padded), alone = mask_of("bigbird:4", {.queries = 37, .keys = 37});
  CHECK(flat(together.select(0, 0).contiguous()) == flat(mask_of("bigbird:4", places)));
  CHECK(flat(together.select(0, 1).slice(0, 0, 37).slice(1, 0, 37).contiguous()) == flat(alone));
}

// If one block holds all words, it is global attention, bit by bit.
PROPERTY(one_block_is_global) {
  nn::AttentionOptions o = small_options(entry), all = o;
  o.scope.settings["block"] = 5, all.scope = {.name = "global"};
  nn::Attention one = make<nn::Attention>(o, 1), whole = make<nn::Attention>(all, 1);
  Ask ask = small_ask();
  CHECK(bit_equal(one(ask.query, one.remember(ask.keys, ask.values)).context.value(),
                  whole(ask.query, whole.remember(ask.keys, ask.values)).context.value()));
  CHECK(flat(mask_of("block_local:4", {.queries = 5, .keys = 5})) !=
        flat(mask_of("global", {.queries = 5, .keys = 5})));
}

// A row and then a column reach every place, though each of them reads one line only.
PROPERTY(row_then_column_reaches_everything) {
  for (auto [T, grid] : {std::pair{12, "4"}, {10, "4"}, {9, "3"}}) {  // a last row may be short
    const Places places{.queries = T, .keys = T};
    Tensor row = mask_of(std::string("axial:") + grid + ",axis=1", places),
           column = mask_of(std::string("axial:") + grid + ",axis=2", places);
    if (T != 10) CHECK(two_steps(row, column) == flat(mask_of("global", places)));
    Tensor either = mask_of(std::string("axial:") + grid, places);
    CHECK(flat(either) == flat(logical_or(row, column)));
    CHECK(two_steps(either, either) == flat(mask_of("global", places)));
  }
}

// Without a prefix it is the causal mask; if everything is prefix, nothing is masked.
PROPERTY(no_prefix_is_causal_all_prefix_is_global) {
  for (int64_t first : {0, 3}) {
    const Places places{.queries = 5, .keys = 5 + first, .first_query = first};
    CHECK(flat(mask_of("prefix:0", places)) == flat(mask_of("causal", places)));
    CHECK(flat(mask_of("prefix:" + std::to_string(places.keys), places)) == flat(mask_of("global", places)));
  }
}

const std::vector<int64_t> kSegments{1, 1, 1, 2, 3, 3, 3, 3, 4, 4, 0, 0};
Tensor numbers() { return Tensor::from(kSegments, {1, 12}); }

// Each sentence of a packed row gets the result that it gets alone, with places that begin at 0.
PROPERTY(a_packed_row_is_its_sentences_alone) {
  nn::MultiHeadOptions o{.model = 8, .heads = 2, .scope = {.name = "segments"}, .position = {.name = "rope"}};
  auto m = make<nn::MultiHeadAttention>(o, 1);
  nn::convert(m, kF64);
  Tensor x = random({1, 12, 8}, 5, kF64), at = nn::segment_places(numbers());
  Tensor together = m(Variable(x), {.places = {.query_at = at, .key_at = at}}).output.value();
  for (auto [begin, end] : {std::pair<int64_t, int64_t>{0, 3}, {3, 4}, {4, 8}, {8, 10}}) {
    Variable alone(x.slice(1, begin, end).contiguous());
    CHECK(max_abs_difference(m(alone).output.value(), together.slice(1, begin, end)) < 1e-12);
  }
  CHECK(max_abs_difference(m(Variable(x)).output.value(), together) > 1e-3);
}

// Places that begin anew with each sentence give the same mask as numbers of the sentences.
PROPERTY(segment_numbers_give_the_same_mask) {
  Tensor at = nn::segment_places(numbers());
  Places places{.queries = 12, .keys = 12, .query_at = at, .key_at = at};
  Tensor mask = mask_of("segments", places), wanted = nn::same_segment(numbers(), numbers());
  for (int64_t t = 0; t < 12; ++t)
    for (int64_t s = 0; s < 12; ++s)  // the padding sees itself: it is no sentence
      CHECK(mask.at({0, t, s}) == (kSegments[static_cast<size_t>(t)] == 0 ? t == s : wanted.at({0, t, s}) != 0));
  CHECK(flat(mask_of("segments", nn::rows_of(places, 5, 9))) == flat(mask.slice(1, 5, 9).contiguous()));
  CHECK_FALSE(answer("segments", {.queries = 3, .keys = 3}).allowed.defined());
  Tensor prompt = Tensor::from(std::vector<int64_t>{0, 0, 0, 1, 2}, {1, 5});  // two words of padding on the left
  Tensor seen = mask_of("segments", {.queries = 5, .keys = 5, .query_at = prompt, .key_at = prompt});
  CHECK(flat(seen.select(0, 0).select(0, 4).contiguous()) == std::vector<double>{0, 0, 1, 1, 1});
}

}  // namespace
}  // namespace heed::nn_test
