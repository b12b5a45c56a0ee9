// The catalogue's position schemes, F1 to F8 and F10; those for longer texts and other shapes are in
// registry_later_positions.cpp: added to the embeddings, inside the heads, or added to the scores.
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/score_bias.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/skew.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/registry.h"
#include "nn/attention/registry_exemptions.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {
namespace {
struct NoPosition final : HeadPosition {
  NoPosition(const HeadPositionOptions&, Generator&) {}
};
std::unique_ptr<EmbeddingPosition> learned(const EmbeddingPositionOptions& o, Generator& rng) {
  return std::make_unique<LearnedPositions>(LearnedPositions::Options{.positions = o.max_positions, .width = o.width},
                                            rng);
}
std::unique_ptr<EmbeddingPosition> sinusoidal(const EmbeddingPositionOptions& o, Generator& rng) {
  return std::make_unique<SinusoidalPositions>(SinusoidalOptions{.width = o.width}, rng);
}

std::vector<CatalogueEntry> first_position_entries() {
  const std::string added = "it is added to each word by itself, before attention";
  return {
      {.id = "F1",
       .also = {"sine and cosine"},
       .name = "sinusoidal",
       .kind = Kind::position,
       .family = "positions",
       .formula = "P[p, 2i] = sin(p / 10000^(2i / D)),  P[p, 2i + 1] = cos(p / 10000^(2i / D))",
       .paper = "Vaswani et al., NeurIPS 2017",
       .year = 2017,
       .tier = 1,
       .shapes = "x [B, T, D] -> [B, T, D]",
       .cost = "T D sines once, B T D sums; no parameters",
       .own = {"golden_rows", "products_depend_on_the_distance", "a_shift_is_a_rotation", "layouts_are_a_permutation"},
       .exempt = exempt_from_padding(added),
       .cases = "SinusoidalPositions",
       .default_for = {Role::embedding},
       .embedding_position = sinusoidal},
      {.id = "F2",
       .also = {"position embeddings"},
       .name = "learned",
       .kind = Kind::position,
       .family = "positions",
       .formula = "y_t = x_t + W[first + t]",
       .paper = "Gehring et al., ICML 2017; Vaswani et al., NeurIPS 2017",
       .year = 2017,
       .tier = 1,
       .shapes = "x [B, T, D], W [P, D] -> [B, T, D]",
       .cost = "B T D sums; P D parameters",
       .own = {"only_rows_that_were_seen_learn", "beyond_the_table_is_an_error"},
       .exempt = exempt_from_padding(added),
       .cases = "LearnedPositions",
       .embedding_position = learned},
      {.id = "F3",
       .also = {"relative position representations", "shaw_keys: without the value term"},
       .name = "shaw",
       .kind = Kind::position,
       .family = "positions",
       .formula =
           "e_ts = q_t . (k_s + A[clip(s - t, -D, D)]) / sqrt(K),  c_t = sum_s w_ts (v_s + U[clip(s - t, -D, D)])",
       .paper = "Shaw, Uszkoreit and Vaswani, NAACL 2018",
       .year = 2018,
       .tier = 1,
       .shapes = "in heads: q [B, H, T, K], A and U [2 D + 1, K] -> [B, H, T, S]",
       .cost = "T S K products per head and table; 2 (2 D + 1) K parameters",
       .own = {"distances_are_clipped_with_their_sign", "no_distance_is_no_order", "cache_is_the_parallel_pass"},
       .settings = {{"max_distance", 16, "D: larger distances count as D", 0, 65536}},
       .variants = {"shaw_keys"},
       .position = made_as<HeadPosition, ShawPositions>},
      {.id = "F4",
       .also = {"Music Transformer", "relative attention with skewing"},
       .name = "skew",
       .kind = Kind::position,
       .family = "positions",
       .formula = "e_hts = q_t . (k_s + E[h, clip(s - t, -D, D)]) / sqrt(K), by products with N distances, skewed",
       .paper = "Huang et al. (Music Transformer), ICLR 2019",
       .year = 2019,
       .tier = 3,
       .shapes = "in heads: q [B, H, T, K], E [H, 2 D + 1, K] -> [B, H, T, S]",
       .cost = "(T + S) T K products per head; H (2 D + 1) K parameters",
       .own = {"skew_is_the_gather", "one_table_for_all_heads_is_shaw", "cache_is_the_parallel_pass"},
       .settings = {{"max_distance", 16, "D: larger distances count as D", 0, 65536}},
       .position = made_as<HeadPosition, SkewPositions>},
      {.id = "F5",
       .also = {"Transformer-XL", "relative positional encodings"},
       .name = "xl",
       .kind = Kind::position,
       .family = "positions",
       .formula = "e_ts = ((q_t + u) . k_s + (q_t + v) . W_R r_(t - s)) / sqrt(K),  r the sinusoids",
       .paper = "Dai et al., ACL 2019",
       .year = 2019,
       .tier = 3,
       .shapes = "in heads: q [B, H, T, K], u and v [H, K], W_R [H K, H K] -> [B, H, T, S]",
       .cost = "(T + S) (H^2 K^2 + H T K) products; H^2 K^2 + 2 H K parameters",
       .own = {"shift_is_the_loop", "nothing_learned_is_no_position", "cache_is_the_parallel_pass"},
       .cases = "XLPositions",
       .position = made_as<HeadPosition, XLPositions>},
      {.id = "F6",
       .also = {"relative position buckets", "t5_bias"},
       .name = "t5",
       .kind = Kind::position,
       .family = "positions",
       .formula = "e_hts = q_t . k_s + W[bucket(s - t), h]",
       .paper = "Raffel et al. (T5), JMLR 2020",
       .year = 2020,
       .tier = 1,
       .shapes = "W [N, H] -> [1, H, T, S]",
       .cost = "T S look-ups; N H parameters for all layers",
       .own = {"golden_buckets", "buckets_that_occur_learn", "cache_is_the_parallel_pass"},
       .cases = "T5Bias",
       .settings = {{"max_distance", 128, "larger distances share the last bucket", 2, 65536},
                    {"buckets", 32, "number of buckets", 4, 65536}},
       .position = made_as<HeadPosition, T5Bias>},
      {.id = "F7",
       .also = {"linear biases"},
       .name = "alibi",
       .kind = Kind::position,
       .family = "positions",
       .formula = "e_hts = q_t . k_s / sqrt(K) - m_h |s - t|,  m_h = 2^(-8 h / H)",
       .paper = "Press, Smith and Lewis, ICLR 2022",
       .year = 2022,
       .tier = 1,
       .shapes = "-> [1, H, T, S]",
       .cost = "H T S products; no parameters",
       .own = {"golden_slopes", "bias_is_the_distance", "cache_is_the_parallel_pass"},
       .exempt = {{"gradient", "the bias is a constant, so it has no gradient"}},
       .position = made_as<HeadPosition, AlibiBias>},
      {.id = "F8",
       .also = {"rotary positions", "RoFormer", "rope_interleaved: pairs of adjacent entries"},
       .name = "rope",
       .kind = Kind::position,
       .family = "positions",
       .formula = "pairs of entries of q_t and k_s rotated by t theta_i and s theta_i,  theta_i = 10000^(-2i/K)",
       .paper = "Su et al., 2021; Neurocomputing 2024",
       .year = 2021,
       .tier = 1,
       .shapes = "x [B, T, H, K] -> [B, T, H, K]",
       .cost = "3 K operations per query and key; no parameters",
       .own = {"turning_keeps_length_and_distance", "golden_angles", "halves_are_permuted_pairs",
               "values_are_not_turned", "twin_turns_the_same", "cache_is_the_parallel_pass"},
       .cases = "rotate_pairs",
       .settings = {{"base", 10000, "the slowest pair rotates once in 2 pi base^(1 - 2/K) words", 1.001, 1e12, false}},
       .variants = {"rope_interleaved"},
       .position = made_as<HeadPosition, Rope>},
      {.id = "F10",
       .also = {"no positional encoding (NoPE)"},
       .name = "none",
       .kind = Kind::position,
       .family = "positions",
       .formula = "e_ts = q_t . k_s / sqrt(K), s <= t: only the causal mask distinguishes positions",
       .paper = "Haviv et al., EMNLP Findings 2022; Kazemnejad et al., NeurIPS 2023",
       .year = 2022,
       .tier = 1,
       .shapes = "x [B, T, D] -> [B, T, D]",
       .cost = "nothing",
       .own = {"a_bag_without_a_mask", "cache_is_the_parallel_pass"},
       .exempt = {{"gradient", "there is nothing to differentiate"}},
       .default_for = {Role::stage},
       .position = made_as<HeadPosition, NoPosition>},
  };
}
}  // namespace

std::vector<CatalogueEntry> position_entries() {
  std::vector<CatalogueEntry> all = first_position_entries();
  for (CatalogueEntry& entry : later_position_entries()) all.push_back(std::move(entry));
  return all;
}

}  // namespace heed::nn
