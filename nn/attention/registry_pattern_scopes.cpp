// The catalogue's scopes C6, C8, C9, C10, C12 and C14: patterns of places, and packed segments.
#include "nn/attention/registry_pattern_scopes.h"

#include <algorithm>

#include "nn/attention/growth.h"
#include "nn/attention/scopes/axial.h"
#include "nn/attention/scopes/bigbird.h"
#include "nn/attention/scopes/block_local.h"
#include "nn/attention/scopes/prefix.h"
#include "nn/attention/scopes/segments.h"
#include "nn/attention/scopes/sparse.h"

namespace heed::nn {
namespace {

Tensor strided(const Places& m) { return picture_of({.name = "sparse_strided", .settings = {{"stride", 3}}}, m); }
Tensor fixed(const Places& m) { return picture_of({.name = "sparse_fixed", .settings = {{"block", 4}}}, m); }
Tensor bigbird(const Places& m) { return picture_of({.name = "bigbird", .settings = {{"block", 1}}}, m); }
Tensor block_local(const Places& m) { return picture_of({.name = "block_local", .settings = {{"block", 3}}}, m); }
Tensor axial(const Places& m) { return picture_of({.name = "axial", .settings = {{"grid", 4}}}, m); }
Tensor prefix(const Places& m) { return picture_of({.name = "prefix", .settings = {{"prefix", 4}}}, m); }

// Sentences of 3, 4, 3, 4, .. words.
Tensor segments(const Places& m) {
  Places places = m;
  Tensor at = Tensor::empty({1, std::max(m.queries, m.keys)}, DType::i64);
  for (int64_t n = 0; n < at.size(1); ++n) at.set({0, n}, static_cast<double>(n % 7 < 3 ? n % 7 : n % 7 - 3));
  places.query_at = at.slice(1, 0, m.queries), places.key_at = at.slice(1, 0, m.keys);
  return picture_of({.name = "segments"}, places);
}

CatalogueEntry row(const char* id, const char* name, Tensor (*picture)(const Places&)) {
  CatalogueEntry e{.id = id,
                   .name = name,
                   .kind = Kind::scope,
                   .family = "scopes",
                   .formula = {},
                   .paper = {},
                   .year = 0,
                   .tier = 2,
                   .shapes = "mask [T, S]",
                   .cost = {}};
  e.options = {.score = {.name = "dot"}, .scope = {.name = name}};
  e.picture = picture;
  e.own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones"};
  e.exempt = {{"keys_may_be_permuted", "a key's position decides which queries may attend to it"},
              {"queries_may_be_permuted", "a query's position decides which keys it may attend to"}};
  return e;
}

}  // namespace

std::vector<CatalogueEntry> pattern_scope_entries() {
  const std::string child = "Child, Gray, Radford and Sutskever (Sparse Transformer), 2019";

  CatalogueEntry c6 = row("C6", "sparse_strided", strided);
  c6.also = {"Sparse Transformer, strided"};
  c6.formula = "|i - j| <= l or (i - j) mod l = 0";
  c6.paper = child, c6.year = 2019;
  c6.cost = "T (2 l + S / l) scores have an effect: about T sqrt(S) with l = sqrt(S)";
  c6.own.push_back("two_hops_reach_everything_before");
  c6.settings = {{"stride", 16, "l, distance of the far keys, and neighbours on each side", 1, 1e9}};
  c6.scope = made_as<Scope, SparseStridedScope>;

  CatalogueEntry c6b = row("C6b", "sparse_fixed", fixed);
  c6b.also = {"Sparse Transformer, fixed"};
  c6b.formula = "floor(i / l) = floor(j / l) or j mod l >= l - c";
  c6b.paper = child, c6b.year = 2019;
  c6b.cost = "T (l + c S / l) scores have an effect";
  c6b.own.push_back("two_hops_reach_everything_before");
  c6b.settings = {{"block", 16, "l, words in a block", 1, 1e9},
                  {"last", 1, "c, how many words at the end of each block are seen by all", 1, 1e9}};
  c6b.scope = made_as<Scope, SparseFixedScope>;

  CatalogueEntry c8 = row("C8", "bigbird", bigbird);
  c8.also = {"Big Bird"};
  c8.formula = "of blocks I, J: |I - J| <= w or I < g or J < g or J is one of r that I draws";
  c8.paper = "Zaheer et al., NeurIPS 2020", c8.year = 2020;
  c8.cost = "T b (2 w + 1 + g + r) scores count; a mask of T S bytes";
  c8.own.push_back("every_block_has_as_many_keys");
  c8.own.push_back("the_seed_draws_the_blocks");
  c8.own.push_back(kLinearCost);
  c8.settings = {{"block", 64, "b, words in a block", 1, 1e9},
                 {"window", 1, "w, blocks on each side", 0, 1e9},
                 {"global", 1, "g, first blocks that see all and are seen by all", 0, 1e9},
                 {"random", 2, "r, random blocks for each block of queries", 0, 1e9},
                 {"seed", 1, "which random blocks", 0, 1e9}};
  c8.reached.more = "not under a causal mask, so a transformer with a decoder refuses it";
  c8.scope = made_as<Scope, BigBirdScope>;

  CatalogueEntry c9 = row("C9", "block_local", block_local);
  c9.also = {"local attention", "block-local with look-back"};
  c9.formula = "floor(i / L) - floor(j / L) is 0 or 1";
  c9.paper = "Parmar et al. (Image Transformer), ICML 2018", c9.year = 2018;
  c9.cost = "2 T L scores have an effect; a mask of T S bytes";
  c9.own.push_back("one_block_is_global");
  c9.own.push_back(kLinearCost);
  c9.settings = {{"block", 64, "L, words in a block", 1, 1e9}};
  c9.scope = made_as<Scope, BlockLocalScope>;

  CatalogueEntry c10 = row("C10", "axial", axial);
  c10.also = {"axis 0: criss-cross"};
  c10.formula = "floor(i / W) = floor(j / W) or i mod W = j mod W";
  c10.paper = "Ho, Kalchbrenner, Weissenborn and Salimans, 2019", c10.year = 2019, c10.tier = 4;
  c10.cost = "T (W + S / W) scores have an effect";
  c10.own.push_back("row_then_column_reaches_everything");
  c10.settings = {{"grid", 16, "W, cells in a row of the grid", 1, 1e9},
                  {"axis", 0, "1: the row of a cell, 2: its column, 0: both", 0, 2}};
  c10.scope = made_as<Scope, AxialScope>;

  CatalogueEntry c12 = row("C12", "prefix", prefix);
  c12.also = {"prefix-LM", "prefix language model"};
  c12.formula = "j <= i or j < P";
  c12.paper = "Liu et al., ICLR 2018; Raffel et al. (T5), JMLR 2020", c12.year = 2018;
  c12.cost = "P S + (T - P)^2 / 2 scores have an effect";
  c12.own.push_back("no_prefix_is_causal_all_prefix_is_global");
  c12.settings = {{"prefix", 16, "P, words that all words see", 0, 1e9}};
  c12.scope = made_as<Scope, PrefixScope>;

  CatalogueEntry c14 = row("C14", "segments", segments);
  c14.also = {"packed sequences", "block-diagonal"};
  c14.formula = "t - place(t) = s - place(s): both words are in the same sentence of a packed row";
  c14.paper = "Krell et al., 2021", c14.year = 2021;
  c14.shapes = "places [B, T], [B, S] -> mask [B, T, S]";
  c14.cost = "T (length of a sentence) scores have an effect";
  c14.own = {"a_packed_row_is_its_sentences_alone", "segment_numbers_give_the_same_mask"};
  c14.exempt = {};
  c14.reached.more =
      "where every sentence has a row of its own nothing is masked; in C++ by Places::query_at and key_at";
  c14.scope = made_as<Scope, SegmentScope>;

  return {c6, c6b, c8, c9, c10, c12, c14};
}

}  // namespace heed::nn
