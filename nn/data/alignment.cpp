#include "nn/data/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tensor/error.h"

namespace heed::data {
namespace {

bool before(const Link& a, const Link& b) { return a.target != b.target ? a.target < b.target : a.source < b.source; }

bool same_place(const Link& a, const Link& b) { return a.source == b.source && a.target == b.target; }

// Sorts the links and keeps one for each pair of positions; a sure link wins over a possible one.
std::vector<Link> as_set(std::span<const Link> links) {
  std::vector<Link> set(links.begin(), links.end());
  std::sort(set.begin(), set.end(),
            [](const Link& a, const Link& b) { return same_place(a, b) ? a.sure && !b.sure : before(a, b); });
  set.erase(std::unique(set.begin(), set.end(), same_place), set.end());
  return set;
}

void check_matrix(const char* operation, std::span<const float> weights, int64_t targets, int64_t sources) {
  if (targets < 0 || sources < 1 || weights.size() != static_cast<size_t>(targets * sources)) {
    throw ShapeError(fmt::format("{}: weights must hold targets x sources numbers; got {} for [{}, {}]", operation,
                                 weights.size(), targets, sources));
  }
}

}  // namespace

AlignedPair flipped(const AlignedPair& pair) {
  AlignedPair result = pair;
  std::swap(result.source, result.target);
  std::swap(result.source_content, result.target_content);
  for (Link& link : result.links) std::swap(link.source, link.target);
  std::sort(result.links.begin(), result.links.end(), before);
  return result;
}

void AlignmentCounts::add(std::span<const Link> found_links, std::span<const Link> gold) {
  std::vector<Link> a = as_set(found_links), p = as_set(gold);
  found += static_cast<int64_t>(a.size());
  sure += std::count_if(p.begin(), p.end(), [](const Link& link) { return link.sure; });
  for (const Link& link : a) {
    auto hit = std::lower_bound(p.begin(), p.end(), link, before);
    if (hit == p.end() || !same_place(*hit, link)) continue;
    ++found_possible;
    if (hit->sure) ++found_sure;
  }
}

double AlignmentCounts::error_rate() const {
  if (found + sure == 0) return 0.0;
  return 1.0 - static_cast<double>(found_sure + found_possible) / static_cast<double>(found + sure);
}

double alignment_error_rate(std::span<const Link> found, std::span<const Link> gold) {
  AlignmentCounts counts;
  counts.add(found, gold);
  return counts.error_rate();
}

std::vector<Link> hard_links(std::span<const float> weights, int64_t targets, int64_t sources) {
  check_matrix("hard_links", weights, targets, sources);
  std::vector<Link> links;
  for (int64_t t = 0; t < targets; ++t) {
    auto row = weights.begin() + t * sources;
    int64_t best = std::max_element(row, row + sources) - row;
    links.push_back({.source = static_cast<int>(best), .target = static_cast<int>(t), .sure = true});
  }
  return links;
}

std::vector<Link> content_links(std::span<const Link> links, const std::vector<bool>& target_content) {
  std::vector<Link> kept;
  for (const Link& link : links) {
    bool inside = link.target >= 0 && static_cast<size_t>(link.target) < target_content.size();
    if (inside && target_content[static_cast<size_t>(link.target)]) kept.push_back(link);
  }
  return kept;
}

double alignment_mass(std::span<const float> weights, int64_t targets, int64_t sources, const AlignedPair& pair) {
  check_matrix("alignment_mass", weights, targets, sources);
  if (std::cmp_greater(pair.target.size(), targets) || std::cmp_greater(pair.source.size(), sources)) {
    throw ShapeError(
        fmt::format("alignment_mass: the weights must cover the pair; got [{}, {}] for {} target and {} source tokens",
                    targets, sources, pair.target.size(), pair.source.size()));
  }
  std::vector<double> mass(pair.target.size(), -1.0);  // -1: no gold link
  for (const Link& link : content_links(pair.links, pair.target_content)) {
    if (std::cmp_greater_equal(link.target, mass.size()) || link.source < 0 ||
        std::cmp_greater_equal(link.source, pair.source.size()))
      throw IndexError(fmt::format(
          "alignment_mass: a link must lie inside the pair; got source {} and target {} of {} and {} tokens",
          link.source, link.target, pair.source.size(), pair.target.size()));
    double& sum = mass[static_cast<size_t>(link.target)];
    sum = std::max(sum, 0.0) + static_cast<double>(weights[static_cast<size_t>(link.target * sources + link.source)]);
  }
  double total = 0.0;
  int64_t words = 0;
  for (double sum : mass) {
    if (sum < 0.0) continue;
    total += sum;
    ++words;
  }
  return words == 0 ? 0.0 : total / static_cast<double>(words);
}

}  // namespace heed::data
