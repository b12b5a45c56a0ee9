// Quest ("Query-aware sparsity for efficient long-context LLM inference"): keys lie in pages of b words, and a page is
// known by the minimum and the maximum of each feature of its keys. A query reads the pages whose scores could be the
// largest:
//
//   M_jd = max of k_sd, m_jd = min of k_sd, over the words s of page j
//   bound_tj = sum_d max(q_td M_jd, q_td m_jd)         at least q_t . k_s for every word s of the page
//   allowed: s <= t, and the page of s is among the n pages with the largest bounds; the earlier of equals
//
// Each head of queries chooses pages of its own. No page is chosen without its bound, not even that of the query, whose
// bound is of the words up to the query. Nothing is forgotten: another query may read what this one does not. The
// choice has no gradient. The authors apply it in decoding, to a model that was trained without it; the prompt and the
// first two layers read everything (`dense`). Their decoder keeps the bounds; here they are computed again for each
// query, which costs as much as the scores. Padding before the first word belongs to no page. T queries, S keys.
#pragma once

#include <vector>

#include "nn/attention/scopes/compares_keys.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct QuestScope final : Scope, ComparesKeys {
  struct Settings {
    int64_t block = 16;
    int64_t blocks = 64;
    int64_t dense = 2;
    void fields(OptionFields& f) {
      f("block", block, "b, words of a page", {1, 65536});
      f("blocks", blocks, "n, pages that a query reads", {3, 65536});
      f("dense", dense, "first layers of a stack that read all pages", {0, 1000});
    }
  };
  static constexpr About about{
      .names = {"K13", "quest"},
      .formula = "s <= t, page of s among the n largest sum_d max(q_d M_d, q_d m_d); M, m: maximum and minimum of keys",
      .paper = {"Tang et al., ICML 2024", 2024, 4},
      .idea =
          "A query reads only the pages of the cache in which a key could have a large score. The keys of a page lie "
          "in a box, from the minimum to the maximum of each feature. The largest score that a key in the box could "
          "have is cheap to compute.",
      .wrong =
          "The bound takes the maximum of a feature where the query is positive and the minimum where it is negative. "
          "Keys must be those of the score, after rotary positions have turned them.",
      .shapes = "q [.., T, K], k [.., S, K] -> mask [.., T, S]",
      .cost = "T (S / b + n b) products in a decoder that keeps the bounds; all T S here; a mask of H T S bytes",
      .own = {"all_pages_are_causal", "a_bound_is_above_the_scores_of_its_page", "the_best_pages_are_read"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& places);  // q_t = 1, k_s = cos(2 s)

  using Options = ScopeOptions;
  QuestScope(const ScopeOptions& options, Generator& unused);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool causal() const override { return true; }
  bool by_place() const override { return true; }
  Settings settings;
  bool reads_all;  // one of the first layers
};

// sum_d max(q_d high_d, q_d low_d)
double bound_of_page(const double* q, const std::vector<double>& low, const std::vector<double>& high);

}  // namespace heed::nn
