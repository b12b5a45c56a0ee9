#include "nn/train/fit.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_softmax.h"
#include "nn/io/pack.h"
#include "nn/optim/clip.h"
#include "nn/output_heads/output_head.h"
#include "nn/text/vocabulary.h"
#include "nn/train/interrupt.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

data::Batch batch_of(const FitModel& model, const std::vector<data::EncodedPair>& pairs,
                     const std::vector<int64_t>& members, const std::vector<int64_t>& whole, int64_t epoch) {
  return model.batch ? model.batch(pairs, members, whole, epoch)
                     : data::make_batch(pairs, members, data::widths_of(pairs, whole));
}

// The logits of a training step, whose penalties look at the alignment.
Variable training_logits(const FitModel& model, const data::Batch& batch, const AttentionPenalties& penalties) {
  if (!penalties.any()) return model.logits(batch);
  Variable alignment, logits = model.aligned(batch, &alignment);
  penalties.add(alignment, batch.target_in, batch.lengths);
  return logits;
}

Variable batch_loss(const FitModel& model, const data::Batch& batch, double smoothing, Reduction reduction,
                    const AttentionPenalties& penalties = {}) {
  if (model.loss)
    return reduction == Reduction::sum ? model.loss(batch) * static_cast<double>(batch.tokens) : model.loss(batch);
  if (Tensor can = smoothing > 0 && model.writable ? model.writable(batch) : Tensor(); can.defined()) {
    Variable logits = training_logits(model, batch, penalties);
    Tensor wanted = smoothed_words(batch.target_out, can, smoothing, logits.dtype());
    Variable sum = cross_entropy(logits, wanted, {.reduction = Reduction::sum});
    return reduction == Reduction::sum ? sum : sum / static_cast<double>(batch.tokens);
  }
  return cross_entropy(training_logits(model, batch, penalties), batch.target_out,
                       {.label_smoothing = smoothing, .ignore_index = text::Vocabulary::pad, .reduction = reduction});
}

// The numbers of words, sentences and pairs of a batch, indexed by MeanOver.
BatchShares counts_of(const data::Batch& batch) {
  double pairs = 0;
  if (batch.target_out.rank() == 2)
    for (double n : sum(not_equal(batch.target_out, text::Vocabulary::pad).to(DType::f64), {1}).to_vector())
      pairs += n * (n - 1);
  return {static_cast<double>(batch.tokens), static_cast<double>(batch.members.size()), pairs, 1};
}

// The module where a divergence began, for a message: the first parameter that is not finite, else the first gradient.
std::string not_finite(const std::vector<NamedVariable>& parameters) {
  for (const auto& [name, variable] : parameters)
    if (first_not_finite(variable.value(), true) >= 0) return fmt::format("{} is not finite", name);
  for (const auto& [name, variable] : parameters)
    if (variable.grad().defined() && first_not_finite(variable.grad(), true) >= 0)
      return fmt::format("the gradient of {} is not finite", name);
  return "all parameters are finite";
}

// Checks the requirements of every run, before its optimiser is created.
const FitModel& checked(const FitModel& model, const std::vector<data::EncodedPair>& train,
                        const std::vector<data::EncodedPair>& valid, const FitOptions& o) {
  if (train.empty()) throw InputError("train: needs at least one training pair; got none");
  if (valid.empty()) throw InputError("train: needs at least one validation pair; got none");
  if (o.epochs < 1) throw InputError(fmt::format("train: needs at least one epoch; got {}", o.epochs));
  if (o.accumulate < 1) throw ValueError(fmt::format("train: accumulate must be at least 1; got {}", o.accumulate));
  if (o.measure == "bleu" && !model.bleu)
    throw ValueError("train: the measure bleu needs a model that can compute BLEU; got none");
  if (o.attention.any() && !model.aligned)
    throw ValueError("train: penalties of attention need the alignment; got a model that returns none");
  if (o.checkpoint > 0 && !model.set_checkpoint)
    throw ValueError(
        fmt::format("train: checkpointing needs a model with layers that can be computed again; got checkpoint {} and "
                    "a model without them; hint: a transformer",
                    o.checkpoint));
  return model;
}

}  // namespace

double EpochRecord::valid_perplexity() const { return std::exp(valid_loss); }

double mean_loss(const FitModel& model, const std::vector<data::EncodedPair>& pairs, int64_t batch_size, Ranks* given) {
  if (pairs.empty()) throw ValueError("mean_loss: needs at least one pair; got none");
  NoGrad guard;
  Ranks& ranks = given ? *given : alone();
  double total = 0;
  int64_t tokens = 0, turn = 0;
  for (auto& members : data::sorted_batches(pairs, batch_size)) {
    if (turn++ % ranks.size() != ranks.rank()) continue;
    data::Batch batch = batch_of(model, pairs, members, members, 0);
    total += batch_loss(model, batch, 0, Reduction::sum).item();
    tokens += batch.tokens;
  }
  std::vector<double> sums{total, static_cast<double>(tokens)};
  ranks.sum(sums);
  return sums[0] / sums[1];
}

FitRun::FitRun(const FitModel& model, const std::vector<data::EncodedPair>& train,
               const std::vector<data::EncodedPair>& valid, const FitOptions& o)
    : model_(checked(model, train, valid, o)),
      train_(train),
      valid_(valid),
      options_(o),
      exchange_(ranks(), model.parameters, {.shard = o.shard}),
      optimizer_(make_optimizer(o, exchange_.pieces())),
      all_steps_((static_cast<int64_t>(batches_of(0).size()) + o.accumulate - 1) / o.accumulate * o.epochs),
      schedule_(make_schedule(o, all_steps_)),
      parts_(model.parts) {
  if (o.checkpoint > 0) model_.set_checkpoint(o.checkpoint);
  parts_.push_back(optimizer_part());
  parts_.push_back(part("schedule", *schedule_));
  parts_.push_back({"progress", [this] { return save_progress(); },
                    [this](const io::SafeTensors& s, const std::string& what) { load_progress(s, what); }});
  if (o.weights == "ema") {
    ema_ = std::make_unique<ParameterAverage>(model.parameters,
                                              ParameterAverage::Options{.decay = o.ema_decay, .bias_corrected = true});
    parts_.push_back(part("ema", *ema_));
  }
  if (o.weights == "average") {
    window_ = std::make_unique<WindowAverage>(model.parameters, WindowAverage::Options{.size = o.average});
    parts_.push_back(part("average", *window_));
  }
}

std::vector<std::vector<int64_t>> FitRun::batches_of(int64_t epoch) const {
  return options_.batch_tokens > 0 ? data::token_batches(train_, options_.batch_tokens, options_.seed, epoch)
                                   : data::epoch_batches(train_, options_.batch_size, options_.seed, epoch);
}

bool FitRun::done() const { return progress_.epoch > options_.epochs || progress_.stopped; }

double FitRun::seconds() const {
  double total = progress_.seconds;
  for (const EpochRecord& r : progress_.history) total += r.seconds;
  return total;
}

// Sharded, each rank has a piece of the state; the file has the whole, whatever the number of ranks.
Part FitRun::optimizer_part() {
  return {
      "optimizer", [this] { return exchange_.whole(optimizer_->save_state()); },
      [this](const io::SafeTensors& s, const std::string& what) { optimizer_->load_state(exchange_.own(s), what); }};
}

FitRun::Group FitRun::group_of(int64_t first, int64_t last) const {
  Group group;
  std::vector<BatchShares> counts;  // of the shares of all ranks
  const int64_t R = ranks().size();
  for (int64_t i = first; i < last; ++i) {
    const std::vector<int64_t>& members = batches_[static_cast<size_t>(i)];
    const auto n = static_cast<int64_t>(members.size());
    for (int64_t r = 0; r < R; ++r) {
      const std::vector<int64_t> share = R == 1 ? members : share_of(members, r, R);
      data::Batch batch = batch_of(model_, train_, share, members, progress_.epoch);
      counts.push_back(idle_share(n, r) ? BatchShares{} : counts_of(batch));
      if (!idle_share(n, r)) group.tokens += batch.tokens;
      if (r != ranks().rank()) continue;
      const int64_t begin = idle_share(n, r) ? 0 : r;
      group.places.push_back(R > 1 ? RowPlaces{std::ssize(share), begin, R, n} : RowPlaces{});
      group.batches.push_back(std::move(batch));
    }
  }
  to_shares(counts);
  for (size_t i = 0; i < group.batches.size(); ++i)
    group.shares.push_back(counts[i * static_cast<size_t>(R) + static_cast<size_t>(ranks().rank())]);
  return group;
}

void FitRun::step(const FitWatcher& watcher) {
  if (done()) return;
  double start = now();
  Progress& p = progress_;
  if (batches_epoch_ != p.epoch) {
    batches_ = batches_of(p.epoch);
    batches_epoch_ = p.epoch;
  }
  auto last = std::min(p.batch + options_.accumulate, static_cast<int64_t>(batches_.size()));
  const Group group = group_of(p.batch, last);
  const int64_t tokens = group.tokens;
  const bool together = ranks().size() > 1;
  model_.set_training(true);
  for (NamedVariable parameter : model_.parameters) parameter.variable.zero_grad();
  double value = 0;
  std::map<std::string, double> penalties;
  for (size_t i = 0; i < group.batches.size(); ++i) {
    PrecisionScope precision(options_.precision == "bf16" ? Precision::bf16 : Precision::f32);
    const BatchShares& shares = group.shares[i];
    RowScope rows(group.places[i]);
    Penalties collected(shares);
    Variable loss = batch_loss(model_, group.batches[i], options_.label_smoothing, Reduction::mean, options_.attention);
    if (group.batches.size() > 1 || together) loss = loss * shares[static_cast<size_t>(MeanOver::words)];
    value += loss.item();
    double added = 0;
    for (const auto& [name, penalty] : collected.values()) penalties[name] += penalty, added += penalty;
    if (!collected.empty()) loss = loss + collected.total();
    if (!together && !std::isfinite(value + added)) diverged("the loss", value + added, optimizer_->steps() + 1);
    const bool last_batch = i + 1 == group.batches.size();
    backward(loss, {.ready = last_batch ? exchange_.ready() : nullptr});
  }
  std::vector<double> numbers{value};
  for (const auto& [name, penalty] : penalties) numbers.push_back(penalty);  // of the same names on every rank
  exchange_.finish(numbers);
  value = numbers[0];
  double added = 0;
  for (size_t i = 1; auto& [name, penalty] : penalties) penalty = numbers[i++], added += penalty;
  if (!std::isfinite(value + added)) diverged("the loss", value + added, optimizer_->steps() + 1);
  if (options_.clip > 0)
    if (double norm = clip_grad_norm(exchange_.pieces(), options_.clip,
                                     {.allow_not_finite = true, .ranks = options_.shard ? options_.ranks : nullptr});
        !std::isfinite(norm))
      diverged("the norm of the gradients", norm, optimizer_->steps() + 1);
  optimizer_->step(*schedule_);
  exchange_.gather_parameters();
  if (ema_) ema_->update();
  p.total += value * static_cast<double>(tokens);
  p.tokens += tokens;
  for (const auto& [name, penalty] : penalties) p.penalties[name] += penalty;
  p.batch = last;
  p.seconds += now() - start;
  if (watcher.on_step)
    watcher.on_step({p.epoch, optimizer_->steps(), all_steps_, value, tokens, optimizer_->learning_rate, penalties});
  if (p.batch == static_cast<int64_t>(batches_.size())) end_epoch(watcher);
}

void FitRun::diverged(const std::string& what, double value, int64_t step) const {
  if (std::isnan(value)) value = std::abs(value);  // no sign: nan, never -nan
  std::string clip = options_.clip > 0 ? fmt::format("a smaller clip than {:g}", options_.clip) : "gradient clipping";
  const bool noam = options_.schedule == "noam";  // which has no learning rate of its own
  throw InputError(
      fmt::format("train: {} must stay finite; got {} in epoch {}, step {} ({}); hint: a {} below {:g}, or {}; "
                  "what was saved before is kept",
                  what, value, progress_.epoch, step, not_finite(model_.parameters), noam ? "factor" : "learning rate",
                  noam ? options_.factor : options_.learning_rate, clip));
}

void FitRun::require_finite_parameters() const {
  for (const auto& [name, variable] : model_.parameters)
    if (int64_t at = first_not_finite(variable.value(), true); at >= 0)
      diverged("every parameter", variable.value().contiguous().reshape({variable.value().count()}).at({at}),
               optimizer_->steps());
}

void FitRun::take_buffers_of_root() {
  if (ranks().size() == 1 || !model_.buffers) return;
  for (Tensor* buffer : model_.buffers()) {
    if (!buffer->defined()) continue;
    Tensor values = buffer->contiguous().clone();
    const auto bytes = static_cast<size_t>(values.count()) * size_of(values.dtype());
    auto* memory = static_cast<char*>(values.storage().data());
    std::string text(memory, bytes);
    ranks().broadcast(text);
    std::copy_n(text.data(), bytes, memory);
    *buffer = values;
  }
}
void FitRun::save(const std::string& path) {
  require_finite_parameters();
  take_buffers_of_root();
  const io::SafeTensors file = save_parts(parts_);
  if (ranks().root()) io::save_safetensors(path, file);
}

void FitRun::load(const std::string& path) {
  io::SafeTensors file;
  if (ranks().root()) file = io::load_safetensors(path);
  if (ranks().size() > 1) {
    io::Packer packed;
    if (ranks().root()) packed.add(file);
    ranks().broadcast(packed.bytes);
    if (!ranks().root()) file = io::Unpacker(packed.bytes).tensors();
  }
  load_parts(parts_, file, path);
}

void FitRun::require_same_parameters() const {
  std::vector<Tensor> values;
  for (const auto& p : model_.parameters) values.push_back(p.variable.value());
  require_same_tensors(ranks(), values, fmt::format("at step {}", optimizer_->steps()));
}

int64_t FitRun::steps_of_epoch() const { return (progress_.batch + options_.accumulate - 1) / options_.accumulate; }

EpochRecord FitRun::validate(const std::function<void(EpochRecord&)>& work) {
  const Progress& p = progress_;
  EpochRecord record{.epoch = p.epoch, .train_loss = p.tokens ? p.total / static_cast<double>(p.tokens) : 0};
  for (const auto& [name, total] : p.penalties) record.penalties[name] = total / static_cast<double>(steps_of_epoch());
  auto look = [&] {
    double start = now();
    model_.set_training(false);
    take_buffers_of_root();
    record.valid_loss = mean_loss(model_, valid_, 128, &ranks());
    if (!std::isfinite(record.valid_perplexity()))
      diverged("the validation perplexity", record.valid_perplexity(), optimizer_->steps());
    require_finite_parameters();
    if (model_.bleu) record.bleu = model_.bleu();
    record.seconds = p.seconds + now() - start;
    record.best = (options_.measure == "bleu" ? -*record.bleu : record.valid_loss) < p.best_measure;
    work(record);
  };
  if (ema_) {
    auto scope = ema_->swap_in();
    look();
  } else if (window_) {
    auto scope = window_->swap_in();
    look();
  } else {
    look();
  }
  return record;
}

void FitRun::end_epoch(const FitWatcher& watcher) {
  Progress& p = progress_;
  if (p.batch == 0) return;
  if (window_) window_->add();
  validate([&](EpochRecord& record) {
    if (record.best) {
      p.best_measure = options_.measure == "bleu" ? -*record.bleu : record.valid_loss;
      p.best_epoch = p.epoch;
    }
    bool kept = record.best || options_.keep == "last";
    if (kept) {
      p.best.clear();
      for (const auto& parameter : model_.parameters) p.best.push_back(parameter.variable.value().clone());
    }
    schedule_->observe(options_.measure == "bleu" ? -*record.bleu : record.valid_loss);
    p.history.push_back(record);
    p.stopped = options_.patience > 0 && p.epoch - p.best_epoch >= options_.patience;
    ++p.epoch;
    p.batch = p.tokens = 0;
    p.total = p.seconds = 0;
    p.penalties.clear();
    if (watcher.on_epoch) watcher.on_epoch(record);
    if (kept && watcher.on_best) watcher.on_best(record);
  });
}

EpochRecord FitRun::look(const FitWatcher& watcher) {
  return validate([&](EpochRecord& record) {
    if ((record.best || options_.keep == "last") && watcher.on_best) watcher.on_best(record);
  });
}

FitResult FitRun::finish() {
  model_.set_training(false);
  for (size_t i = 0; i < progress_.best.size(); ++i) {
    Variable parameter = model_.parameters[i].variable;
    parameter.set_value(progress_.best[i].clone());
  }
  return {.history = progress_.history, .best_epoch = progress_.best_epoch};
}

FitResult fit(const FitModel& model, const std::vector<data::EncodedPair>& train,
              const std::vector<data::EncodedPair>& valid, const FitOptions& options, const FitWatcher& watcher) {
  FitRun run(model, train, valid, options);
  Interrupt interrupt;
  bool interrupted = false;
  while (!run.done() && !interrupted) {
    run.step(watcher);
    interrupted = Interrupt::requested();
  }
  if (interrupted) run.end_epoch(watcher);
  FitResult result = run.finish();
  result.interrupted = interrupted;
  return result;
}

}  // namespace heed::nn
