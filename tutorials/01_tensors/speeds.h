// The race of the rungs, printed and drawn: GFLOP/s, and % of what the processor can do at most.
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

// The peak is measured before and after the rungs, and the higher one counts: what else the machine does changes.
inline void race(app::Lesson& lesson, const Task& task, double budget) {
  double one = peak_gflops(1, budget), all = peak_gflops(thread_count(), budget);
  std::vector<double> speeds;
  for (const Rung& rung : rungs()) speeds.push_back(gflops(rung, task, budget));
  one = std::max(one, peak_gflops(1, budget)), all = std::max({one, all, peak_gflops(thread_count(), budget)});

  report::BarsPanel bars{.title = "The ladder, in % of the measured peak",
                         .text =
                             "Rungs 1 to 4 beside the peak of one thread, 5 and 6 beside that of all. Here and in "
                             "the two panels below stand clock figures: no claim rests on them, and `--set "
                             "milliseconds=0` leaves them out.",
                         .x_label = "rung",
                         .y_label = "% of peak",
                         .series = {{"% of peak"}}};
  report::TablePanel panel{
      .title = "The ladder, in GFLOP/s",
      .text = fmt::format("Peak: {:.0f} GFLOP/s on one thread, {:.0f} on {}.", one, all, thread_count()),
      .header = {"rung", "GFLOP/s", "% of peak"}};
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
  fmt::print("\n   speed; peak, sums in registers alone: {:.0f} GFLOP/s on 1 thread, {:.0f} on {}\n", one, all,
             thread_count());
  app::show(report::table({"rung", "GFLOP/s", "% of peak", ""}, drawn, app::console()));
  fmt::print("\n   to be expected if nothing else runs: 5 and 6 at 50 % or more; not asserted\n");
  lesson.report().bars(bars);
  lesson.report().table(panel);
}

// The same race at other sizes. Where B no longer fits the caches, packing pays; where all is small, threads do not.
inline void by_size(app::Lesson& lesson, const Sizes& s, Generator& rng, double budget) {
  report::CurvesPanel curves{.title = "GFLOP/s by size",
                             .text = "M = N = K. Clock figures. The formula runs up to the middle size only.",
                             .x_label = "size",
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
  app::show(report::table(panel.header, panel.rows, app::console()));
  lesson.report().curves(curves);
}

}  // namespace heed
