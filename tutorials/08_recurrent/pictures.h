// The pictures of the lesson.
#pragma once

#include "tutorials/08_recurrent/reader.h"
#include "tutorials/common/show.h"

namespace recurrent {

// Means of `group` consecutive values: a smoother curve.
inline std::vector<double> means_of(const std::vector<double>& values, size_t group) {
  std::vector<double> means;
  for (size_t i = 0; i + group <= values.size(); i += group) {
    double total = 0;
    for (size_t j = i; j < i + group; ++j) total += values[j];
    means.push_back(total / static_cast<double>(group));
  }
  return means;
}

// heard() of several networks: a panel of the report, and some of its numbers in the terminal.
inline void draw_heard(heed::app::Lesson& lesson, const std::string& title, const std::string& text,
                       const std::vector<Outcome>& outcomes, std::vector<double> Outcome::*which) {
  heed::report::CurvesPanel panel{.title = title,
                                  .text = text,
                                  .x_label = "distance d from the end, in steps",
                                  .y_label = "gradient, divided by that at d = 0",
                                  .log_y = true};
  constexpr size_t kShown[] = {5, 10, 20, 30, 40};
  heed::report::TablePanel table{.title = title, .header = {"cell"}};
  for (size_t d : kShown)
    if (d < (outcomes[0].*which).size()) table.header.push_back(fmt::format("d = {}", d));
  for (const Outcome& o : outcomes) {
    const std::vector<double>& heard = o.*which;
    heed::report::Series series{.name = o.name, .y = heard};
    for (size_t d = 0; d < heard.size(); ++d) series.x.push_back(static_cast<double>(d));
    panel.series.push_back(series);
    table.rows.push_back({o.name});
    for (size_t d : kShown)
      if (d < heard.size()) table.rows.back().push_back(fmt::format("{:.1e}", heard[d]));
  }
  table.text = fmt::format("{}, {}.", panel.y_label, panel.x_label);
  heed::app::show(table);
  lesson.report().curves(panel);
}

}  // namespace recurrent
