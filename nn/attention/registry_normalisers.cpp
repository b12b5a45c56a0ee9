// The catalogue's normalisers: B1, B8 and B9.
#include "nn/attention/normalisers/hard.h"
#include "nn/attention/normalisers/softmax.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::vector<CatalogueEntry> normaliser_entries() {
  const char* surrogate = "a choice has no derivative; gradient_is_the_surrogate checks its surrogate";
  return {
      {.id = "B1",
       .also = {"soft attention"},
       .name = "softmax",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w_s = exp(e_s) / sum_r exp(e_r)",
       .paper = "Bridle, 1990",
       .year = 1990,
       .tier = 1,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T S exponentials",
       .own = {"golden_vector", "shift_invariant", "large_scores_stay_finite", "jacobian_is_diagonal_minus_outer"},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "softmax"}},
       .cases = "Attention dot",
       .normaliser = made_as<Normaliser, SoftmaxNormaliser>},
      {.id = "B8",
       .also = {"Gumbel-softmax, straight-through", "concrete"},
       .name = "gumbel",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w = one_hot(argmax(e + g)), g = -log(-log u); backward: softmax((e + g) / tau)",
       .paper = "Jang, Gu and Poole; Maddison, Mnih and Teh; both ICLR 2017",
       .year = 2017,
       .tier = 1,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T S draws and exponentials",
       .own = {"rows_are_one_hot", "gradient_is_the_surrogate", "hot_surrogate_is_uniform"},
       .exempt = {{"gradient", surrogate},
                  {"keys_may_be_permuted", "the noise is drawn by position, so a permutation changes the choices"},
                  {"queries_may_be_permuted", "the noise is drawn by position, so a permutation changes the choices"},
                  {"step_by_step_is_parallel", "decoding step by step and the parallel pass draw different noise"}},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "gumbel"}},
       .settings = {{"temperature", 1, "tau, of the softmax whose gradient is used", 1e-6, 1e9, false}},
       .normaliser = made_as<Normaliser, GumbelNormaliser>},
      {.id = "B9",
       .also = {"deterministic hard attention"},
       .name = "argmax",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w = one_hot(argmax e); backward: softmax(e / tau)",
       .paper = "Bengio, Leonard and Courville, 2013 (straight-through)",
       .year = 2013,
       .tier = 1,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T S comparisons",
       .own = {"rows_are_one_hot", "gradient_is_the_surrogate", "is_a_cold_softmax"},
       .exempt = {{"gradient", surrogate}},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "argmax"}},
       .settings = {{"temperature", 1, "tau, of the softmax whose gradient is used", 1e-6, 1e9, false}},
       .normaliser = made_as<Normaliser, ArgmaxNormaliser>},
  };
}

}  // namespace heed::nn
