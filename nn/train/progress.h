// A progress bar on standard error: how far training is, its loss, its throughput, and the time that is left.
//
//   Progress progress(steps, {.label = "epoch", .unit = "tokens"});
//   progress.step({.loss = loss, .items = tokens});
//   epoch 3/12  ━━━━━━━━━━╸─────────  52%  loss 1.234  12.3k tokens/s  0:42 left
//
// On a terminal, one line is redrawn at most ten times per second, and it is never wider than the terminal. Elsewhere
// (a log file), a plain line is written every few seconds and at each epoch.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "nn/io/console.h"

namespace heed::nn {

// Everything that a line shows.
struct ProgressState {
  std::string label;                 // "epoch 3/12" or "step"
  std::int64_t done = 0, total = 0;  // steps; total 0: unknown, so no bar and no time left
  double loss = 0;                   // shown if has_loss, even if it is NaN
  bool has_loss = false;
  double rate = 0;  // items per second; 0: not shown
  std::string unit;
  double seconds_left = -1;  // below 0: not shown
  std::string note;          // any text, shown at the end
};

// At most console.width - 1 columns. If there is too little room, it drops the note, shortens the bar, and then drops
// the throughput, the bar and the time left, in this order.
std::string progress_line(const ProgressState& state, const io::Console& console);
std::string short_time(double seconds);  // 0:42, 12:05, 3:07:00
std::string short_count(double value);   // 950, 12.3k, 4.56M

struct ProgressOptions {
  std::string label = "step";
  std::string unit = "items";
  std::int64_t done = 0;       // steps that were done before, if training is resumed
  double seconds_between = 5;  // between the lines of a log
  std::FILE* stream = stderr;
  std::optional<io::Console> console = {};  // if absent, that of the stream
  std::function<double()> clock = {};       // in seconds; if absent, a steady clock
};

class Progress {
 public:
  explicit Progress(std::int64_t steps, ProgressOptions options = {});
  ~Progress();  // calls finish
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  struct Step {
    double loss = std::nan("");
    std::int64_t items = 0;  // tokens, examples: what the throughput counts
    std::int64_t steps = 1;
  };
  void step(const Step& step);
  void epoch(std::int64_t number, std::int64_t of);  // begins an epoch: sets the label, and writes a line to a log
  void note(const std::string& text);                // shown at the end of the line from now on
  void print(const std::string& line);               // writes a separate line above the bar
  void clear();                                      // removes the bar until the next step
  void finish();                                     // leaves the last state on the screen

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
