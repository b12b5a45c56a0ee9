// Two spirals that wind around each other, so that no straight line separates them.
//
//   class c in {0, 1}, s in [0, 1]:   angle a = 2 pi turns s + pi c,   radius r = 0.1 + 0.9 s
//   the point: (r cos a, r sin a) plus noise                           x [N, 2] f32, y [N] i64
//
// After K. Lang and M. Witbrock, "Learning to tell two spirals apart", 1988 (three turns, 194 points, no noise).
#pragma once

#include <cmath>

#include "nn/module.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"
#include "tutorials/report/report.h"

namespace heed {

struct Points {
  Tensor x, y;  // [N, 2] f32, [N] i64
  int64_t count() const { return y.size(0); }
};

struct SpiralOptions {
  double turns = 2, noise = 0.02;
};
inline Points spiral(int64_t count, const SpiralOptions& o, Generator& rng) {
  Points p{Tensor::empty({count, 2}), Tensor::empty({count}, DType::i64)};
  for (int64_t i = 0; i < count; ++i) {
    double s = rng.uniform(), c = static_cast<double>(i % 2);
    double a = 2 * M_PI * o.turns * s + M_PI * c, r = 0.1 + 0.9 * s;
    p.x.set({i, 0}, r * std::cos(a) + o.noise * rng.normal());
    p.x.set({i, 1}, r * std::sin(a) + o.noise * rng.normal());
    p.y.set({i}, c);
  }
  return p;
}

inline Points pick(const Points& from, const std::vector<int64_t>& which) {
  Tensor at = Tensor::from(which, {std::ssize(which)});
  return {index_select(from.x, at), index_select(from.y, at)};
}

inline std::vector<report::PointSet> drawn(const Points& p) {
  std::vector<report::PointSet> sets{{"class 0"}, {"class 1"}};
  for (int64_t i = 0; i < p.count(); ++i) {
    report::PointSet& set = sets[static_cast<size_t>(p.y.at({i}))];
    set.x.push_back(p.x.at({i, 0}));
    set.y.push_back(p.x.at({i, 1}));
  }
  return sets;
}

}  // namespace heed
