// The controls of the league: normalisers that take the look-up out of attention.
#include "nn/attention/normalisers/controls.h"
#include "nn/attention/registry.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {

std::vector<CatalogueEntry> control_entries() {
  return {
      {.id = "Z1",
       .also = {"control: a plain mean"},
       .name = "even",
       .kind = Kind::normaliser,
       .family = "controls",
       .formula = "w_s = 1 / n for each of n allowed keys",
       .paper = "a control of the league",
       .year = 2026,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T S",
       .own = {"even_over_the_allowed"},
       .exempt = {{"weights_depend_on_keys", "it is the control that does not read the scores"}},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "even"}},
       .normaliser = made_as<Normaliser, EvenNormaliser>},
      {.id = "Z2",
       .also = {"control: shuffled keys"},
       .name = "shuffled",
       .kind = Kind::normaliser,
       .family = "controls",
       .formula = "w_pi(s) = softmax(e)_s, pi a random permutation of the allowed keys; in evaluation the next one",
       .paper = "a control of the league",
       .year = 2026,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T S exponentials and draws",
       .own = {"a_permutation_of_softmax"},
       .exempt = {{"gradient", "each call draws another permutation"},
                  {"keys_may_be_permuted", "the permutation is drawn by position"},
                  {"queries_may_be_permuted", "the permutation is drawn by position"},
                  {"step_by_step_is_parallel",
                   "decoding step by step and the parallel pass draw different permutations"}},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "shuffled"}},
       .normaliser = made_as<Normaliser, ShuffledNormaliser>},
  };
}

}  // namespace heed::nn
