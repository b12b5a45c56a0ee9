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

BigBirdScope::BigBirdScope(const ScopeOptions& o, Generator&) : settings(o.settings.as<Settings>()) {}

std::vector<bool> BigBirdScope::seen_by(int64_t I, int64_t blocks) const {
  std::vector<bool> seen(static_cast<size_t>(blocks));
  std::vector<std::pair<uint64_t, size_t>> others;
  for (int64_t J = 0; J < blocks; ++J) {
    auto at = static_cast<size_t>(J);
    seen[at] = std::abs(I - J) <= settings.window || I < settings.global || J < settings.global;
    uint64_t row = mixed(static_cast<uint64_t>(settings.seed) ^ mixed(static_cast<uint64_t>(I)));
    if (!seen[at]) others.emplace_back(mixed(row ^ at), at);
  }
  std::sort(others.begin(), others.end());
  for (size_t n = 0; n < std::min(others.size(), static_cast<size_t>(settings.random)); ++n)
    seen[others[n].second] = true;
  return seen;
}

Restriction BigBirdScope::operator()(const Variable&, const Variable&, StageContext& context) const {
  const Places& p = context.places;
  const int64_t l = settings.block;
  Tensor lengths = p.lengths.defined() ? p.lengths.contiguous() : Tensor();
  std::map<std::pair<int64_t, int64_t>, std::vector<bool>> drawn;  // by the number of blocks and the block of queries
  auto allows = [&](int64_t b, int64_t i, int64_t j) {
    int64_t words = lengths.defined() ? lengths.data<int64_t>()[b % lengths.size(0)] : p.first_key + p.keys;
    int64_t blocks = (words + l - 1) / l, I = i / l;
    std::vector<bool>& seen = drawn[{blocks, I}];
    if (seen.empty() && blocks > 0) seen = seen_by(I, blocks);
    return j >= 0 && j / l < blocks && seen[static_cast<size_t>(j / l)];
  };
  return pattern("bigbird", p, allows, lengths.defined() ? lengths.size(0) : 1);
}

}  // namespace heed::nn
