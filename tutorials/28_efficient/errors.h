// The control of all savings: is the result still that of dense attention on the same inputs?
//
//   exact ways         largest difference of a number: rounding only
//   approximate ways   |c - c_dense| / |c_dense| over all words, beside the mean of all values
//
// The projections are the same for all. Linear attention and Linformer are normally trained from the start, so an error
// here does not say that a model trained with them is worse: it says that they are other functions.
#pragma once

#include <fmt/format.h>

#include "tutorials/28_efficient/ways.h"
#include "tutorials/common/show.h"

namespace efficient {

struct Errors {
  double tiled = 0, exact = 0;          // largest difference of tiled, and of all exact ways
  double least = HUGE_VAL, linear = 0;  // relative error on sharp inputs: the smallest, and that of linear
  double window_sharp = 0, window_local = 0;
  std::vector<std::string> names;
};

inline Errors the_errors(heed::app::Lesson& lesson, double sharp, const Sizes& s, int64_t T) {
  heed::app::heading(fmt::format("1  The same function? Results compared with dense attention, {} words", T));
  Errors e;
  heed::report::TablePanel same{.title = "Exact: largest difference from dense attention",
                                .text = "Largest difference of a number of the result, f32.",
                                .header = {"way"}};
  heed::report::TablePanel error{
      .title = "Error against dense attention",
      .text =
          "Length of the difference divided by the length of the result of dense attention; "
          "0 is the same, 1 is as far away as a result of zeros. The last row is the mean of "
          "all values, the same for every word: what is no better does not attend.",
      .header = {"way"}};
  heed::report::BarsPanel bars{
      .title = "Error against dense attention, by the kind of input",
      .text =
          "The mean of all values is what a layer without any attention would give. Linformer is left out: with random "
          "mixtures its error is several times as large as all others.",
      .x_label = "way",
      .y_label = "relative error"};
  std::vector<Inputs> kinds = three_inputs(sharp);
  for (const Inputs& kind : kinds) same.header.push_back(kind.name), error.header.push_back(kind.name);
  for (const Inputs& kind : kinds) {
    const Words w = draw(kind, T, s.width, lesson.seed());
    const Tensor dense = attention(w, {.name = "dense"})(w.x);
    size_t row = 0, exact_row = 0;
    heed::report::BarSeries series{kind.name};
    auto put = [](heed::report::TablePanel& table, size_t at, const std::string& name, const std::string& text) {
      if (table.rows.size() <= at) table.rows.push_back({name});
      table.rows[at].push_back(text);
    };
    for (const Way& way : all_ways(s, kind.beta)) {
      const Tensor result = way.make(w)(w.x);
      if (way.same_function) {
        const double apart = largest_difference(result, dense);
        if (way.name != "dense") put(same, exact_row++, way.name, fmt::format("{:.1e}", apart));
        e.exact = std::max(e.exact, apart);
        if (way.name == "tiled") e.tiled = std::max(e.tiled, apart);
        continue;
      }
      const double off = relative_error(result, way.exact ? way.exact(w)(w.x) : dense);
      put(error, row++, way.name, fmt::format("{:.3f}", off));
      const bool drawn = way.name != "linformer";  // untrained, its bar would dwarf all others
      if (drawn) series.values.push_back(off);
      if (drawn && kind.name == "flat") bars.labels.push_back(way.name);
      if (kind.name == "sharp") e.least = std::min(e.least, off);
      if (kind.name == "sharp" && way.name == "linear") e.linear = off;
      if (way.name == "window") (kind.local ? e.window_local : e.window_sharp) = off;
    }
    const double mean = relative_error(mean_of_values(w), dense);
    put(error, row, "mean of all values", fmt::format("{:.3f}", mean));
    series.values.push_back(mean);
    if (kind.name == "flat") bars.labels.push_back("mean of all values");
    bars.series.push_back(series);
  }
  heed::app::show(lesson, same);
  fmt::print("\n");
  heed::app::show(lesson, error);
  lesson.report().bars(bars);
  return e;
}

}  // namespace efficient
