#include "tests/published/skip_gram.h"

#include <algorithm>
#include <cmath>

namespace heed::published {
namespace {

// Words by count^(3/4), as a table that a random number points into.
std::vector<int64_t> noise_table(const std::vector<double>& counts) {
  constexpr size_t kSize = 1 << 20;
  double total = 0, reached = 0;
  for (double c : counts) total += std::pow(c, 0.75);
  std::vector<int64_t> table;
  for (size_t w = 0; w < counts.size(); ++w) {
    reached += std::pow(counts[w], 0.75);
    while (static_cast<double>(table.size()) < reached / total * kSize) table.push_back(static_cast<int64_t>(w));
  }
  return table;
}

}  // namespace

Tensor learn_word_vectors(const std::vector<const std::vector<int64_t>*>& sentences, const WordVectorOptions& o,
                          Generator& rng) {
  std::vector<double> counts(static_cast<size_t>(o.vocabulary));
  double words = 0;
  for (const auto* s : sentences)
    for (int64_t w : *s) ++counts[static_cast<size_t>(w)], ++words;
  std::vector<int64_t> noise = noise_table(counts);
  Tensor centre = Tensor::empty({o.vocabulary, o.width}), context = Tensor::zeros({o.vocabulary, o.width});
  for (int64_t i = 0; i < centre.count(); ++i)
    centre.data<float>()[i] = static_cast<float>((rng.uniform() - 0.5) / static_cast<double>(o.width));
  std::vector<float> step(static_cast<size_t>(o.width));
  double seen = 0, all = words * static_cast<double>(o.epochs);
  for (int64_t epoch = 0; epoch < o.epochs; ++epoch)
    for (const auto* sentence : sentences) {
      std::vector<int64_t> kept;  // a word w is left out with probability 1 - sqrt(often / share(w)) (eq. 5)
      for (int64_t w : *sentence)
        if (rng.uniform() < std::sqrt(o.often * words / counts[static_cast<size_t>(w)])) kept.push_back(w);
      auto rate = static_cast<float>(o.rate * std::max(1 - seen / all, 1e-4));
      seen += static_cast<double>(sentence->size());
      for (int64_t i = 0, n = std::ssize(kept); i < n; ++i) {
        int64_t reach = 1 + rng.below(o.window);  // near words more often
        for (int64_t j = std::max<int64_t>(0, i - reach); j < std::min(n, i + reach + 1); ++j) {
          if (j == i) continue;
          float* v = centre.data<float>() + kept[static_cast<size_t>(i)] * o.width;
          std::fill(step.begin(), step.end(), 0.0F);
          for (int64_t k = 0; k <= o.negatives; ++k) {
            int64_t other =
                k == 0 ? kept[static_cast<size_t>(j)] : noise[static_cast<size_t>(rng.next_u32()) % noise.size()];
            if (k > 0 && other == kept[static_cast<size_t>(j)]) continue;
            float* u = context.data<float>() + other * o.width;
            float product = 0;
            for (int64_t d = 0; d < o.width; ++d) product += u[d] * v[d];
            float error = rate * ((k == 0 ? 1.0F : 0.0F) - 1 / (1 + std::exp(-product)));
            for (int64_t d = 0; d < o.width; ++d) {
              step[static_cast<size_t>(d)] += error * u[d];
              u[d] += error * v[d];
            }
          }
          for (int64_t d = 0; d < o.width; ++d) v[d] += step[static_cast<size_t>(d)];
        }
      }
    }
  return centre;
}

}  // namespace heed::published
