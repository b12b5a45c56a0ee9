// Parts 1 to 3 of the lesson: the mixers that are compared, the places that they read, their multiply-adds, and shifted
// windows without a mask.
#pragma once

#include <fmt/format.h>

#include "tutorials/28_efficient/cost.h"
#include "tutorials/33_pictures/maps.h"
#include "tutorials/33_pictures/rolled.h"

namespace pictures {

using app::heading, app::show;

inline const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {"each place alone", "neighbourhood:window=1", "neighbourhood:window=1"},
      {"windows, never shifted", "shifted_window:window=4", "shifted_window:window=4", false},
      {"shifted windows", "shifted_window:window=4", "shifted_window:window=4"},
      {"Swin V2", "swin_v2:window=4,hidden=32", "swin_v2:window=4,hidden=32"},
      {"windows, then grid", "shifted_window:window=4", "grid:grid=4"},
      {"neighbourhood", "neighbourhood:window=3", "neighbourhood:window=3"},
      {"stripes", "cross_stripes:stripe=2", "cross_stripes:stripe=2"},
      {"criss-cross", "criss_cross:passes=1", "criss_cross:passes=1"},
      {"focal", "focal:window=4,ring=1,reach=1", "focal:window=4,ring=1,reach=1"},
      {"outlook", "outlook", "outlook"},
      {"deformable", "deformable", "deformable"},
      {"lambda layer", "lambda_layer:inner=8,reach=2", "lambda_layer:inner=8,reach=2"},
      {"non-local", "non_local", "non_local"},
      {"one window for all", "grid:grid=64", "grid:grid=64"},  // up to 64 x 64 places: they are 1 apart
      {"global context", "global_context:reduction=4", "global_context:reduction=4"},
      {"ECA", "eca", "eca"},
      {"CBAM", "cbam", "cbam"},
      {"coordinate", "coordinate", "coordinate"},
      // Controls, each next to a line above.
      {"shifted, no mask", "shifted_window:window=4", "shifted_window:window=4"},
      {"deformable, fixed points", "deformable", "deformable"},
      {"global context, r = 16", "global_context", "global_context"},
      {"neighbourhood + positions", "neighbourhood:window=3", "neighbourhood:window=3", true, true},
      {"global context + positions", "global_context:reduction=4", "global_context:reduction=4", true, true},
  };
  return all;
}
inline const std::vector<std::string> kQuick{"shifted windows", "windows, then grid", "criss-cross", "global context",
                                             "shifted, no mask"};
// Ways whose maps are those of another one, or of gates.
inline const std::vector<std::string> kShownAlike{"Swin V2", "deformable, fixed points", "neighbourhood + positions",
                                                  "coordinate"};
inline constexpr const char *kOpen = "shifted, no mask", *kFixed = "deformable, fixed points";

inline std::string percent(double value) { return fmt::format("{:.1f} %", 100 * value); }

// The window mixer of layer 1 as the paper's program computes it, with the same parameters.
inline std::unique_ptr<RolledWindow> rolled(nn::Mixer& from, const nn::StageOptions& options, bool masked) {
  Generator rng(1);
  auto to = std::make_unique<RolledWindow>(options, masked, rng);
  std::vector<Variable> old = nn::parameters(from), made = nn::parameters(*to);
  nn::convert(*to, old[0].dtype());
  for (size_t i = 0; i < old.size(); ++i) made[i].set_value(old[i].value());
  return to;
}

// ---- 1  reads -------------------------------------------------------------------------------------------------------
struct Result {
  Way way;
  std::vector<Reads> reads;
  double where = 0, everywhere = 0, most = 1;  // shares of right answers; the most that `everywhere` allows
};
struct Results {
  std::vector<Result> all;
  const Result& of(const std::string& name) const {
    return *std::ranges::find_if(all, [&](const Result& r) { return r.way.name == name; });
  }
};

inline std::vector<Reads> reads_without_mask(const Way& way, const Size& size) {
  Generator rng(1);
  const auto first = open_mixer(layer_of(way, 0, size), rng), second = open_mixer(layer_of(way, 1, size), rng);
  const auto open = rolled(*second, layer_of(way, 1, size), false);
  return {reads_of({first.get()}, size), reads_of({first.get(), open.get()}, size)};
}

inline void the_reads(app::Lesson& lesson, const Results& results, const Size& size) {
  heading(fmt::format("1  Reads: {} x {} places", size.rows, size.columns));
  report::TablePanel table{
      .title = "Places that a place reads",
      .text =
          "Number of places, itself included; the fewest and the most over all places. Deformable attention: before "
          "training.",
      .header = {"two layers of", "one layer", "two layers"}};
  auto range = [](const Extent& e) {
    return e.least == e.most ? std::to_string(e.least) : fmt::format("{} to {}", e.least, e.most);
  };
  report::PicturePanel panel{.title = "Which places does a place read?",
                             .text =
                                 "Choose a place, R. Weight 1: the first layer reads it. Weight 0.5: only both layers "
                                 "together do. Hatched: not even they.",
                             .columns = static_cast<size_t>(size.columns)};
  const int64_t R = size.rows, C = size.columns;
  for (auto [row, column] : {std::pair{R / 2 - 1, C / 2}, {int64_t{0}, int64_t{0}}, {R / 2, C - 1}, {R - 1, C / 3}}) {
    const int64_t t = row * C + column;
    report::PictureReading reading{.name = fmt::format("row {}, column {}", row + 1, column + 1), .cells = {}};
    reading.cells.resize(static_cast<size_t>(R * C));
    reading.cells[static_cast<size_t>(t)] = "reader";
    for (const Result& r : results.all) {
      const Extent one = extent_of(r.reads[0]);
      if (std::ranges::count(kShownAlike, r.way.name) > 0 || one.most == 1 || one.least == R * C) continue;
      reading.words.push_back(r.way.name);
      for (double x : map_of(r.reads, static_cast<size_t>(t))) reading.weights.values.push_back(x);
    }
    reading.weights.rows = reading.words.size(), reading.weights.columns = static_cast<size_t>(R * C);
    panel.readings.push_back(reading);
  }
  for (const Result& r : results.all)
    if (!r.way.positions && r.way.name != kFixed)
      table.rows.push_back({r.way.name, range(extent_of(r.reads[0])), range(extent_of(r.reads[1]))});
  print_reading(panel.readings[0], size);
  app::tell("\n");
  show(lesson, table);
  lesson.report().picture(panel);
}

// ---- 2  cost --------------------------------------------------------------------------------------------------------
struct Slopes {
  double windows = 0, criss_cross = 0, full = 0;  // the largest of windows, neighbourhood and grid
};
inline Slopes the_cost(app::Lesson& lesson) {
  heading("2  Cost: multiply-adds of one layer, as the picture grows");
  std::vector<int64_t> sides = lesson.quick() ? std::vector<int64_t>{8, 16, 32} : std::vector<int64_t>{16, 32, 64};
  const std::string last = fmt::format("{} x {}", sides[2], sides[2]);
  report::TablePanel table{.title = "Multiply-adds of one layer",
                           .text = "Millions, projections included. Slope: the power of the number of places.",
                           .header = {"layer", fmt::format("{} x {}", sides[0], sides[0]), last, "slope"}};
  report::CurvesPanel curves{.title = "Multiply-adds by the number of places",
                             .x_label = "places",
                             .y_label = "multiply-adds, millions",
                             .log_x = true,
                             .log_y = true};
  Slopes s;
  for (const char* name : {"one window for all", "criss-cross", "stripes", "shifted windows", "windows, then grid",
                           "neighbourhood", "global context"}) {
    const Way& way = *std::ranges::find_if(ways(), [&](const Way& w) { return w.name == name; });
    report::Series series{.name = way.name == "windows, then grid" ? "grid" : way.name};
    for (int64_t side : sides) {
      series.x.push_back(static_cast<double>(side * side));
      series.y.push_back(products_of(way.second, side) / 1e6);
    }
    const double slope = efficient::slope(series.x, series.y);
    if (way.name == "one window for all")
      s.full = slope;
    else if (way.name == "criss-cross")
      s.criss_cross = slope;
    else if (way.name != "stripes")
      s.windows = std::max(s.windows, slope);
    table.rows.push_back({series.name, fmt::format("{:.3g}", series.y.front()), fmt::format("{:.3g}", series.y.back()),
                          fmt::format("{:.2f}", slope)});
    curves.series.push_back(series);
  }
  show(lesson, table);
  lesson.report().curves(curves);
  return s;
}

// ---- 3  the fault ---------------------------------------------------------------------------------------------------
struct Fault {
  double with_mask = 0, without = 0;       // largest difference from the library's shifted windows
  int64_t across = 0, across_without = 0;  // places of the opposite sides that the corner reads
};
inline Fault the_fault(app::Lesson& lesson, const Size& size, uint64_t seed) {
  heading("3  The fault: windows of a rolled picture, without their mask");
  Generator rng(seed);
  const Way way{"", "shifted_window:window=4", "shifted_window:window=4"};
  const nn::StageOptions options = layer_of(way, 1, size);
  const auto ours = open_mixer(options, rng);
  const auto masked = rolled(*ours, options, true), open = rolled(*ours, options, false);
  const Variable x(Tensor::normal({4, size.places(), size.width}, rng, 0, 1, DType::f64));
  auto apart = [&](const nn::Mixer& m) {
    return amax(abs(m(x, {}).output.value() - (*ours)(x, {}).output.value()), {0, 1, 2}).item();
  };
  auto across = [&](const nn::Mixer& m) {
    int64_t count = 0;
    const std::vector<bool> corner = reads_of({&m}, size)[0];
    for (int64_t s = 0; s < size.places(); ++s)
      if (s / size.columns >= size.rows / 2 || s % size.columns >= size.columns / 2)
        count += corner[static_cast<size_t>(s)];
    return count;
  };
  const Fault f{apart(*masked), apart(*open), across(*masked), across(*open)};
  report::TablePanel table{.title = "A shifted layer, computed by rolling the picture",
                           .text =
                               "Difference: the largest one from the library's layer with the same weights, in 64 "
                               "bits. Across: places of the opposite sides that the upper left corner reads.",
                           .header = {"rolled", "difference", "across"}};
  table.rows = {{"with the mask", fmt::format("{:.1e}", f.with_mask), std::to_string(f.across)},
                {"without", fmt::format("{:.2f}", f.without), std::to_string(f.across_without)}};
  show(lesson, table);
  return f;
}

}  // namespace pictures
