#include "tutorials/12_bahdanau/exercises/3_error_rate.h"

namespace mine {

using namespace heed;

Links hard_links(const Tensor& weights, int64_t words) {
  Links links;
  // ---- the gap: the source position with the largest weight of each target word ----
  // ---- filled ----
  for (int64_t t = 0; t < weights.size(0); ++t) {
    int64_t best = 0;
    for (int64_t s = 1; s < weights.size(1); ++s)
      if (weights.at({t, s}) > weights.at({t, best})) best = s;
    if (best < words) links.push_back({static_cast<int>(best), static_cast<int>(t)});
  }
  // ---- end of the gap ----
  return links;
}

double error_rate(const std::vector<Links>& found, const std::vector<Links>& gold) {
  // ---- the gap: add up |A|, |S|, |A and S| and |A and P|, then divide ----
  // | return 0;
  // ---- filled ----
  double all = 0, sure = 0, found_sure = 0, found_possible = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    all += static_cast<double>(found[i].size());
    for (const data::Link& right : gold[i]) {
      sure += right.sure;
      for (const data::Link& link : found[i])
        if (link.source == right.source && link.target == right.target) ++found_possible, found_sure += right.sure;
    }
  }
  return all + sure == 0 ? 0 : 1 - (found_sure + found_possible) / (all + sure);
  // ---- end of the gap ----
}

}  // namespace mine
