#include "nn/published/generate_beams.h"

#include <algorithm>
#include <cmath>

#include "tensor/thread_pool.h"

namespace heed::nn::published {
namespace {

struct Beam {
  TextSoFar text;
  double log_p = 0;
};
struct Next {  // a continuation
  double log_p;
  size_t beam;
  int64_t token;
};

// The search for one text.
struct Search {
  std::vector<Beam> live = {};      // best first
  std::vector<Written> found = {};  // best first
};

// The best `count` continuations, best first; of equals, those of the better text and of the smaller token.
std::vector<Next> best_of(const Search& s, const GenerationOptions& o, std::vector<double>* rows, size_t count) {
  auto better = [](const Next& a, const Next& b) { return a.log_p > b.log_p; };
  std::vector<Next> best;  // a heap, the worst on top
  for (size_t b = 0; b < s.live.size(); ++b) {
    std::vector<double>& log_p = rows[b];
    to_log_p(log_p);
    apply_rules(o, s.live[b].text, log_p);
    for (size_t w = 0; w < log_p.size(); ++w) {
      const double total = s.live[b].log_p + log_p[w];
      if (log_p[w] == -INFINITY || (best.size() == count && total <= best.front().log_p)) continue;
      if (best.size() == count) std::pop_heap(best.begin(), best.end(), better), best.pop_back();
      best.push_back({total, b, static_cast<int64_t>(w)});
      std::push_heap(best.begin(), best.end(), better);
    }
  }
  std::sort(best.begin(), best.end(), [](const Next& a, const Next& b) {
    return a.log_p != b.log_p ? a.log_p > b.log_p : a.beam != b.beam ? a.beam < b.beam : a.token < b.token;
  });
  return best;
}

double per_tokens(double log_p, int64_t tokens, const GenerationOptions& o) {
  return log_p / std::pow(static_cast<double>(tokens), o.length_penalty);
}

// One step of a search: which rows go on, by the number of their beam, and with which token.
std::vector<Next> step(Search& s, const GenerationOptions& o, std::vector<double>* rows) {
  const auto b = static_cast<size_t>(o.beams);
  const TextSoFar& any = s.live[0].text;
  const int64_t tokens = any.written() + 1, most = any.most;
  const std::vector<Next> best = best_of(s, o, rows, std::max<size_t>(2, 1 + o.end.size()) * b);
  std::vector<Next> on;
  const bool full = s.found.size() == b && o.early_stopping == "true";
  for (size_t i = 0; i < best.size(); ++i) {
    const bool ended = ends(o, best[i].token);
    if (!ended && tokens < most) {
      if (on.size() < b) on.push_back(best[i]);
      continue;
    }
    if (i >= b || full) continue;
    const TextSoFar& text = s.live[best[i].beam].text;
    Written one{.ids = {text.ids.begin() + static_cast<std::ptrdiff_t>(text.prompt), text.ids.end()},
                .log_probability = best[i].log_p,
                .score = per_tokens(best[i].log_p, tokens, o),
                .ended = ended};
    if (!ended) one.ids.push_back(best[i].token);
    s.found.push_back(std::move(one));
  }
  std::stable_sort(s.found.begin(), s.found.end(),
                   [](const Written& x, const Written& y) { return x.score > y.score; });
  if (s.found.size() > b) s.found.resize(b);
  if (on.empty() || s.found.size() < b) return on;
  const int64_t hoped = o.early_stopping == "never" && o.length_penalty > 0 ? most : tokens;
  if (o.early_stopping == "true" || per_tokens(on[0].log_p, hoped, o) <= s.found.back().score) on.clear();
  return on;
}

}  // namespace

std::vector<std::vector<Written>> beams(RunningTexts& running, const GenerationOptions& o, int64_t wanted) {
  std::vector<Search> all;
  for (const TextSoFar& text : running.begun) all.push_back({.live = {{text}}});
  for (std::vector<int64_t> last; std::any_of(all.begin(), all.end(), [](auto& s) { return !s.live.empty(); });) {
    std::vector<std::vector<double>> scores = running.next(last);
    std::vector<int64_t> rows;
    last.clear();
    std::vector<size_t> first(all.size() + 1);  // row of each search
    for (size_t i = 0; i < all.size(); ++i) first[i + 1] = first[i] + all[i].live.size();
    std::vector<std::vector<Next>> on(all.size());
    parallel_for(0, std::ssize(all), 1, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        if (!all[i].live.empty()) on[i] = step(all[i], o, &scores[first[i]]);
    });
    for (size_t i = 0; i < all.size(); ++i) {
      std::vector<Beam> live;
      for (const Next& one : on[i]) {
        live.push_back({all[i].live[one.beam].text, one.log_p});
        live.back().text.ids.push_back(one.token);
        rows.push_back(static_cast<int64_t>(first[i] + one.beam)), last.push_back(one.token);
      }
      all[i].live = std::move(live);
    }
    if (!rows.empty()) running.keep(rows);
  }
  std::vector<std::vector<Written>> out;
  for (Search& s : all) {
    if (s.found.size() > static_cast<size_t>(wanted)) s.found.resize(static_cast<size_t>(wanted));
    if (s.found.empty()) s.found.emplace_back();  // every token was forbidden
    out.push_back(std::move(s.found));
  }
  return out;
}

}  // namespace heed::nn::published
