#include "nn/attention/scopes/bigbird.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace heed::nn {
namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every bit of x changes about half of all bits.
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

BigBirdScope::BigBirdScope(const ScopeOptions& o, Generator&)
    : block(o.settings.whole("block")),
      window(o.settings.whole("window")),
      global(o.settings.whole("global")),
      random(o.settings.whole("random")),
      seed(static_cast<uint64_t>(o.settings.whole("seed"))) {}

std::vector<bool> BigBirdScope::seen_by(int64_t I, int64_t blocks) const {
  std::vector<bool> seen(static_cast<size_t>(blocks));
  std::vector<std::pair<uint64_t, size_t>> others;
  for (int64_t J = 0; J < blocks; ++J) {
    auto at = static_cast<size_t>(J);
    seen[at] = std::abs(I - J) <= window || I < global || J < global;
    uint64_t row = mixed(seed ^ mixed(static_cast<uint64_t>(I)));
    if (!seen[at]) others.emplace_back(mixed(row ^ at), at);
  }
  std::sort(others.begin(), others.end());
  for (size_t n = 0; n < std::min(others.size(), static_cast<size_t>(random)); ++n) seen[others[n].second] = true;
  return seen;
}

Restriction BigBirdScope::operator()(const Variable&, const Variable&, StageContext& context) const {
  const Places& p = context.places;
  Tensor lengths = p.lengths.defined() ? p.lengths.contiguous() : Tensor();
  std::map<std::pair<int64_t, int64_t>, std::vector<bool>> drawn;  // by the number of blocks and the block of queries
  auto allows = [&](int64_t b, int64_t i, int64_t j) {
    int64_t words = lengths.defined() ? lengths.data<int64_t>()[b % lengths.size(0)] : p.first_key + p.keys;
    int64_t blocks = (words + block - 1) / block, I = i / block;
    std::vector<bool>& seen = drawn[{blocks, I}];
    if (seen.empty() && blocks > 0) seen = seen_by(I, blocks);
    return j >= 0 && j / block < blocks && seen[static_cast<size_t>(j / block)];
  };
  return pattern("bigbird", p, allows, lengths.defined() ? lengths.size(0) : 1);
}

}  // namespace heed::nn
