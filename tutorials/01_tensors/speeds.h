// The speed of each version, printed and drawn: GFLOP/s, and % of the processor's measured peak.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutorials/01_tensors/race.h"
#include "tutorials/01_tensors/rungs.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/show.h"

namespace heed {

inline double gflops(const Rung& rung, const Task& t, double budget) {
  Tensor c = Tensor::empty({t.s.M, t.s.N});
  double seconds = best_seconds([&] { rung.multiply(t.s, t.a, t.b, c); }, budget);
  return 2e-9 * static_cast<double>(t.s.M * t.s.N * t.s.K) / seconds;
}

// The peak is measured before and after the versions, and the higher value counts, because the load of the machine
// changes.
inline void race(app::Lesson& lesson, const Task& task, double budget) {
  double one = peak_gflops(1, budget), all = peak_gflops(thread_count(), budget);
  std::vector<double> speeds;
  for (const Rung& rung : rungs()) speeds.push_back(gflops(rung, task, budget));
  one = std::max(one, peak_gflops(1, budget)), all = std::max({one, all, peak_gflops(thread_count(), budget)});

  report::BarsPanel bars{.title = "Speed of the six versions, in % of the measured peak",
                         .text =
                             "Versions 1 to 4 are compared with the peak of one thread, 5 and 6 with that of all "
                             "threads. Speeds depend on the machine and its load, so no claim is made about them; "
                             "`--set milliseconds=0` leaves them out.",
                         .x_label = "version of the product",
                         .y_label = "% of peak",
                         .series = {{"% of peak"}}};
  report::TablePanel panel{
      .title = "The six versions, in GFLOP/s",
      .text = fmt::format("Measured peak: {:.0f} GFLOP/s with one thread, {:.0f} with {}. A GFLOP/s is a billion "
                          "multiplications and additions per second.",
                          one, all, thread_count()),
      .header = {"version", "GFLOP/s", "% of peak"}};
  std::vector<std::vector<std::string>> drawn;
  for (const Rung& rung : rungs()) {
    double speed = speeds[drawn.size()], share = 100 * speed / (rung.all_threads ? all : one);
    bars.labels.push_back(rung.name);
    bars.series[0].values.push_back(share);
    panel.rows.push_back({rung.name, fmt::format("{:.1f}", speed), fmt::format("{:.1f}", share)});
    drawn.push_back(panel.rows.back());
    drawn.back().emplace_back();
    for (int i = 0; i < std::lround(std::min(share, 110.0) * 0.3); ++i)
      drawn.back()[3] += app::console().unicode ? "█" : "#";
  }
  app::tell("\n   Speed. Measured peak: {:.0f} GFLOP/s with 1 thread, {:.0f} with {}\n", one, all, thread_count());
  app::show(report::table({"version", "GFLOP/s", "% of peak", ""}, drawn, app::console()));
  app::tell("\n   If nothing else runs, versions 5 and 6 reach 50 % or more. This is not a claim.\n");
  lesson.report().bars(bars);
  lesson.report().table(panel);
}

// The speeds at other sizes. Packing helps if B does not fit into the caches; threads do not help if the matrices are
// small.
inline void by_size(app::Lesson& lesson, const Sizes& s, Generator& rng, double budget) {
  report::CurvesPanel curves{.title = "GFLOP/s by size",
                             .text =
                                 "M = N = K. The plain formula (version 1) is measured up to the middle size only. "
                                 "Packing helps at large sizes, threads do not help at small ones.",
                             .x_label = "rows and columns",
                             .y_label = "GFLOP/s",
                             .log_x = true,
                             .log_y = true};
  report::TablePanel panel{.title = "By size", .header = {"GFLOP/s at size"}};
  for (const Rung& rung : rungs()) curves.series.push_back({rung.name}), panel.rows.push_back({rung.name});
  for (int64_t size : {s.M / 8, s.M / 4, s.M / 2, s.M, 2 * s.M}) {
    Task task{
        {size, size, size, s.tile_rows}, Tensor::normal({size, size}, rng), Tensor::normal({size, size}, rng), {}, {}};
    panel.header.push_back(std::to_string(size));
    for (size_t i = 0; i < rungs().size(); ++i) {
      if (i == 0 && size > s.M / 2) continue;
      double speed = gflops(rungs()[i], task, budget);
      curves.series[i].x.push_back(static_cast<double>(size));
      curves.series[i].y.push_back(speed);
      panel.rows[i].push_back(fmt::format("{:.1f}", speed));
    }
  }
  for (auto& row : panel.rows) row.resize(panel.header.size());
  fmt::print("\n");
  panel.text = "GFLOP/s for M = N = K; a GFLOP/s is a billion multiplications and additions per second.";
  app::show(panel);
  lesson.report().curves(curves);
}

}  // namespace heed
