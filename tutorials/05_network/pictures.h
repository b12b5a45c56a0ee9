// The pictures of the lesson: points, the predictions of a model over the plane, losses against steps.
#pragma once

#include <fmt/format.h>

#include "tutorials/05_network/loop.h"
#include "tutorials/common/show.h"
#include "tutorials/report/report.h"

namespace heed {

inline std::string percent(double value) { return fmt::format("{:.1f} %", value); }

// The prediction of a model at each point of the picture: the probability of class 1 over [-1.15, 1.15]^2, the first
// row at the top.
inline constexpr double kReach = 1.15;
inline report::Matrix field_of(const Model& model, int64_t rows, int64_t columns) {
  NoGrad guard;
  Tensor places = Tensor::empty({rows * columns, 2});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      places.set({i * columns + j, 0},
                 kReach * (2 * (static_cast<double>(j) + 0.5) / static_cast<double>(columns) - 1));
      places.set({i * columns + j, 1}, kReach * (1 - 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(rows)));
    }
  Tensor p = softmax(model(places)).value().select(1, 1);  // [rows * columns]
  return {static_cast<size_t>(rows), static_cast<size_t>(columns), p.to_vector()};
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
inline report::ScatterPanel picture(const std::string& title, const std::string& text, const Points& points) {
  return {.title = title,
          .text = text,
          .x_label = "x",
          .y_label = "y",
          .points = drawn(points),
          .field_name = "probability of class 1",
          .x_low = -kReach,
          .x_high = kReach,
          .y_low = -kReach,
          .y_high = kReach};
}
inline void show_field(const Model& model) {
  const std::vector<std::string> none(60);
  report::Lines lines = report::heat_map(field_of(model, 24, 60), none, none, {.console = app::console()});
  lines.erase(lines.begin());  // the empty names of the columns
  app::tell("   The predicted probability of class 1 over the plane:\n\n");
  app::show(lines);
}
inline report::Series losses(const std::string& name, const History& h, const std::vector<Score>& scores) {
  report::Series s{.name = name, .x = h.steps};
  for (const Score& one : scores) s.y.push_back(one.loss);
  return s;
}

}  // namespace heed
