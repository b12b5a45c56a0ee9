// Hints and checks of exercise 12.3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/12_bahdanau/exercises/3_error_rate.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Links;

std::string text(const Links& links) {
  std::vector<std::string> parts;
  for (const data::Link& l : links) parts.push_back(fmt::format("{}-{}", l.source, l.target));
  return fmt::format("{}", fmt::join(parts, " "));
}

void examine(app::Exercise& e) {
  Generator rng(1);
  Tensor weights = Tensor::from(
      std::vector<double>{0.1, 0.7, 0.2, 0, 0.4, 0.1, 0.3, 0.2, 0.2, 0.2, 0, 0.6, 0.4, 0.4, 0.1, 0.1}, {4, 4});
  e.check("the links of a small example with 3 words", text(mine::hard_links(weights, 3)), "1-0 0-1 0-3");
  std::vector<Links> all_found, all_gold;
  for (int i = 0; i < 6; ++i) {
    const int64_t targets = 5 + i, sources = 4 + 2 * i;
    Tensor random = softmax(Variable(Tensor::normal({targets, sources}, rng, 0, 1, DType::f64)), 1).value();
    const std::vector<double> flat = random.to_vector();
    const std::vector<float> row_major(flat.begin(), flat.end());
    Links found = data::hard_links(row_major, targets, sources), gold;
    std::erase_if(found, [&](const data::Link& l) { return l.source >= sources - 2; });  // </s> and one <pad>
    e.check(fmt::format("the links of sentence {}", i + 1), text(mine::hard_links(random, sources - 2)), text(found));
    for (int t = 0; t < targets; ++t) {  // half of the links found are right, and there are others
      gold.push_back({(t + 1) % static_cast<int>(sources - 2), t, t % 2 == 0});
      for (const data::Link& l : found)
        if (l.target == t && (t + i) % 3 != 0) gold.back().source = l.source;
    }
    all_found.push_back(found), all_gold.push_back(gold);
    data::AlignmentCounts counts;
    for (std::size_t k = 0; k < all_found.size(); ++k) counts.add(all_found[k], all_gold[k]);
    e.check(fmt::format("the error rate of the first {} sentences", i + 1), mine::error_rate(all_found, all_gold),
            counts.error_rate(), 1e-12);
  }
  e.check("the error rate of a sentence without links", mine::error_rate({{}}, {{}}), 0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("12", 3, "The alignment error rate");
  e.hint("For each row t of the weights find the position with the largest weight; weights.at({t, s}) is one weight.");
  e.hint("Two loops, over gold[i] and found[i], find the links that are in both. Compare source and target.");
  e.hint("Use four counters of type double over all sentences; a link in S counts in |A and P| as well.");
  e.insight(
      "The rate is low when all sure links are found and nothing impossible is; possible links cost nothing either "
      "way.\n"
      "Attention is trained to predict words, not links: its error rate measures what it learnt without being told.",
      "./heed run 13");
  return e.run(argc, argv, examine);
}
