// The catalogue's normalisers whose weights may be negative.
#include "nn/attention/normalisers/cog.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {

std::vector<CatalogueEntry> signed_normaliser_entries() {
  return {{.id = "B17",
           .also = {"signed attention", "cog attention"},
           .name = "cog",
           .kind = Kind::normaliser,
           .family = "normalisers",
           .formula = "w_s = sign(e_s) exp(|e_s|) / sum_r exp(|e_r|)",
           .paper = "Lv et al., 2024 (arXiv 2411.07176)",
           .year = 2024,
           .tier = 4,
           .shapes = "e [.., S] -> w [.., S]",
           .cost = "B T S exponentials",
           .own = {"sizes_sum_to_one", "positive_scores_are_a_softmax"},
           .exempt = {{"rows_sum_to_one", "weights have signs, and only their sizes sum to 1"},
                      {"constant_values_are_read", "weights have signs, so a row of equal values may cancel"}},
           .options = {.score = {.name = "dot"}, .normaliser = {.name = "cog"}},
           .normaliser = made_as<Normaliser, CogNormaliser>}};
}

}  // namespace heed::nn
