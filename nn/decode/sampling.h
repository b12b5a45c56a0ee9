// Sampling draws each word at random from the model's distribution, whereas greedy search always takes the likeliest.
//
//   q(w) proportional to exp(log p(w) / temperature)
//   top_k: only the k likeliest words;   top_p: of the words left, the smallest set with a total q of at least top_p
//   min_p: only words with q >= min_p * max q
//
// Temperature 1 draws from the model's own distribution; as it goes to 0, sampling becomes greedy search. Top-k keeps
// the same number of words at every step. Top-p and min-p keep few words if the model is certain, and many if it is
// not. (Top-k: Fan, Lewis and Dauphin, ACL 2018; top-p: Holtzman et al., ICLR 2020; min-p: Nguyen et al., ICLR 2025.)
#pragma once

#include <utility>

#include "nn/decode/search.h"
#include "tensor/random.h"

namespace heed::nn {

struct SampleOptions {
  std::vector<int64_t> max_lengths = {};  // as in SearchOptions
  double temperature = 1;
  int64_t top_k = 0;  // 0: all words
  double top_p = 1;   // 1: all words; the word at which the sum reaches top_p is kept
  double min_p = 0;   // 0: all words
  bool allow_unknown = true;
  Constraints constraints = {};
};

// Returns one hypothesis per row; its log_probability is the model's (temperature 1). Each row has its own random
// stream, so its result does not depend on the other rows of the batch.
std::vector<Hypothesis> sample(SearchModel& model, const SampleOptions& options, Generator& rng);

void require_sampling(const SampleOptions& options);  // ValueError for numbers that choose no word

// One draw, for searches with a loop of their own. `words` are pairs of log p and word, at least one, in the order in
// which the words of equal log p are to stay; they are reordered.
int64_t draw_word(std::vector<std::pair<double, int64_t>>& words, const SampleOptions& options, Generator& stream);

}  // namespace heed::nn
