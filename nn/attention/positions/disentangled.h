// Disentangled attention (section 3.1 of the paper, eq. 4): content and position are apart. The three terms are
// content, content to position, and position to content; they have three times the variance of one, hence the 3. d is a
// distance from -D to D - 1, of place i minus place j. The products are made once for each distance and read at those
// of the pairs. In the paper a and b are projections of one table of positions, shared by all layers; here each layer
// has a and b [H, 2 D, K] themselves.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_keys.h"

namespace heed::nn {

struct DisentangledPositions final : HeadPosition, ReadsKeys {
  struct Settings {
    int64_t max_distance = 16;
    void fields(OptionFields& f) { f("max_distance", max_distance, "D, half the number of distances", {1, 4096}); }
  };
  static constexpr About about{
      .names = {"E22b", "disentangled", "DeBERTa"},
      .formula =
          "e_ts = (q_t . k_s + q_t . a_{d(t, s)} + k_s . b_{d(s, t)}) / sqrt(3 K),  d(i, j) = clip(i - j + D, 0, 2 D - "
          "1)",
      .paper = {"He et al., ICLR 2021", 2021, 4},
      .idea =
          "A word is given by its content and its position, and the two stay apart. The score has three terms: content "
          "with content, content with the distance of the other word, and the same from the side of the key. Two "
          "tables of vectors, one for queries and one for keys, contain all that is learned about distances.",
      .wrong =
          "The third term takes the distance from the key to the query, not from the query to the key. With the same "
          "distance in both terms the tables learn something else.",
      .shapes = "q [B, H, T, K], k [B, H, S, K] -> [B, H, T, S]",
      .cost = "4 (T + S) D K products per head; 4 H D K parameters",
      .own = {"three_terms_by_the_loop", "key_asks_from_its_side", "cache_is_the_parallel_pass"},
  };

  using Options = HeadPositionOptions;
  DisentangledPositions(const Options& options, Generator& rng);
  bool turns() const override { return true; }
  bool has_bias() const override { return true; }
  bool needs_product() const override { return true; }
  Variable turn_query(const Variable& q, const Places&) const override;                            // q / sqrt(3)
  Variable bias(const Variable& turned, const Places& places, double scale) const override;        // of a
  Variable bias_of_keys(const Variable& keys, const Places& places, double scale) const override;  // of b
  void visit(Visitor& v) override { v.parameter("of_query", of_query), v.parameter("of_key", of_key); }
  Options options;
  Settings settings;
  Variable of_query, of_key;  // a, b [H, 2 D, K]
};

}  // namespace heed::nn
