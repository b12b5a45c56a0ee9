// The contest of lesson 12: one vector, attention, and a fake, on several seeds; correct positions by length.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "nn/models/bahdanau.h"
#include "nn/models/fixed_vector.h"
#include "tutorials/common/copy_contest.h"

namespace bahdanau {

namespace app = heed::app;
namespace data = heed::data;
namespace nn = heed::nn;

constexpr data::Range kLong{20, 24};
inline const std::vector<int64_t> kLengths{4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 40};

// One kind of model, several seeds.
struct Entry {
  std::string name;
  std::vector<app::TrainedCopier> copiers;  // [seed]
  std::vector<std::vector<double>> right;   // [seed][length], %
  const nn::Bahdanau& looker(size_t seed) const { return dynamic_cast<const nn::Bahdanau&>(*copiers[seed].model); }
  double late(size_t seed) const { return app::mean_right(right[seed], kLengths, kLong); }
  std::vector<double> over_seeds(const std::function<double(const std::vector<double>&)>& f) const {
    std::vector<double> out;
    for (size_t i = 0; i < kLengths.size(); ++i) {
      std::vector<double> at;
      for (const auto& one : right) at.push_back(one[i]);
      out.push_back(f(at));
    }
    return out;
  }
};
inline std::string seeds_of(const Entry& e) {
  return e.right.size() == 1 ? "1 seed" : fmt::format("{} seeds", e.right.size());
}
inline double least(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
inline double most(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }
inline double middle(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Kind {
  std::string name;
  nn::AnyPaper paper;
};
inline std::vector<Kind> kinds(int64_t hidden, int64_t embedding) {
  auto vector = app::copier_options<nn::Cho>(hidden);
  auto attention = app::copier_options<nn::Bahdanau>(hidden);
  for (nn::WordOptions* o : {&vector.source, &vector.target, &attention.source, &attention.target})
    o->width = embedding;
  auto fake = attention;
  fake.attention.score = {.name = "location", .settings = {{"max_source", 64}}};
  return {{"one vector", nn::paper_of<nn::Cho>(vector)},
          {"attention", nn::paper_of<nn::Bahdanau>(attention)},
          {"the fake", nn::paper_of<nn::Bahdanau>(fake)}};
}

// The seeds are first.seed, first.seed + 1, ..; the fake is trained with the first one only.
inline std::vector<Entry> hold_contest(const app::CopyTraining& first, int64_t hidden, uint64_t seeds) {
  std::vector<Entry> entries;
  for (const auto& [name, paper] : kinds(hidden, 16)) {
    Entry e{name, {}, {}};
    for (uint64_t i = 0; i < (name == "the fake" ? 1 : seeds); ++i) {
      app::CopyTraining t = first;
      t.seed = first.seed + i;
      e.copiers.push_back(app::learn_to_copy(fmt::format("{}, seed {}", name, t.seed), paper, t));
      e.right.push_back(app::right_by_length(*e.copiers.back().model, kLengths, t, 100));
    }
    entries.push_back(std::move(e));
  }
  return entries;
}

}  // namespace bahdanau
