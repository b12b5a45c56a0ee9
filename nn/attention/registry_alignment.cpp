// The catalogue's alignment processes, D3 and D4: normalisers whose weights go on from those of the query before.
#include "nn/attention/normalisers/monotonic.h"
#include "nn/attention/registry.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {

std::vector<CatalogueEntry> alignment_entries() {
  const std::map<std::string, std::string> walks = {
      {"rows_sum_to_one", "the rest of a row is the probability that the walk has run off the end of the source"},
      {"constant_values_are_read", "the rows do not sum to 1"},
      {"keys_may_be_permuted", "the walk passes the keys in their order"},
      {"queries_may_be_permuted", "each query goes on where the one before has stopped"},
      {"mask_is_minus_infinity", "a score of -1e12 is a probability of 0 to stop, with a mask or without"}};
  const std::vector<Setting> walk_settings = {
      {"offset", -1, "r, added to the scores; learned from this value on", -1e4, 1e4, false},
      {"noise", 0, "deviation of the noise on the scores in training; 1 in the paper", 0, 1e4, false},
      {"hard", 0, "1: in evaluation, stop at the first key with p > 1/2", 0, 1}};
  std::vector<Setting> chunk_settings = walk_settings;
  chunk_settings.insert(chunk_settings.begin(), {"chunk", 2, "w, number of keys in a chunk", 1, 1e6});
  return {
      {.id = "D3",
       .also = {"hard monotonic attention", "online attention"},
       .name = "monotonic",
       .kind = Kind::normaliser,
       .family = "alignment processes",
       .formula = "alpha_ts = p_ts sum_{k <= s} alpha_{t-1,k} prod_{l=k}^{s-1} (1 - p_tl),  p = sigmoid(e + r)",
       .paper = "Raffel et al., ICML 2017",
       .year = 2017,
       .tier = 2,
       .shapes = "e [.., T, S] -> w [.., T, S]",
       .cost = "B T S^2 exponentials; one query at a time",
       .own = {"golden_alignment", "alignment_sums_over_all_walks", "certain_stops_are_the_hard_walk",
               "walks_never_go_back", "the_walk_is_kept_for_the_next_query"},
       .exempt = walks,
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "monotonic"}},
       .settings = walk_settings,
       .normaliser = made_as<Normaliser, MonotonicNormaliser>},
      {.id = "D4",
       .also = {"monotonic chunkwise attention"},
       .name = "mocha",
       .kind = Kind::normaliser,
       .family = "alignment processes",
       .formula = "beta_ts = sum_{k=s}^{s+w-1} alpha_tk exp(e_ts) / sum_{l=k-w+1}^{k} exp(e_tl),  alpha of monotonic",
       .paper = "Chiu and Raffel, ICLR 2018",
       .year = 2018,
       .tier = 2,
       .shapes = "e [.., T, S] -> w [.., T, S]",
       .cost = "B T S^2 exponentials, twice; one query at a time",
       .own = {"chunks_of_one_are_monotonic", "chunks_are_their_formula", "the_walk_is_kept_for_the_next_query"},
       .exempt = walks,
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "mocha"}},
       .settings = chunk_settings,
       .normaliser = made_as<Normaliser, MochaNormaliser>},
  };
}

}  // namespace heed::nn
