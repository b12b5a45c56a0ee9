// A progress bar on standard error: where training stands, its loss, its throughput, and how long it still takes.
//
//   Progress progress(steps, {.label = "epoch", .unit = "tokens"});
//   progress.step({.loss = loss, .items = tokens});
//   epoch 3/12  ━━━━━━━━━━╸─────────  52%  loss 1.234  12.3k tokens/s  0:42 left
//
// On a terminal one line is redrawn at most ten times a second and is never wider than the terminal; elsewhere (a log
// file) a plain line comes every few seconds and at each epoch. The times of this bar never enter a report.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "nn/io/console.h"

namespace heed::nn {

// Everything that one line shows.
struct ProgressState {
  std::string label;                 // "epoch 3/12" or "step"
  std::int64_t done = 0, total = 0;  // steps; total 0: unknown, no bar and no time left
  double loss = 0;                   // shown where has_loss, be it NaN
  bool has_loss = false;
  double rate = 0;  // items a second; 0: not shown
  std::string unit;
  double seconds_left = -1;  // below 0: not shown
  std::string note;          // free text at the end
};

// Pure: at most console.width - 1 columns. Parts give way from the right: note, throughput, bar, time left.
std::string progress_line(const ProgressState& state, const io::Console& console);
std::string short_time(double seconds);  // 0:42, 12:05, 3:07:00
std::string short_count(double value);   // 950, 12.3k, 4.56M

struct ProgressOptions {
  std::string label = "step";
  std::string unit = "items";
  std::int64_t done = 0;       // steps behind us already: training resumed
  double seconds_between = 5;  // lines of a log
  std::FILE* stream = stderr;
  std::optional<io::Console> console = {};  // asked of the stream where absent
  std::function<double()> clock = {};       // seconds; a steady clock where absent
};

class Progress {
 public:
  explicit Progress(std::int64_t steps, ProgressOptions options = {});
  ~Progress();  // finishes
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  struct Step {
    double loss = std::nan("");
    std::int64_t items = 0;  // tokens, examples: what the throughput counts
    std::int64_t steps = 1;
  };
  void step(const Step& step);
  void epoch(std::int64_t number, std::int64_t of);  // an epoch begins: its label, and a line in a log
  void note(const std::string& text);                // shown at the end of the line from now on
  void print(const std::string& line);               // a line of its own above the bar
  void clear();                                      // takes the bar away; the next step brings it back
  void finish();                                     // the last state stays on the screen

 private:
  io::Console console() const;
  void draw();

  ProgressOptions options_;
  ProgressState state_;
  double start_ = 0, drawn_ = -1;
  std::int64_t first_ = 0, items_ = 0, drawn_at_ = -1;
  bool shown_ = false, finished_ = false;
};

}  // namespace heed::nn
