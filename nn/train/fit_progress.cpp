// The progress of a run, as a part of its checkpoint. The layout is described at FitRun.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "nn/train/fit.h"

namespace heed::nn {
namespace {

constexpr int64_t kColumns = 5;  // columns of the history: train loss, validation loss, seconds, best, BLEU
const std::string kPenalty = "penalties.";

// What must be equal in a run and in the checkpoint that it resumes.
struct Agreed {
  FitOptions options;
  int64_t pairs, seed = static_cast<int64_t>(options.seed);
  void fields(OptionFields& f) {
    f("seed", seed, "");
    f("pairs", pairs, "");
    if (needs_length(options)) f("epochs", options.epochs, "");
    const std::set<std::string> more{"batch_size", "batch_tokens", "accumulate", "clip", "label_smoothing"};
    for (OptionField& field : fields_of(options))
      if (more.contains(field.name)) f.all.push_back(std::move(field));
  }
};

}  // namespace

std::vector<OptionField> FitRun::fields(Progress& p) {
  OptionFields f;
  f("epoch", p.epoch, "");
  f("batch", p.batch, "");
  f("total", p.total, "");
  f("tokens", p.tokens, "");
  f("seconds", p.seconds, "");
  f("best_epoch", p.best_epoch, "");
  f("best_measure", p.best_measure, "");
  f("stopped", p.stopped, "");
  return f.all;
}

io::SafeTensors FitRun::save_progress() const {
  io::SafeTensors file;
  Progress p = progress_;
  Agreed agreed{options_, static_cast<int64_t>(train_.size())};
  save_fields(file, "", fields(p));
  save_fields(file, "", fields_of(agreed));
  std::vector<double> history;
  for (const EpochRecord& r : p.history)
    history.insert(history.end(),
                   {r.train_loss, r.valid_loss, r.seconds, r.best ? 1.0 : 0.0, r.bleu.value_or(std::nan(""))});
  file.tensors.emplace_back("history", Tensor::from(history, {static_cast<int64_t>(p.history.size()), kColumns}));
  std::map<std::string, std::vector<double>> penalties;
  auto note = [&](const std::map<std::string, double>& values, size_t epoch) {
    for (const auto& [name, value] : values) {
      std::vector<double>& row = penalties[name];
      if (row.empty()) row.assign(p.history.size() + 1, std::nan(""));
      row[epoch] = value;
    }
  };
  for (size_t e = 0; e < p.history.size(); ++e) note(p.history[e].penalties, e);
  note(p.penalties, p.history.size());
  for (const auto& [name, row] : penalties)
    file.tensors.emplace_back(kPenalty + name, Tensor::from(row, {static_cast<int64_t>(row.size())}));
  for (size_t i = 0; i < p.best.size(); ++i)
    file.tensors.emplace_back("best." + model_.parameters[i].name, p.best[i].clone());
  return file;
}

void FitRun::load_progress(const io::SafeTensors& file, const std::string& what) {
  auto refuse = [&](const std::string& rule) { throw IoError(fmt::format("load: \"{}\": {}", what, rule)); };
  Agreed ours{options_, static_cast<int64_t>(train_.size())}, theirs = ours;
  const std::vector<OptionField> must = fields_of(ours), found = fields_of(theirs);
  read_fields(file, what, "", found);
  for (size_t i = 0; i < must.size(); ++i)
    if (text_of(found[i]) != text_of(must[i]))
      refuse(fmt::format("a run must go on with the {} that it began with, {}; got {}", must[i].name, text_of(found[i]),
                         text_of(must[i])));
  Progress p;
  read_fields(file, what, "", fields(p));
  auto batches = static_cast<int64_t>(batches_of(p.epoch).size());
  if (p.epoch < 1 || p.epoch > options_.epochs + 1 || p.batch < 0 || p.batch >= batches || p.tokens < 0 ||
      p.best_epoch < 0 || p.best_epoch >= p.epoch || (p.batch > 0) != (p.tokens > 0) ||
      (p.epoch > options_.epochs && p.batch > 0))
    refuse("progress must lie within the run");

  const Tensor* history = file.find("history");
  if (!history) refuse("the tensor history is missing");
  if (!(history->shape() == Shape{p.epoch - 1, kColumns}) || history->dtype() != DType::f64)
    refuse(fmt::format("history must be f64 {}; got {} {}", to_string(Shape{p.epoch - 1, kColumns}),
                       name_of(history->dtype()), to_string(history->shape())));
  for (int64_t e = 0; e < p.epoch - 1; ++e) {
    const double* r = history->data<double>() + e * kColumns;
    p.history.push_back({.epoch = e + 1, .train_loss = r[0], .valid_loss = r[1], .seconds = r[2], .best = r[3] != 0});
    if (!std::isnan(r[4])) p.history.back().bleu = r[4];
  }
  if (p.best_epoch > 0 || (options_.keep == "last" && p.epoch > 1))
    for (const auto& [name, variable] : model_.parameters) {
      const Tensor* t = file.find("best." + name);
      if (!t) refuse(fmt::format("the tensor best.{} is missing", name));
      if (!(t->shape() == variable.shape()) || t->dtype() != variable.dtype())
        refuse(fmt::format("best.{} must be {} {}; got {} {}", name, name_of(variable.dtype()),
                           to_string(variable.shape()), name_of(t->dtype()), to_string(t->shape())));
      p.best.push_back(t->clone());
    }
  size_t penalties = 0;
  for (const auto& [key, t] : file.tensors) {
    if (!key.starts_with(kPenalty)) continue;
    std::string name = key.substr(kPenalty.size());
    if (!(t.shape() == Shape{p.epoch}) || t.dtype() != DType::f64)
      refuse(fmt::format("{} must be f64 {}; got {} {}", key, to_string(Shape{p.epoch}), name_of(t.dtype()),
                         to_string(t.shape())));
    ++penalties;
    for (int64_t e = 0; e < p.epoch; ++e)
      if (double value = t.at({e}); !std::isnan(value))
        (e + 1 < p.epoch ? p.history[static_cast<size_t>(e)].penalties : p.penalties)[name] = value;
  }
  if (size_t wanted = 1 + p.best.size() + penalties; file.tensors.size() != wanted)
    refuse(fmt::format("progress must have {} tensors; got {}", wanted, file.tensors.size()));
  progress_ = std::move(p);
}

}  // namespace heed::nn
