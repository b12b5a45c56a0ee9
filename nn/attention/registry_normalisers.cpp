// The catalogue's normalisers of a row: B1 to B7. The others are in registry_structured_normalisers.cpp.
#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/fusedmax.h"
#include "nn/attention/normalisers/sigmoid.h"
#include "nn/attention/normalisers/sink.h"
#include "nn/attention/normalisers/softmax.h"
#include "nn/attention/normalisers/sparsemax.h"
#include "nn/attention/normalisers/top_k.h"
#include "nn/attention/registry.h"
#include "nn/attention/registry_exemptions.h"
#include "nn/attention/registry_parts.h"

namespace heed::nn {

static std::vector<CatalogueEntry> entries_of_rows() {
  const std::map<std::string, std::string> any_sum = exempt_from_sums("a row may have any sum"),
                                           at_most_one = exempt_from_sums("rows sum to less than 1");
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
       .default_for = {Role::stage},
       .normaliser = made_as<Normaliser, SoftmaxNormaliser>},
      {.id = "B2",
       .also = {"projection on the simplex"},
       .name = "sparsemax",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w_s = max(e_s - tau, 0), tau such that they sum to 1",
       .paper = "Martins and Astudillo, ICML 2016",
       .year = 2016,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "a sort of each row: B T S log S",
       .own = {"golden_projections", "support_is_shifted_together", "weights_are_exactly_zero"},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "sparsemax"}},
       .normaliser = made_as<Normaliser, SparsemaxNormaliser>},
      {.id = "B3",
       .also = {"entmax 1.5", "adaptively sparse attention"},
       .name = "entmax",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w_s = max((alpha - 1) e_s - tau, 0)^(1 / (alpha - 1)), tau such that they sum to 1",
       .paper = "Peters, Niculae and Martins, ACL 2019; learned alpha: Correia et al., EMNLP 2019",
       .year = 2019,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "a sort of each row for alpha 1.5, else 64 passes over it; learned: 1 parameter for each head",
       .own = {"golden_entmax", "alpha_leads_from_softmax_to_sparsemax", "bisection_is_the_sort",
               "heads_learn_their_alpha"},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "entmax", .settings = {{"learned", 1}}}},
       .settings = {{"alpha", 1.5, "1 is softmax, 2 is sparsemax; the initial one if it is learned", 1, 10, false},
                    {"learned", 0, "1: each head learns its alpha, between 1.01 and 2", 0, 1}},
       .normaliser = made_as<Normaliser, EntmaxNormaliser>},
      {.id = "B4",
       .also = {"total variation", "structured sparse attention"},
       .name = "fusedmax",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w = argmin |w - e|^2 / 2 + gamma sum_s |w_(s+1) - w_s| over w >= 0, sum w = 1",
       .paper = "Niculae and Blondel, NIPS 2017",
       .year = 2017,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "at most S^2 steps a row, then sparsemax",
       .own = {"no_fusion_is_sparsemax", "segments_share_one_weight", "denoising_is_optimal",
               "segment_gradient_is_its_mean"},
       .exempt = {{"keys_may_be_permuted", "the order of the keys says which are neighbours"}},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "fusedmax"}},
       .settings = {{"gamma", 0.1, "gamma, the price of a difference between neighbours", 0, 1e6, false}},
       .normaliser = made_as<Normaliser, FusedmaxNormaliser>},
      {.id = "B5",
       .also = {"sigmoid attention"},
       .name = "sigmoid",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w_s = sigmoid(e_s - ln S), S the number of keys allowed",
       .paper = "Ramapuram et al., ICLR 2025",
       .year = 2025,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T S exponentials, no sum over the keys",
       .own = {"zero_scores_sum_to_almost_one", "keys_do_not_compete"},
       .exempt = any_sum,
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "sigmoid"}},
       .normaliser = made_as<Normaliser, SigmoidNormaliser>},
      {.id = "B6",
       .also = {"explicit sparse attention"},
       .name = "top_k",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w = softmax over the k largest scores, 0 elsewhere",
       .paper = "Zhao et al., 2019 (arXiv 1912.11637)",
       .year = 2019,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "a partial sort of each row, S log k, then a softmax",
       .own = {"exactly_k_weights", "all_keys_are_a_softmax"},
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "top_k", .settings = {{"k", 2}}}},
       .settings = {{"k", 8, "number of keys that a query reads", 1, 1e9}},
       .normaliser = made_as<Normaliser, TopKNormaliser>},
      {.id = "B7",
       .also = {"softmax-plus-one", "off-by-one softmax", "attention sink"},
       .name = "sink",
       .kind = Kind::normaliser,
       .family = "normalisers",
       .formula = "w_s = exp(e_s) / (exp(z) + sum_r exp(e_r)), z = 0 or learned",
       .paper = "Miller, 2023 (Attention is off by one); Xiao et al., ICLR 2024",
       .year = 2023,
       .tier = 2,
       .shapes = "e [.., S] -> w [.., S]",
       .cost = "B T (S + 1) exponentials; learned: 1 parameter for each head",
       .own = {"is_a_softmax_with_one_more_key", "heads_learn_their_sink"},
       .exempt = at_most_one,
       .options = {.score = {.name = "dot"}, .normaliser = {.name = "sink", .settings = {{"learned", 1}}}},
       .settings = {{"learned", 0, "1: each head learns its z, which begins at 0", 0, 1}},
       .normaliser = made_as<Normaliser, SinkNormaliser>},
  };
}

std::vector<CatalogueEntry> normaliser_entries() {
  std::vector<CatalogueEntry> all = entries_of_rows();
  for (CatalogueEntry& entry : structured_normaliser_entries()) all.push_back(std::move(entry));
  for (CatalogueEntry& entry : signed_normaliser_entries()) all.push_back(std::move(entry));
  for (CatalogueEntry& entry : alignment_entries()) all.push_back(std::move(entry));
  for (CatalogueEntry& entry : control_entries()) all.push_back(std::move(entry));
  return all;
}

}  // namespace heed::nn
