// Parts 3 and 4 of the lesson: transformer layers and cheap layers in segments, their memory and their multiply-adds.
#pragma once

#include <fmt/format.h>

#include <set>

#include "tutorials/31_scale/chain.h"
#include "tutorials/31_scale/stack.h"
#include "tutorials/common/show.h"

namespace scale {

namespace app = heed::app;
namespace report = heed::report;

// ---- 3  checkpointing -----------------------------------------------------------------------------------------------
struct Checked {
  int64_t worst = 0, numbers = 0, by_hand = 0, new_numbers = 0;
  double extra = 0;                      // multiply-adds in addition, divided by those of a forward pass
  std::vector<double> segments, shares;  // share of the bytes that are needed without checkpoints
  double best = 0;                       // segments with the least memory
  double a = 0, each = 0;                // bytes of a layer's output; of all that a layer keeps, in units of a
};

inline Checked the_stack(app::Lesson& lesson, const Size& size) {
  app::heading(fmt::format("3  Checkpointing: {} transformer layers, {} per checkpoint", size.layers, "1, 2, 4, .."));
  Checked c;
  c.a = bytes_of({size.lines, size.words, size.width});
  double forward = forward_products(size, lesson.seed());
  Measured plain = one_step(size, lesson.seed(), 0);
  c.numbers = count(plain.gradients);
  c.each = plain.cost.bytes / c.a / static_cast<double>(size.layers);
  report::TablePanel table{
      .title = fmt::format("A training step of {} transformer layers", size.layers),
      .text = fmt::format("Memory: most bytes alive during the step, in units of one layer's output ({:.0f} kB). "
                          "Share: of the memory without checkpoints. Multiply-adds: of the whole step. Other bits: how "
                          "many of the {} numbers of the gradient differ from those without checkpoints.",
                          c.a / 1e3, c.numbers),
      .header = {"layers each", "segments", "memory", "share", "multiply-adds", "other bits"}};
  std::string times;
  auto row = [&](int64_t per, const Measured& m) {
    int64_t other = differing(m.gradients, plain.gradients);
    table.rows.push_back({per ? std::to_string(per) : "none", per ? std::to_string((size.layers + per - 1) / per) : "-",
                          fmt::format("{:.1f}", m.cost.bytes / c.a),
                          fmt::format("{:.3f}", m.cost.bytes / plain.cost.bytes),
                          fmt::format("{:.3f} G", m.cost.products / 1e9), std::to_string(other)});
    times += fmt::format("{}{:.2f}", times.empty() ? "" : " / ", m.cost.seconds);
    c.worst = std::max(c.worst, other);
  };
  row(0, plain);
  for (int64_t per = 1; per <= size.layers; per *= 2) {
    Measured m = one_step(size, lesson.seed(), per);
    row(per, m);
    c.extra = (m.cost.products - plain.cost.products) / forward;
    c.segments.push_back(static_cast<double>((size.layers + per - 1) / per));
    c.shares.push_back(m.cost.bytes / plain.cost.bytes);
  }
  app::show(lesson, table);
  app::tell("\n   seconds (shown, not claimed): {}\n", times);
  c.by_hand = differing(step_by_hand(size, lesson.seed(), 2, true), plain.gradients);
  c.new_numbers = differing(step_by_hand(size, lesson.seed(), 2, false), plain.gradients);
  app::tell("   by hand, the same random numbers in the second run: {} numbers differ; new ones: {} of {}\n", c.by_hand,
            c.new_numbers, c.numbers);

  report::CurvesPanel panel{
      .title = "Transformer layers: memory by the number of segments",
      .text = fmt::format("A layer keeps A = {:.1f} times the bytes of its output. The formula is k + A n / k for k "
                          "segments: it is least at more than the square root of n, {:.1f}.",
                          c.each, std::sqrt(static_cast<double>(size.layers))),
      .x_label = "segments",
      .y_label = "memory, in layer outputs",
      .series = {{.name = "measured"}, {.name = "formula"}},
      .log_x = true,
      .log_y = true};
  for (size_t i = c.segments.size(); i-- > 0;) {
    panel.series[0].x.push_back(c.segments[i]);
    panel.series[0].y.push_back(c.shares[i] * plain.cost.bytes / c.a);
  }
  for (double k = 1; k <= static_cast<double>(size.layers); k *= std::pow(2, 0.25)) {
    panel.series[1].x.push_back(k);
    panel.series[1].y.push_back(k + c.each * static_cast<double>(size.layers) / k);
  }
  lesson.report().curves(panel);
  c.best = c.segments[static_cast<size_t>(std::ranges::min_element(c.shares) - c.shares.begin())];
  return c;
}

// ---- 4  how many segments? ------------------------------------------------------------------------------------------
struct Chained {
  double best = 0, root = 0, one = 0, all = 0;  // segments with the least memory; shares with sqrt n, 1 and n segments
};

inline Chained the_chain(app::Lesson& lesson, int64_t n) {
  app::heading(fmt::format("4  How many segments? A chain of {} layers tanh(h W)", n));
  constexpr int64_t kRows = 2047, kWidth = 32;  // so that an output fills one size class of the allocator
  heed::Generator rng(lesson.seed());
  Chain chain(n, kRows, kWidth, rng);
  double a = bytes_of({kRows, kWidth}), layers = static_cast<double>(n);
  auto root = static_cast<size_t>(std::lround(std::sqrt(layers)));
  auto measure = [&](const std::function<Variable()>& f) {
    auto step = [&] { backward(sum(f())); };
    step();  // makes the gradients of the parameters
    return cost_of(step);
  };
  report::TablePanel table{.title = fmt::format("A chain of {} layers", n),
                           .text = fmt::format("Memory in units of one layer's output ({:.0f} kB). Share: of the "
                                               "memory without checkpoints. Forward passes: "
                                               "multiply-adds of the step, those of backward taken off.",
                                               a / 1e3),
                           .header = {"way", "memory", "share", "forward passes"}};
  Cost plain = measure([&] { return chain.in_segments(0); });
  double forward = layers * static_cast<double>(kRows * kWidth * kWidth);
  auto row = [&](const std::string& name, const Cost& cost) {
    table.rows.push_back({name, fmt::format("{:.1f}", cost.bytes / a), fmt::format("{:.3f}", cost.bytes / plain.bytes),
                          fmt::format("{:.2f}", 1 + (cost.products - plain.products) / forward)});
  };
  row("no checkpoints", plain);
  report::CurvesPanel panel{
      .title = "Cheap layers: memory by the number of segments",
      .text = fmt::format("A chain of {} layers that keep one value each. The formula is k + n / k "
                          "for k segments; it is least at the square root of n.",
                          n),
      .x_label = "segments",
      .y_label = "memory, in layer outputs",
      .series = {{.name = "measured"}, {.name = "formula"}},
      .log_x = true,
      .log_y = true};
  Chained c;
  double least = plain.bytes;
  std::set<size_t> tried{root, static_cast<size_t>(n)};
  for (size_t k = 1; k < static_cast<size_t>(n); k = std::max(k + 1, k * 5 / 4)) tried.insert(k);
  for (size_t k : tried) {
    Cost cost = measure([&] { return chain.in_segments(k); });
    panel.series[0].x.push_back(static_cast<double>(k));
    panel.series[0].y.push_back(cost.bytes / a);
    panel.series[1].x.push_back(static_cast<double>(k));
    panel.series[1].y.push_back(static_cast<double>(k) + layers / static_cast<double>(k));
    if (cost.bytes < least) least = cost.bytes, c.best = static_cast<double>(k);
  }
  for (size_t k : {size_t{1}, root, static_cast<size_t>(n)}) {
    Cost cost = measure([&] { return chain.in_segments(k); });
    (k == 1 ? c.one : k == root ? c.root : c.all) = cost.bytes / plain.bytes;
    row(fmt::format("{} segment{}", k, k == 1 ? "" : "s"), cost);
  }
  row("halves of halves", measure([&] { return chain.in_halves(chain.x, 0, chain.w.size()); }));
  app::show(lesson, table);
  lesson.report().curves(panel);

  report::CurvesPanel trace{.title = "Bytes alive during one training step",
                            .text =
                                "Each point is one layer computed, forward, again, or backward. Without "
                                "checkpoints the memory grows until the loss is known. With them it grows once per "
                                "segment, and the step takes longer.",
                            .x_label = "layers computed",
                            .y_label = "memory, in layer outputs"};
  for (size_t k : {size_t{0}, root}) {
    std::vector<double> bytes;
    auto before = static_cast<double>(heed::allocator_stats().live_bytes);
    chain.watched = &bytes;
    backward(sum(chain.in_segments(k)));
    chain.watched = nullptr;
    for (double& b : bytes) b = (b - before) / a;
    trace.series.push_back({.name = k ? fmt::format("{} segments", k) : "no checkpoints", .y = bytes});
  }
  fmt::print("\n");
  app::show(
      report::plot({{trace.series[0].name, trace.series[0].y}, {trace.series[1].name, trace.series[1].y}},
                   {.console = app::console(), .title = "memory during one step, in layer outputs", .height = 10}));
  lesson.report().curves(trace);
  return c;
}

}  // namespace scale
