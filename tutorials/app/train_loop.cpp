#include "tutorials/app/train_loop.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/train/interrupt.h"
#include "tensor/error.h"

namespace heed::app {
namespace {

constexpr int64_t kCompareEvery = 100;  // steps between two comparisons of the ranks' parameters

const std::string kPenalty = "penalties.";  // before a name, in a checkpoint
// "penalties": {"coverage": 0.12}, the mean over the steps; no key where a run has none.
void add_penalties(io::Json& line, const std::map<std::string, double>& sums, double steps) {
  if (sums.empty()) return;
  io::Json by_name = io::Json::object();
  for (const auto& [name, sum] : sums) by_name.set(name, sum / steps);
  line.set("penalties", by_name);
}

void require_same(const io::Json& began, const io::Json& now, const std::string& what) {
  for (const io::Member& then : began.items())
    if (const io::Json* value = now.find(then.key); value && !(*value == then.value))
      throw IoError(
          fmt::format("load: \"{}\": a run must go on with the {} that it began with, {}; got {} in config.json", what,
                      then.key, then.value.dump(), value->dump()));
}

}  // namespace

nn::Part TrainLoop::part() {
  return {"log",
          [this] {
            io::SafeTensors file;
            nn::save_fields(file, "", nn::fields_of(interval_));
            file.metadata["options"] = lasting_.dump();
            for (const auto& [name, total] : interval_.penalties)
              file.tensors.emplace_back(kPenalty + name, Tensor::scalar(total, DType::f64));
            return file;
          },
          [this](const io::SafeTensors& file, const std::string& what) {
            require_same(io::parse(nn::metadata_at(file, "options"), what), lasting_, what);
            Interval read;
            nn::read_fields(file, what, "", nn::fields_of(read));
            for (const auto& [name, total] : file.tensors)
              if (name.starts_with(kPenalty)) read.penalties[name.substr(kPenalty.size())] = total.item();
            interval_ = read;
          }};
}

void TrainLoop::open(nn::RunFolder* folder, nn::FitRun& run, bool begun) {
  folder_ = folder, run_ = &run;
  if (begun) run.load(folder ? folder->file("last.safetensors") : "");
  if (folder)
    for (const char* record : {"metrics.jsonl", "samples.jsonl"}) folder->cut(record, begun ? run.steps() : -1);
  saved_ = logged_ = run.seconds();
}

void TrainLoop::log_step(const nn::FitStep& s) {
  if (s.epoch != epoch_) progress_->epoch(epoch_ = s.epoch, options_.max_epochs);
  progress_->step({.loss = s.loss, .items = s.tokens});
  interval_.total += s.loss * static_cast<double>(s.tokens);
  interval_.tokens += s.tokens;
  ++interval_.steps;
  for (const auto& [name, value] : s.penalties) interval_.penalties[name] += value;
  if (s.step % options_.log_every != 0) return;
  double seconds = run_->seconds(), passed = std::max(seconds - logged_, 1e-9);
  auto tokens = static_cast<double>(interval_.tokens);
  io::Json line = io::Json::object({{"kind", "step"},
                                    {"step", s.step},
                                    {"epoch", s.epoch},
                                    {"loss", interval_.total / tokens},
                                    {"learning_rate", s.learning_rate},
                                    {"tokens_per_second", std::round(tokens / passed)},
                                    {"seconds", seconds}});
  add_penalties(line, interval_.penalties, static_cast<double>(interval_.steps));
  folder_->append("metrics.jsonl", line);
  interval_ = {};
  logged_ = seconds;
}

io::Json TrainLoop::epoch_line(const nn::EpochRecord& r) {
  logged_ = run_->seconds();
  io::Json line = io::Json::object({{"kind", "epoch"},
                                    {"step", run_->steps()},
                                    {"epoch", r.epoch},
                                    {"train_loss", r.train_loss},
                                    {"valid_loss", r.valid_loss},
                                    {"valid_perplexity", r.valid_perplexity()},
                                    {"bleu", r.bleu ? io::Json(*r.bleu) : io::Json()},
                                    {"best", r.best},
                                    {"seconds", run_->seconds()}});
  add_penalties(line, r.penalties, 1);
  return line;
}

void TrainLoop::save() {
  run_->require_same_parameters();
  run_->save(folder_ ? folder_->file("last.safetensors") : "");
  saved_ = run_->seconds();
}

// Rank 0's clock counts, and a signal to any rank.
TrainLoop::Next TrainLoop::next() const {
  Next own = Next::go_on;
  if (nn::Interrupt::requested())
    own = Next::interrupted;
  else if (folder_ && options_.max_minutes > 0 && run_->seconds() >= 60 * options_.max_minutes)
    own = Next::out_of_time;
  else if (folder_ && run_->seconds() - saved_ >= 60 * options_.save_minutes)
    own = Next::save_first;
  return static_cast<Next>(run_->ranks().largest(static_cast<double>(own)));
}

TrainLoop::End TrainLoop::run(nn::FitWatcher watcher, const std::function<void()>& after_epoch) {
  if (folder_) {
    watcher.on_step = [this](const nn::FitStep& s) { log_step(s); };
    progress_.emplace(run_->all_steps(),
                      nn::ProgressOptions{.label = "training", .unit = "tokens", .done = run_->steps()});
  }
  nn::Interrupt interrupt;
  Next last = Next::go_on;
  while (!run_->done() && (last = next()) < Next::out_of_time) {
    if (last == Next::save_first) save();
    const size_t finished = run_->history().size();
    run_->step(watcher);
    if (run_->history().size() > finished) {
      save();
      if (folder_) after_epoch();
    } else if (run_->steps() % kCompareEvery == 0) {
      run_->require_same_parameters();
    }
  }
  if (progress_) progress_->finish();
  save();
  if (run_->done()) return End::finished;
  if (last == Next::interrupted) return End::interrupted;
  run_->look(watcher);  // the epoch that time has cut short may have the best parameters
  return End::out_of_time;
}

}  // namespace heed::app
