// What every training run of `heed train` does around its steps, whatever it trains: the progress bar, the lines of
// metrics.jsonl, saving after each epoch and every few minutes, and the end by time or by Ctrl-C.
//
//   TrainLoop loop({.max_epochs = 10}, lasting);      // before the run: its sums are a part of the checkpoint
//   model.parts.push_back(loop.part());
//   nn::FitRun run(model, train, valid, options);
//   loop.open(&folder, run, begun);                   // begun: goes on from last.safetensors
//   TrainLoop::End end = loop.run(watcher, [&] { write_train_report(folder); });
//
// Of several ranks (nn/ranks.h) each has a loop, and only rank 0 a folder: it writes, and its clock decides for all.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "nn/train/fit.h"
#include "nn/train/progress.h"
#include "nn/train/run_folder.h"

namespace heed::app {

struct LoopOptions {
  int64_t max_epochs = 0, log_every = 50;
  double max_minutes = 0, save_minutes = 5;
};

class TrainLoop {
 public:
  // `lasting`: the options that must be the same when the run goes on. The checkpoint keeps them: some, such as the
  // number of heads, change no shape, and only the checkpoint could tell that config.json has been edited.
  TrainLoop(const LoopOptions& options, io::Json lasting) : options_(options), lasting_(std::move(lasting)) {}
  nn::Part part();

  // If the run has begun, loads the saved state and cuts the records to its step; otherwise the caller saves once it
  // has checked its data. Ranks other than 0 give no folder.
  void open(nn::RunFolder* folder, nn::FitRun& run, bool begun);
  void save();
  enum class End { finished, out_of_time, interrupted };
  End run(nn::FitWatcher watcher, const std::function<void()>& after_epoch);

  io::Json epoch_line(const nn::EpochRecord& record);  // for metrics.jsonl; the caller adds its own figures
  void note(const std::string& text) { progress_->note(text); }
  void print(const std::string& text) { progress_->print(text); }  // above the bar

 private:
  void log_step(const nn::FitStep& step);
  enum class Next { go_on, save_first, out_of_time, interrupted };
  Next next() const;  // the same on all ranks

  LoopOptions options_;
  io::Json lasting_;
  nn::RunFolder* folder_ = nullptr;
  nn::FitRun* run_ = nullptr;
  struct Interval {  // since the last line of metrics.jsonl
    double total = 0;
    int64_t tokens = 0, steps = 0;
    std::map<std::string, double> penalties = {};  // sums over the steps

    void fields(nn::OptionFields& f) {
      f("total", total, "");
      f("tokens", tokens, "");
      f("steps", steps, "");
    }
  } interval_;
  std::optional<nn::Progress> progress_;
  int64_t epoch_ = 0;
  double logged_ = 0, saved_ = 0;  // run_->seconds() at the last line, the last saving
};

}  // namespace heed::app
