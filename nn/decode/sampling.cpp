#include "nn/decode/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/text/vocabulary.h"
#include "tensor/error.h"

namespace heed::nn {

void require_sampling(const SampleOptions& o) {
  if (!(o.temperature > 0) || std::isinf(o.temperature))
    throw ValueError(fmt::format("sample: the temperature must be positive and finite; got {}", o.temperature));
  if (o.top_k < 0) throw ValueError(fmt::format("sample: top_k must not be negative; got {}", o.top_k));
  if (!(o.top_p > 0 && o.top_p <= 1))
    throw ValueError(fmt::format("sample: top_p must lie in (0, 1]; got {}", o.top_p));
  if (!(o.min_p >= 0 && o.min_p <= 1))
    throw ValueError(fmt::format("sample: min_p must lie in [0, 1]; got {}", o.min_p));
}

int64_t draw_word(std::vector<std::pair<double, int64_t>>& words, const SampleOptions& o, Generator& stream) {
  std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (o.top_k > 0) words.resize(std::min(words.size(), static_cast<size_t>(o.top_k)));
  double total = 0, largest = words[0].first;
  for (auto& [p, w] : words)  // from here on p is a probability, up to a factor
    total += p = std::exp((p - largest) / o.temperature);
  auto keep_first = [&](size_t n) {
    words.resize(n), total = 0;
    for (const auto& one : words) total += one.first;
  };
  if (o.top_p < 1) {
    double kept = 0;
    size_t n = 0;
    while (n < words.size() && kept < o.top_p * total) kept += words[n++].first;
    keep_first(n);
  }
  if (o.min_p > 0) {  // the largest is 1 here
    size_t n = 1;
    while (n < words.size() && words[n].first >= o.min_p) ++n;
    keep_first(n);
  }
  // The cumulative sum adds the same numbers in the same order, so it ends at `total`, which is above `drawn`. A word
  // of probability 0 does not raise the sum and is never returned.
  double drawn = stream.uniform() * total, cumulative = 0;
  for (const auto& [p, w] : words)
    if ((cumulative += p) > drawn) return w;
  return words.front().second;
}

std::vector<Hypothesis> sample(SearchModel& model, const SampleOptions& o, Generator& rng) {
  require_sampling(o);
  std::vector<Generator> streams;
  uint64_t seed = rng.next_u32();
  for (int64_t r = 0; r < model.rows(); ++r) streams.emplace_back(philox(seed, static_cast<uint64_t>(r))[0]);
  SearchOptions limits{.max_lengths = o.max_lengths,
                       .length_penalty = 0,
                       .allow_unknown = o.allow_unknown,
                       .constraints = o.constraints};
  return write_word_by_word("sample", model, limits, [&](const double* log_p, int64_t V, size_t hypothesis) {
    std::vector<std::pair<double, int64_t>> words;  // log p and word
    for (int64_t w = 0; w < V; ++w)
      if (may_write(w, limits) && std::isfinite(log_p[w])) words.emplace_back(log_p[w], w);
    if (words.empty()) return int64_t{text::Vocabulary::stop};
    return draw_word(words, o, streams[hypothesis]);
  });
}

}  // namespace heed::nn
