// Which keys a score of low rank can find: e_ts = (V q_t) . (U k_s), V and U [R, d]. (Kim et al., ICLR 2017.)
//
// With R = 1 both factors are numbers, e_ts = a_t b_s: if a_t > 0, the largest b wins; if a_t < 0, the smallest. So
// only two of n keys can be found. With R = 2 the factors are points of a plane, and n points on a circle can each be
// the farthest in their own direction.
#pragma once

#include <set>

#include "nn/attention/scores/reduced_rank.h"
#include "tutorials/14_scores/reader.h"
#include "tutorials/common/show.h"

namespace scores {

// The number of keys that have the largest score for at least one query: the maximum over the batch. scores [B, T, S]
inline int64_t winners(const Tensor& scores) {
  Tensor best = argmax(scores, 2);  // [B, T]
  size_t most = 0;
  for (int64_t b = 0; b < best.size(0); ++b) {
    std::set<int64_t> places;
    for (double place : best.select(0, b).to_vector()) places.insert(static_cast<int64_t>(place));
    most = std::max(most, places.size());
  }
  return static_cast<int64_t>(most);
}

// Each of n points is used as the query for itself, with the dot product: how many have the largest score? points [n,
// R]
inline int64_t found(const Tensor& points) {
  Tensor best = argmax(matmul(points, points.transpose(0, 1)), 1);
  int64_t own = 0;
  for (int64_t s = 0; s < points.size(0); ++s) own += best.at({s}) == static_cast<double>(s);
  return own;
}
inline std::vector<double> angles(int64_t n) {
  std::vector<double> out;
  for (int64_t s = 0; s < n; ++s) out.push_back(2 * std::acos(-1.0) * static_cast<double>(s) / static_cast<double>(n));
  return out;
}
inline int64_t found_on_circle(int64_t n) {
  std::vector<double> points;
  for (double angle : angles(n)) points.insert(points.end(), {std::cos(angle), std::sin(angle)});
  return found(Tensor::from(points, {n, 2}));
}
inline int64_t found_on_line(int64_t n) {  // the first coordinates of the same points
  std::vector<double> points;
  for (double angle : angles(n)) points.push_back(std::cos(angle));
  return found(Tensor::from(points, {n, 1}));
}

// Draws where a score of rank 2 puts the 16 keys of the bank, and the queries that ask for them.
inline void draw_plane(heed::app::Lesson& lesson, const Reader& reader, const Task& task) {
  const auto& score = dynamic_cast<const nn::ReducedRankScore&>(*reader.score);
  Tensor asked = matmul(task.bank, task.rotation.transpose(0, 1));
  Tensor keys = score.key(task.bank).value(), queries = score.query(asked).value();  // [S, 2]
  // Scaling U k up and V q down by the same factor changes no score, so both are drawn at the same size.
  heed::report::ScatterPanel panel{
      .title = "Sixteen keys in a plane",
      .text =
          "A trained score of rank 2: `U k` of each key and `V q` of the query that asks for it, each set divided by "
          "its largest length. The key that lies farthest in the direction of a query wins.",
      .x_label = "first coordinate",
      .y_label = "second coordinate",
      .x_low = -1.1,
      .x_high = 1.1,
      .y_low = -1.1,
      .y_high = 1.1};
  for (const auto& [name, points] : {std::pair{"keys", keys}, {"queries", queries}}) {
    double longest = std::sqrt(amax(sum(square(points), {1})).item());
    heed::report::PointSet set{.name = name};
    for (int64_t s = 0; s < points.size(0); ++s) {
      set.x.push_back(points.at({s, 0}) / longest);
      set.y.push_back(points.at({s, 1}) / longest);
    }
    panel.points.push_back(set);
  }
  lesson.report().scatter(panel);
}

}  // namespace scores
