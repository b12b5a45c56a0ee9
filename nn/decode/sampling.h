// Sampling: write what the model finds likely, not only what it finds likeliest.
//
//   p(w) proportional to exp(log p(w) / temperature), over the top_k likeliest words, and of these over as few of the
//   likeliest as have the probability top_p together
//
// Temperature 1 draws from the model; towards 0 it is greedy search. Top-k keeps as many words where the model is sure
// as where it is not; top-p keeps few there, and many here. (Top-k: Fan, Lewis and Dauphin, ACL 2018; top-p: Holtzman
// et al., ICLR 2020.)
#pragma once

#include "nn/decode/search.h"
#include "tensor/random.h"

namespace heed::nn {

struct SampleOptions {
  std::vector<int64_t> max_lengths = {};  // as in SearchOptions
  double temperature = 1;
  int64_t top_k = 0;  // 0: all words
  double top_p = 1;   // 1: all words; the word that reaches it is kept
  bool allow_unknown = true;
};

// One hypothesis a row; its log_probability is that of the model (temperature 1). Each row draws from a stream of its
// own, so what it writes does not depend on the rows beside it.
std::vector<Hypothesis> sample(SearchModel& model, const SampleOptions& options, Generator& rng);

}  // namespace heed::nn
