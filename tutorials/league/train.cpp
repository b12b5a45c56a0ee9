// One entrant: trained, asked, measured.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_softmax.h"
#include "autograd/shorthand.h"
#include "nn/decode/search.h"
#include "nn/models/translation_model.h"
#include "nn/observe.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/penalties.h"
#include "tensor/allocator.h"
#include "tensor/error.h"
#include "tensor/profile.h"
#include "tutorials/league/league.h"

namespace heed::league {
namespace {

using Pairs = std::vector<data::EncodedPair>;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Rising for a twentieth of the steps, then falling to 0 in a straight line.
double rate_at(int64_t step, int64_t steps, const std::string& architecture) {
  const double peak = architecture == "transformer" ? 3e-3 : 5e-3,
               rise = std::max(1.0, static_cast<double>(steps) / 20);
  const auto s = static_cast<double>(step);
  return peak * std::min({1.0, (s + 1) / rise, 1 - (s - rise) / (static_cast<double>(steps) - rise + 1)});
}

struct Asked {
  double right = 0, exact = 0;  // %
};
Asked ask(const nn::TranslationModel& model, const Pairs& pairs) {
  NoGrad guard;
  nn::Evaluating evaluating;
  double right = 0, places = 0, exact = 0;
  for (const auto& members : data::sorted_batches(pairs, 100)) {
    data::Batch b = data::make_batch(pairs, members);
    std::vector<int64_t> limits;  // one more than the right length: the model must find the end itself
    for (int64_t m : members) limits.push_back(std::ssize(pairs[static_cast<size_t>(m)].target) + 1);
    auto search = model.search(b.source, b.lengths);
    auto found = nn::greedy(*search, {.max_lengths = limits});
    for (size_t r = 0; r < members.size(); ++r) {
      const auto &wanted = pairs[static_cast<size_t>(members[r])].target, &written = found[r].tokens;
      for (size_t t = 0; t < std::min(wanted.size(), written.size()); ++t) right += written[t] == wanted[t];
      places += static_cast<double>(wanted.size());
      exact += wanted == written;
    }
  }
  return {100 * right / std::max(places, 1.0), 100 * exact / std::max(static_cast<double>(pairs.size()), 1.0)};
}

bool of_attention(const std::string& path) {
  return path.find("attention") != std::string::npos || path.find("attn") != std::string::npos;
}

struct Cost {
  double work = 0, seconds = INFINITY;
  bool whole = false;  // the decoder was one operation, so its profile has no rows of attention
};
Cost attention_cost(const nn::TranslationModel& model, const data::Batch& b) {
  Cost best;
  for (int run = 0; run < 3; ++run) {  // the fastest of three
    Profile profile;
    model(b.source, b.lengths, b.target_in);
    double work = 0, seconds = 0;
    for (const ProfileRow& row : profile.rows()) {
      if (of_attention(row.path)) work += row.work, seconds += row.seconds;
      best.whole = best.whole || row.operation == "attention_decoder";
    }
    best.work = work, best.seconds = std::min(best.seconds, seconds);
  }
  return best;
}
// The cost of all attention in one pass over a sentence of `length` symbols and as many target words.
Cost attention_cost(const nn::TranslationModel& model, int64_t length, const LeagueTask& t) {
  NoGrad guard;
  nn::Evaluating evaluating;
  const int64_t first = data::Symbols::specials, kinds = std::min(t.task.source.classes(), t.task.target.classes());
  data::EncodedPair pair;
  for (int64_t i = 0; i < length; ++i)
    pair.source.push_back(first + i % kinds), pair.target.push_back(first + i % kinds);
  const data::Batch b = data::make_batch({pair}, {0});
  const Cost cost = attention_cost(model, b);
  if (!cost.whole) return cost;
  nn::Observe apart([](const nn::AttentionSeen&) {});  // an observer gets the weights step by step
  return attention_cost(model, b);
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {  // least squares of log y on log x
  double n = static_cast<double>(x.size()), sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void measure_slopes(Row& row, const nn::TranslationModel& model, const LeagueTask& t) {
  std::vector<double> lengths, work, seconds;
  for (int64_t length : {64, 128, 256}) {
    if (int64_t most = model.max_positions(); most > 0 && length >= most) return;
    Cost cost = attention_cost(model, length, t);
    if (cost.work <= 0) return;
    lengths.push_back(static_cast<double>(length)), work.push_back(cost.work), seconds.push_back(cost.seconds);
  }
  row.work_slope = slope(lengths, work), row.time_slope = slope(lengths, seconds);
}

void keep_weights(Row& row, const nn::TranslationModel& model, const LeagueTask& t) {
  if (!model.attends()) return;
  NoGrad guard;
  nn::Evaluating evaluating;
  const data::AlignedPair& shown = t.task.validation.front();
  data::Batch b = data::make_batch({t.task.encode(shown, {})}, {0});
  Variable weights;
  model(b.source, b.lengths, b.target_in, &weights);
  if (!weights.defined()) return;
  row.source = shown.source, row.target = shown.target;
  row.source.push_back("</s>"), row.target.push_back("</s>");
  row.weights = weights.value().to_vector();
}

struct Training {
  nn::TranslationModel& model;
  Pairs pairs;
  nn::Adam adam{nn::named_parameters(model), {}};

  double step(const data::Batch& b, double rate) {
    adam.learning_rate = rate;
    adam.zero_grad();
    nn::Penalties penalties;  // terms that a stage adds to the loss; hard attention learns from them only
    Variable loss = cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0});
    backward(penalties.empty() ? loss : loss + penalties.total());
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    return loss.item();
  }
};

// Batches of the epochs one after the other; tasks made by rule have new examples for all steps.
struct Batches {
  const Pairs& pairs;
  int64_t size;
  uint64_t seed;
  int64_t epoch = 0;
  size_t at = 0;
  std::vector<std::vector<int64_t>> members = {};
  data::Batch next() {
    if (at == members.size()) members = data::epoch_batches(pairs, size, seed, ++epoch), at = 0;
    return data::make_batch(pairs, members[at++]);
  }
};

void train_and_ask(Row& row, const app::TrainOptions& options, const LeagueTask& t, const Sizes& sizes,
                   const std::function<bool(double)>& step) {
  Generator rng(row.seed, 1 << 20);
  nn::TranslationModel model(options.model, {t.task.source.size(), t.task.target.size()}, rng);
  nn::assign_paths(model, "");
  row.parameters = nn::count_parameters(model);
  const Pairs inside = t.task.encode(t.task.validation), beyond = t.task.encode(t.beyond);
  const Pairs some(inside.begin(), inside.begin() + std::min<int64_t>(64, std::ssize(inside)));
  Training training{model, t.task.encode(t.task.train)};
  Batches batches{training.pairs, sizes.batch, row.seed};
  std::vector<double> microseconds;
  const int64_t every = std::max<int64_t>(1, sizes.steps / 20);
  std::vector<double> losses;
  double seconds = 0;
  auto measured_step = [&](const data::Batch& b, double rate) {  // the cost of one step
    reset_peak();
    Profile profile;
    const uint64_t before = allocator_stats().live_bytes;
    training.step(b, rate);
    row.bytes = static_cast<double>(allocator_stats().peak_bytes - before);
    for (const ProfileRow& r : profile.rows()) row.work += r.work;
    ++row.steps;
  };
  for (int64_t s = 0; s < sizes.steps && (sizes.budget <= 0 || seconds < sizes.budget); ++s) {
    data::Batch b = batches.next();
    if (s == every) {  // memory is warm
      measured_step(b, rate_at(s, sizes.steps, row.entrant.architecture));
      continue;
    }
    const auto start = Clock::now();
    const double loss = training.step(b, rate_at(s, sizes.steps, row.entrant.architecture));
    microseconds.push_back(1e6 * seconds_since(start));
    seconds += microseconds.back() / 1e6;
    ++row.steps;
    losses.push_back(loss);
    if (step && !step(loss)) return;
    if ((s + 1) % every == 0) {
      const double right = ask(model, some).right;
      row.curve.steps.push_back(static_cast<double>(s + 1)), row.curve.right.push_back(right);
      if (right >= 90 && row.steps_to_90 < 0) row.steps_to_90 = s + 1;
    }
  }
  // A budget may end the training before the cost was measured, and between two points of the curve.
  if (row.steps <= every) measured_step(batches.next(), rate_at(row.steps, sizes.steps, row.entrant.architecture));
  if (const auto end = static_cast<double>(row.steps); row.curve.steps.empty() || row.curve.steps.back() < end)
    row.curve.steps.push_back(end), row.curve.right.push_back(ask(model, some).right);
  const auto last = std::min(std::ssize(losses), static_cast<std::ptrdiff_t>(every));
  row.loss = std::accumulate(losses.end() - last, losses.end(), 0.0) / static_cast<double>(std::max<int64_t>(1, last));
  std::nth_element(microseconds.begin(), microseconds.begin() + std::ssize(microseconds) / 2, microseconds.end());
  if (!microseconds.empty()) row.microseconds = microseconds[microseconds.size() / 2];
  const Asked in = ask(model, inside), out = ask(model, beyond);
  row.inside = in.right, row.inside_exact = in.exact, row.beyond = out.right, row.beyond_exact = out.exact;
  measure_slopes(row, model, t);
  keep_weights(row, model, t);
}

}  // namespace

// A combination that is not possible throws when the model is made, and a training that diverges throws when its
// gradients are clipped.
Row compete(const Entrant& entrant, const LeagueTask& t, const Sizes& sizes, uint64_t seed,
            const std::function<bool(double)>& step) {
  Row row{.entrant = entrant, .task = t.name, .seed = seed};
  try {
    train_and_ask(row, league_model(entrant, t), t, sizes, step);
  } catch (const Error& error) { row.refused = error.what(); }
  return row;
}

}  // namespace heed::league
