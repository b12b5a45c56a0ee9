#include "tests/bench/result.h"

#include <algorithm>
#include <map>

namespace bench {

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return (v[v.size() / 2] + v[(v.size() - 1) / 2]) / 2;
}

const Result::Peer* Result::best_peer() const {
  auto best = std::min_element(peers.begin(), peers.end(), [](auto& a, auto& b) { return a.seconds < b.seconds; });
  return best == peers.end() ? nullptr : &*best;
}

std::optional<bool> Result::met() const {
  bool known = false, all = true;
  if (row.goal_bytes > 0) known = true, all = held <= row.goal_bytes;
  if (row.goal_fraction > 0 && fraction() > 0) known = true, all = all && fraction() >= row.goal_fraction;
  if (goal_ratio > 0 && best_peer()) known = true, all = all && ratio() >= goal_ratio;
  return known ? std::optional(all) : std::nullopt;
}

Result medians(const std::vector<Result>& runs) {
  auto typical = [&](auto figure) {
    std::vector<double> all;
    for (const Result& r : runs) all.push_back(figure(r));
    return median(all);
  };
  Result m = runs[0];
  m.seconds = typical([](const Result& r) { return r.seconds; });
  m.scaling = typical([](const Result& r) { return r.scaling; });
  m.limit = typical([](const Result& r) { return r.limit; });
  m.held = typical([](const Result& r) { return r.held; });
  m.memory.bytes = typical([](const Result& r) { return r.memory.bytes; });
  std::map<std::pair<std::string, int>, std::vector<Result::Peer>> peers;  // one may be missing in some runs
  for (const Result& r : runs)
    for (const Result::Peer& p : r.peers) peers[{p.name, p.threads}].push_back(p);
  m.peers.clear();
  for (const auto& [name, of_runs] : peers) {
    std::vector<double> seconds;
    Result::Peer& peer = m.peers.emplace_back(of_runs[0]);
    for (const Result::Peer& p : of_runs) {
      seconds.push_back(p.seconds);
      if (p.memory.bytes > 0) peer.memory = p.memory;
    }
    peer.seconds = median(seconds);
  }
  return m;
}

}  // namespace bench
