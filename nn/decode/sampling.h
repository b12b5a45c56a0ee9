// Sampling draws each word at random from the model's distribution, whereas greedy search always takes the likeliest.
//
//   q(w) proportional to exp(log p(w) / temperature)
//   top_k: only the k likeliest words;   top_p: of the words left, the smallest set with a total q of at least top_p
//
// Temperature 1 draws from the model's own distribution; as it goes to 0, sampling becomes greedy search. Top-k keeps
// the same number of words at every step. Top-p keeps few words if the model is certain, and many if it is not. (Top-k:
// Fan, Lewis and Dauphin, ACL 2018; top-p: Holtzman et al., ICLR 2020.)
#pragma once

#include "nn/decode/search.h"
#include "tensor/random.h"

namespace heed::nn {

struct SampleOptions {
  std::vector<int64_t> max_lengths = {};  // as in SearchOptions
  double temperature = 1;
  int64_t top_k = 0;  // 0: all words
  double top_p = 1;   // 1: all words; the word at which the sum reaches top_p is kept
  bool allow_unknown = true;
  Constraints constraints = {};
};

// Returns one hypothesis per row; its log_probability is the model's (temperature 1). Each row has its own random
// stream, so its result does not depend on the other rows of the batch.
std::vector<Hypothesis> sample(SearchModel& model, const SampleOptions& options, Generator& rng);

}  // namespace heed::nn
