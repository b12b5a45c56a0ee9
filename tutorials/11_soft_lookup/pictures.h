// The pictures of the lesson.
#pragma once

#include "tutorials/11_soft_lookup/learn.h"
#include "tutorials/11_soft_lookup/smooth.h"
#include "tutorials/common/show.h"

namespace lookup {

// "apple 9.98, 1.00; banana .."
inline std::string answers_text(const Tensor& answers) {
  const char* words[] = {"apple", "banana", "chair", "fruit"};
  std::string text;
  for (int64_t i = 0; i < answers.size(0); ++i) {
    text += fmt::format("{}{}", i ? "; " : "", words[i]);
    for (int64_t d = 0; d < answers.size(1); ++d) text += fmt::format("{}{:.2f}", d ? ", " : " ", answers.at({i, d}));
  }
  return text;
}

// learned: with one number, with two, and almost hard.
inline void draw_learning(heed::app::Lesson& lesson, const std::vector<Learned>& learned) {
  const char* names[] = {"one number", "two numbers", "t = 0.01"};
  heed::report::CurvesPanel curves{.title = "Fruit while the vectors are learned",
                                   .text = "Start 1. Wanted: 8.",
                                   .x_label = "step",
                                   .y_label = "fruit gives"};
  for (size_t i = 0; i < learned.size(); ++i) curves.series.push_back({.name = names[i], .y = learned[i].last_word});
  lesson.report().curves(curves);
  heed::report::HeatPanel heat{.title = "Who answers, two numbers a word",
                               .text = "The weights of start 1. Apple, banana and chair ask for themselves.",
                               .row_title = "question",
                               .column_title = "key",
                               .rows = {"apple", "banana", "chair", "fruit"},
                               .columns = {"apple", "banana", "chair"},
                               .matrix = heed::app::matrix_of(learned[1].weights),
                               .low = 0,
                               .high = 1};
  lesson.report().heat(heat);
  heed::app::show(heed::report::heat_map(heat.matrix, heat.rows, heat.columns,
                                         {.console = heed::app::console(), .numbers = true, .legend = false}));
}

struct Widths {
  double narrow, chosen, wide;
};
inline void draw_curve(heed::app::Lesson& lesson, const Points& points, const Points& real, const Widths& w) {
  heed::report::ScatterPanel scatter{.title = "A curve from noisy points",
                                     .text = "The curve is sin 2x + x/2. It is drawn dot by dot, as are the answers.",
                                     .x_label = "x",
                                     .y_label = "y",
                                     .points = {{"points", points.x.to_vector(), points.y.to_vector()},
                                                {"the curve", real.x.to_vector(), real.y.to_vector()}},
                                     .x_low = 0,
                                     .x_high = 5,
                                     .y_low = -1,
                                     .y_high = 4};
  std::vector<heed::report::HeatPanel> heat;
  std::vector<heed::report::Curve> drawn{{"the curve", real.y.to_vector()}};
  for (auto [name, width] : {std::pair{"too narrow", w.narrow}, {"chosen", w.chosen}, {"too wide", w.wide}}) {
    std::string label = fmt::format("{}, s = {:g}", name, width);
    Answer answer = smooth(real.x, points, width);
    std::vector<double> y = answer.values.value().to_vector();
    scatter.points.push_back({label, real.x.to_vector(), y});
    if (width != w.narrow) drawn.push_back({label, y});
    Tensor weights = answer.weights.value();
    std::vector<std::string> places;
    for (int64_t i = 0; i < real.x.count(); i += 8) places.push_back(fmt::format("{:.1f}", real.x.at({i})));
    heat.push_back({.title = "Who answers: " + label,
                    .text = "Rows: places x from 0 to 5. Columns: the points, from left to right.",
                    .row_title = "x",
                    .column_title = "point",
                    .rows = places,
                    .matrix = heed::app::matrix_of(weights.slice(0, 0, weights.size(0), 8))});
  }
  heed::app::show(heed::report::plot(drawn, {.console = heed::app::console(), .first = "x = 0", .last = "5"}));
  lesson.report().scatter(scatter);
  for (const heed::report::HeatPanel& panel : heat) lesson.report().heat(panel);
}

inline void draw_widths(heed::app::Lesson& lesson, const Width& others, const Width& itself) {
  lesson.report().curves(
      {.title = "The width, learned",
       .text = "Asked of the others the kernel finds a width. With itself among the keys each point is "
               "best answered by itself, and the width goes to 0.",
       .x_label = "step",
       .y_label = "width s",
       .series = {{.name = "of the others", .y = others.widths}, {.name = "itself too", .y = itself.widths}},
       .log_y = true});
}

}  // namespace lookup
