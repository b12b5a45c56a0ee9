// The catalogue's readers: hard attention with the score-function estimator (D1) and straight-through (D2).
#include "nn/attention/catalogue.h"
#include "nn/attention/readers/hard.h"

namespace heed::nn {

std::vector<CatalogueEntry> reader_entries() {
  const char* draws = "the random numbers are drawn by position, so a permutation changes the choices";
  const char* places = "each place draws a random number, padding too, so a row without padding draws others";
  const char* order = "decoding step by step and the parallel pass draw different random numbers";
  return {
      {.id = "D1",
       .also = {"hard stochastic attention", "REINFORCE"},
       .name = "hard",
       .kind = Kind::reader,
       .family = "readers",
       .formula = "z ~ Cat(w), context = v_z;  d = (log p(y|z) - b) d log w_z + d log p(y|z)",
       .paper = "Xu et al. (Show, Attend and Tell), ICML 2015",
       .year = 2015,
       .tier = 1,
       .shapes = "w [B, T, S], values [B, S, D] -> context [B, T, D], log w_z [B, T]",
       .cost = "B T draws, B T S D products",
       .own = {"expectation_is_the_gradient", "constant_baseline_changes_nothing", "golden_variances",
               "baseline_does_not_see_its_own_choice", "choices_follow_the_weights", "entropy_bonus",
               "half_the_sentences_read_softly"},
       .exempt = {{"keys_may_be_permuted", draws},
                  {"queries_may_be_permuted", draws},
                  {"step_by_step_is_parallel", order},
                  {"padded_after_is_alone", places},
                  {"padded_before_is_alone", places}},
       .options = {.score = {.name = "dot"}},
       .cases = "read_chosen",
       .settings = {{"soft", 0.5, "probability that a sentence reads the weighted mean instead of a draw", 0, 1, false},
                    {"reward", 1, "lambda, the weight of the score-function term", 0, 1e6, false},
                    {"entropy", 0, "eta, the weight of the entropy of the weights", 0, 1e6, false},
                    {"decay", 0.9, "of the baseline, a moving average of the log-likelihood", 0, 0.9999999, false}},
       .reader = made_as<Reader, HardAttention>},
      {.id = "D2",
       .also = {"hard attention by Gumbel straight-through", "B8"},
       .name = "hard_gumbel",
       .kind = Kind::reader,
       .family = "readers",
       .formula = "context = v_z, z = argmax(e + g); backward: the context of softmax((e + g) / tau)",
       .paper = "Jang, Gu and Poole; Maddison, Mnih and Teh; both ICLR 2017",
       .year = 2017,
       .tier = 1,
       .shapes = "e [B, T, S], values [B, S, D] -> context [B, T, D]",
       .cost = "B T S draws and exponentials, B T S D products",
       .own = {"rows_are_one_hot", "choices_follow_the_weights"},
       .exempt = {{"gradient", "the straight-through gradient is biased by design; B8 checks it against its surrogate"},
                  {"keys_may_be_permuted", draws},
                  {"queries_may_be_permuted", draws},
                  {"step_by_step_is_parallel", order},
                  {"padded_after_is_alone", places},
                  {"padded_before_is_alone", places}},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "gumbel", .settings = {{"temperature", 0.1}}}},
       .reached = {"normaliser", "gumbel:temperature=0.1"}},
  };
}

}  // namespace heed::nn
