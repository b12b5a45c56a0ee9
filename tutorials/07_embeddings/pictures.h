// The principal components of the vectors, and the pictures of the lesson: nearest words, a matrix of cosines, words in
// the plane.
#pragma once

#include <fmt/format.h>

#include "autograd/modes.h"
#include "tensor/random.h"
#include "tutorials/07_embeddings/neighbours.h"
#include "tutorials/common/show.h"

namespace heed {

// The first two principal components of points in D dimensions: the directions in which the points vary most.
//
//   C = X^T X / V          X [V, D] minus the mean of each column, C [D, D]
//   v <- C v / |C v|       repeated: v converges to the direction with the largest variance
//   C <- C - l v v^T       with l = v^T C v, the variance along v; then the second direction in the same way
//
// (Power iteration: R. von Mises and H. Pollaczek-Geiringer, ZAMM 9, 1929. Deflation: H. Hotelling, 1933.)
struct Projection {
  Tensor places;                 // [V, 2]
  double first = 0, second = 0;  // shares of the total variance
};
inline Projection project(const Tensor& points, int64_t iterations = 300) {  // [V, D]
  NoGrad guard;
  Variable x(points.to(DType::f64));
  x = x - mean(x, {0}, /*keep=*/true);
  auto D = x.size(1);
  Variable c = matmul(transpose(x, 0, 1), x) / static_cast<double>(x.size(0));
  double all = sum(diagonal(c)).item(), share[2] = {0, 0};
  std::vector<Variable> axes;
  Generator rng(1);  // the start does not matter unless it is orthogonal to the answer
  for (double& one : share) {
    Variable v(Tensor::uniform({D, 1}, rng, -1, 1, DType::f64));
    for (int64_t i = 0; i < iterations; ++i) {
      v = matmul(c, v);
      v = v / norm(v);
    }
    double variance = sum(v * matmul(c, v)).item();
    c = c - variance * matmul(v, transpose(v, 0, 1));
    one = variance / all;
    axes.push_back(select(matmul(x, v), 1, 0));
  }
  return {stack(axes, 1).value(), share[0], share[1]};
}

// Some words of each of six groups, without those that the table does not contain.
inline std::vector<std::pair<std::string, std::vector<std::string>>> shown_groups(const Space& space) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups{
      {"furniture", {"chair", "table", "bed", "desk", "mirror", "lamp"}},
      {"animals", {"tiger", "cat", "dog", "horse", "cow", "elephant"}},
      {"food", {"apple", "carrot", "potato", "egg", "cake", "bread"}},
      {"months", {"january", "april", "june", "august", "october", "december"}},
      {"politics", {"agreement", "treaty", "law", "area", "union", "community"}},
      {"verbs", {"eats", "reads", "buys", "sees", "sleeps", "works"}}};
  for (auto& [name, words] : groups) std::erase_if(words, [&](const std::string& word) { return !space.has(word); });
  std::erase_if(groups, [](const auto& group) { return group.second.empty(); });
  return groups;
}

inline std::string named(const Space& space, const std::string& word, int64_t count) {
  std::string out;
  for (int64_t other : space.nearest(space.at(word), count))
    out += fmt::format("{}{} {:.2f}", out.empty() ? "" : ", ", space.words[static_cast<size_t>(other)],
                       space.cosine(space.at(word), other));
  return out;
}

// The nearest words of each of these words: after training, and also before if `before` is given.
inline void show_nearest(app::Lesson& lesson, const std::string& title, const std::vector<std::string>& words,
                         const Space& space, const Space* before = nullptr) {
  report::TablePanel panel{
      .title = title, .text = "Each near word is followed by the cosine.", .header = {"word", "nearest words"}};
  if (before) panel.header = {"word", "before training", "after training"};
  for (const std::string& word : words) {
    if (!space.has(word)) {
      panel.rows.push_back({word, "not in this table"});
      continue;
    }
    panel.rows.push_back({word});
    if (before) panel.rows.back().push_back(named(*before, word, 2));
    panel.rows.back().push_back(named(space, word, 4));
  }
  app::show(lesson, panel);
}

inline void show_cosines(app::Lesson& lesson, const std::string& title, const Space& space) {
  std::vector<std::string> words;
  for (const auto& [name, members] : shown_groups(space))
    if (name == "furniture" || name == "animals" || name == "food")
      words.insert(words.end(), members.begin(), members.begin() + std::min<int64_t>(5, std::ssize(members)));
  report::Matrix m(words.size(), words.size(), std::vector<double>(words.size() * words.size()));
  for (size_t i = 0; i < words.size(); ++i)
    for (size_t j = 0; j < words.size(); ++j) m.values[i * words.size() + j] = space.cosine(words[i], words[j]);
  report::Matrix positive = m;  // the scale of the terminal begins at 0
  for (double& value : positive.values) value = std::max(value, 0.0);
  app::show(report::heat_map(positive, words, words, {.console = app::console()}));
  lesson.report().heat(
      {.title = title,
       .text = "The cosine of each pair of words. Furniture, animals and food form three blocks on the diagonal.",
       .rows = words,
       .columns = words,
       .matrix = m,
       .low = -1,
       .high = 1});
}

// Returns the share of the variance that the plane keeps, in %.
inline double show_plane(app::Lesson& lesson, const std::string& title, const std::string& text, const Space& space) {
  auto groups = shown_groups(space);
  std::vector<std::string> all;
  for (const auto& group : groups) all.insert(all.end(), group.second.begin(), group.second.end());
  if (all.size() < 3) return 100;  // the file contains hardly any of these words
  Projection plane = project(space.unit_vectors(all));
  report::ScatterPanel panel{
      .title = title, .text = text, .x_label = "first principal component", .y_label = "second principal component"};
  panel.x_low = panel.y_low = 2, panel.x_high = panel.y_high = -2;
  int64_t at = 0;
  for (const auto& [name, words] : groups) {
    report::PointSet set{.name = name, .labels = words};
    for (size_t i = 0; i < words.size(); ++i, ++at) {
      double x = plane.places.at({at, 0}), y = plane.places.at({at, 1});
      set.x.push_back(x), set.y.push_back(y);
      panel.x_low = std::min(panel.x_low, x - 0.15), panel.x_high = std::max(panel.x_high, x + 0.15);
      panel.y_low = std::min(panel.y_low, y - 0.15), panel.y_high = std::max(panel.y_high, y + 0.15);
    }
    panel.points.push_back(set);
  }
  lesson.report().scatter(panel);
  return 100 * (plane.first + plane.second);
}

}  // namespace heed
