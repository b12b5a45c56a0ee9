// MoChA, monotonic chunkwise attention (section 2.3 of the paper): a chunk of 1 is monotonic attention (monotonic.h).
// The paper learns a second score for the chunk; a pipeline has one. A masked key has no share of a chunk. w width of a
// chunk.
#pragma once

#include "nn/attention/normalisers/monotonic.h"

namespace heed::nn {

struct MochaNormaliser final : MonotonicNormaliser {
  struct Settings {
    int64_t chunk = 2;
    double offset = -1;
    double noise = 0;
    int64_t hard = 0;
    void fields(OptionFields& f) {
      f("chunk", chunk, "w, number of keys in a chunk", {1, 1e6});
      f("offset", offset, "r, added to the scores; learned from this value on", {-10000, 10000});
      f("noise", noise, "deviation of the noise on the scores in training; 1 in the paper", {0, 10000});
      f("hard", hard, "1: in evaluation, stop at the first key with p > 1/2", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"D4", "mocha", "monotonic chunkwise attention"},
      .family = "alignment processes",
      .formula = "beta_ts = sum_{k=s}^{s+w-1} alpha_tk exp(e_ts) / sum_{l=k-w+1}^{k} exp(e_tl),  alpha of monotonic",
      .paper = {"Chiu and Raffel, ICLR 2018", 2018, 2},
      .idea =
          "The walk of monotonic attention decides where to stop. From there a softmax looks back at a few words. So "
          "the order of the source is kept, and words may still move within a chunk.",
      .wrong =
          "The chunk ends where the walk has stopped and does not go beyond it. What the next step continues from is "
          "the stop, not the weights of the chunk.",
      .shapes = "e [.., T, S] -> w [.., T, S]",
      .cost = "B T S^2 exponentials, twice; one query at a time",
      .own = {"chunks_of_one_are_monotonic", "chunks_are_their_formula", "the_walk_is_kept_for_the_next_query"},
      .exempt = {{"constant_values_are_read", "the rows do not sum to 1"},
                 {"keys_may_be_permuted", "the walk passes the keys in their order"},
                 {"mask_is_minus_infinity", "a score of -1e12 is a probability of 0 to stop, with a mask or without"},
                 {"queries_may_be_permuted", "each query goes on where the one before has stopped"},
                 {"rows_sum_to_one",
                  "the rest of a row is the probability that the walk has run off the end of the source"}},
  };

  MochaNormaliser(const Options& options, Generator& seeds);
  int64_t chunk;  // w

 protected:
  Variable weights(const Variable& scores, StageContext& context) const override;
};

}  // namespace heed::nn
