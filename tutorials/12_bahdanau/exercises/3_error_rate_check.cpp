// Hints, common mistakes and checks of exercise 12.3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/12_bahdanau/exercises/3_error_rate.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Links;
using T = const Tensor&;
using All = const std::vector<Links>&;

struct Answer {
  decltype(&mine::hard_links) hard_links;
  decltype(&mine::error_rate) error_rate;
};

// Of weights[t], the first `places`: the position of the maximum, the last of equals if wanted.
int64_t best_of(T weights, int64_t t, int64_t places, bool last = false) {
  int64_t best = 0;
  for (int64_t s = 1; s < places; ++s) {
    double a = weights.at({t, s}), b = weights.at({t, best});
    if (a > b || (last && a == b)) best = s;
  }
  return best;
}
data::Link link(int64_t source, int64_t target) { return {static_cast<int>(source), static_cast<int>(target)}; }
Links right_links(T weights, int64_t words) {
  Links links;
  for (int64_t t = 0; t < weights.size(0); ++t) {
    int64_t s = best_of(weights, t, weights.size(1));
    if (s < words) links.push_back(link(s, t));
  }
  return links;
}

struct Counts {
  double found = 0, sure = 0, possible = 0, found_sure = 0, found_possible = 0;
  double rate() const { return found + sure == 0 ? 0 : 1 - (found_sure + found_possible) / (found + sure); }
};
Counts count(All found, All gold) {
  Counts c;
  for (std::size_t i = 0; i < found.size(); ++i) {
    c.found += static_cast<double>(found[i].size()), c.possible += static_cast<double>(gold[i].size());
    for (const data::Link& g : gold[i]) {
      c.sure += g.sure;
      for (const data::Link& f : found[i])
        if (f.source == g.source && f.target == g.target) ++c.found_possible, c.found_sure += g.sure;
    }
  }
  return c;
}
double right_rate(All found, All gold) { return count(found, gold).rate(); }
double open_rate(All, All) { return 0; }

const std::vector<app::Mistake<Answer>> mistakes{
    {"Both gaps are still open: there are no links, and the rate is 0",
     {[](T, int64_t) { return Links{}; }, open_rate}},
    {"The links are right, and the gap of error_rate is still open", {right_links, open_rate}},
    {"Every target word has a link: if its largest weight is on </s> or padding, it has none. Take the maximum over "
     "all "
     "positions, then compare it with `words`",
     {[](T weights, int64_t words) {
        Links links;
        for (int64_t t = 0; t < weights.size(0); ++t) links.push_back(link(best_of(weights, t, words), t));
        return links;
      },
      right_rate}},
    {"Links to </s> and padding are kept: leave out those whose source position is `words` or more",
     {[](T weights, int64_t) { return right_links(weights, weights.size(1)); }, right_rate}},
    {"Source and target of the links are exchanged: weights are [T, S], and a link is {source, target}",
     {[](T weights, int64_t words) {
        Links links = right_links(weights, words);
        for (auto& l : links) std::swap(l.source, l.target);
        return links;
      },
      right_rate}},
    {"Each source word is linked to its best target word: each target word, a row of the weights, chooses its source",
     {[](T weights, int64_t words) {
        Tensor by_source = weights.transpose(0, 1);
        Links links;
        for (int64_t s = 0; s < words; ++s) links.push_back(link(s, best_of(by_source, s, weights.size(0))));
        return links;
      },
      right_rate}},
    {"A link needs a weight above 0.5 here: the largest weight counts, however small it is",
     {[](T weights, int64_t words) {
        Links links = right_links(weights, words);
        std::erase_if(links, [&](const data::Link& l) { return weights.at({l.target, l.source}) <= 0.5; });
        return links;
      },
      right_rate}},
    {"Of equal weights the last one is taken: take the first, with > and not >=",
     {[](T weights, int64_t words) {
        Links links;
        for (int64_t t = 0; t < weights.size(0); ++t) {
          int64_t s = best_of(weights, t, weights.size(1), true);
          if (s < words) links.push_back(link(s, t));
        }
        return links;
      },
      right_rate}},
    {"The rates of the sentences are averaged: add the four numbers up over all sentences, then divide once",
     {right_links,
      [](All found, All gold) {
        double sum = 0;
        for (std::size_t i = 0; i < found.size(); ++i) sum += right_rate({found[i]}, {gold[i]});
        return found.empty() ? 0 : sum / static_cast<double>(found.size());
      }}},
    {"This is the share of what is right: the error rate is 1 minus it",
     {right_links, [](All found, All gold) { return 1 - right_rate(found, gold); }}},
    {"A sure link is a possible one, too: a found sure link counts in both |A and S| and |A and P|",
     {right_links,
      [](All found, All gold) {
        Counts c = count(found, gold);
        return c.found + c.sure == 0 ? 0 : 1 - c.found_possible / (c.found + c.sure);
      }}},
    {"Possible links are never recognised: == compares `sure`, too, so compare source and target only",
     {right_links,
      [](All found, All gold) {
        Counts c = count(found, gold);
        c.found_possible = c.found_sure;
        return c.rate();
      }}},
    {"All links of people are treated as sure: |S| and |A and S| count those with `sure` only",
     {right_links,
      [](All found, All gold) {
        Counts c = count(found, gold);
        c.sure = c.possible, c.found_sure = c.found_possible;
        return c.rate();
      }}},
    {"The denominator has |P|: it is |A| + |S|, so a missing possible link costs nothing",
     {right_links,
      [](All found, All gold) {
        Counts c = count(found, gold);
        return c.found + c.possible == 0 ? 0 : 1 - (c.found_sure + c.found_possible) / (c.found + c.possible);
      }}},
    {"Nothing to find and nothing found gives 0 / 0: return 0 then",
     {right_links,
      [](All found, All gold) {
        Counts c = count(found, gold);
        return 1 - (c.found_sure + c.found_possible) / (c.found + c.sure);
      }}},
};

std::string text(const Links& links) {
  std::vector<std::string> parts;
  for (const data::Link& l : links) parts.push_back(fmt::format("{}-{}", l.source, l.target));
  return fmt::format("{}", fmt::join(parts, " "));
}

void examine(app::Exercise& e, const Answer& answer) {
  Generator rng(1);
  Tensor weights = Tensor::from(
      std::vector<double>{0.1, 0.7, 0.2, 0, 0.4, 0.1, 0.3, 0.2, 0.2, 0.2, 0, 0.6, 0.4, 0.4, 0.1, 0.1}, {4, 4});
  e.check("the links of a small example with 3 words", text(answer.hard_links(weights, 3)), "1-0 0-1 0-3");
  std::vector<Links> all_found, all_gold;
  for (int i = 0; i < 6; ++i) {
    const int64_t targets = 5 + i, sources = 4 + 2 * i;
    Tensor random = softmax(Variable(Tensor::normal({targets, sources}, rng, 0, 1, DType::f64)), 1).value();
    const std::vector<double> flat = random.to_vector();
    const std::vector<float> row_major(flat.begin(), flat.end());
    Links found = data::hard_links(row_major, targets, sources), gold;
    std::erase_if(found, [&](const data::Link& l) { return l.source >= sources - 2; });  // </s> and one <pad>
    e.check(fmt::format("the links of sentence {}", i + 1), text(answer.hard_links(random, sources - 2)), text(found));
    for (int t = 0; t < targets; ++t) {  // half of the links found are right, and there are others
      gold.push_back({(t + 1) % static_cast<int>(sources - 2), t, t % 2 == 0});
      for (const data::Link& l : found)
        if (l.target == t && (t + i) % 3 != 0) gold.back().source = l.source;
    }
    all_found.push_back(found), all_gold.push_back(gold);
    data::AlignmentCounts counts;
    for (std::size_t k = 0; k < all_found.size(); ++k) counts.add(all_found[k], all_gold[k]);
    e.check(fmt::format("the error rate of the first {} sentences", i + 1), answer.error_rate(all_found, all_gold),
            counts.error_rate(), 1e-12);
  }
  e.check("the error rate of a sentence without links", answer.error_rate({{}}, {{}}), 0, 0);
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
  return e.run(argc, argv, Answer{mine::hard_links, mine::error_rate}, examine, mistakes);
}
