// How far do two orders of summation move one training apart? A model's loss curve on one rank, and again with the same
// batches in two other orders, with the same dropout for each row:
//
//   rows     one rank, the rows of each batch reversed: every sum over rows is rounded in another order
//   ranks    two ranks (threads, which add as two processes do): each sums every second row, and then
//            the two sums are added
//
// If `ranks` differs from one rank no more than `rows` does, the difference is rounding. With ReLU a difference of 1e-7
// can switch a unit on or off, and from then on the curves drift apart; --activation gelu is smooth.
// --precision bf16 enlarges it: a number half-way between two neighbours of bf16 may be rounded to the other one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "nn/train/fit.h"
#include "tensor/row_places.h"
#include "tests/nn/train/thread_ranks.h"
#include "tests/published/published.h"
#include "tutorials/app/train_run.h"

namespace heed::published {
namespace {

struct Training {
  const app::TrainOptions& options;
  const app::TranslateData& data;
  int64_t steps;
};

std::vector<double> losses(const Training& t, bool reversed, nn::Ranks& ranks) {
  nn::Translator translator = app::fresh_translator(t.options, t.data);
  const std::vector<data::EncodedPair> pairs = translator.encode(t.data.train);
  const std::vector<data::EncodedPair> some(pairs.begin(), pairs.begin() + 1);  // the run ends before it is validated
  nn::FitModel model = nn::fit_model(translator.model);
  std::optional<RowScope> rows;  // to the next step: backward draws the same dropout
  if (reversed) {
    model.batch = [](const auto& all, std::vector<int64_t> members, const auto& whole, int64_t) {
      std::reverse(members.begin(), members.end());
      return data::make_batch(all, members, data::widths_of(all, whole));
    };
    model.logits = [&rows, logits = model.logits](const data::Batch& b) {
      rows.reset();
      rows.emplace(
          RowPlaces{.rows = b.source.size(0), .first = b.source.size(0) - 1, .step = -1, .all = b.source.size(0)});
      return logits(b);
    };
  }
  nn::FitOptions fit = app::fit_options(t.options);
  fit.ranks = &ranks, fit.measure = "loss";
  nn::FitRun run(model, pairs, some, fit);
  std::vector<double> curve;
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& s) { curve.push_back(s.loss); };
  while (run.steps() < t.steps && run.epoch() == 1) run.step(watcher);
  return curve;
}

}  // namespace

void orders(uint64_t seed, const OrdersOptions& given) {
  app::TrainOptions o = app::preset(given.preset);
  o.seed = static_cast<int64_t>(seed), o.bleu = false;
  for (const auto& [option, value] : {std::pair{"activation", given.activation}, {"precision", given.precision}})
    for (const nn::OptionField& field : app::fields_called(o, option))
      if (!value.empty()) app::assign(field, value);

  const app::TranslateData data = app::read_data({given.source, given.target, given.source, given.target}, o);
  const Training t{o, data, given.steps};
  const std::vector<double> one = losses(t, false, nn::alone());
  auto compare = [&](const char* name, const std::vector<double>& other) {
    for (const int64_t last : std::set<int64_t>{std::min<int64_t>(20, std::ssize(one)), std::ssize(one)}) {
      double worst = 0;
      int64_t first = 0;  // step at which a difference is larger than rounding makes it by itself
      for (int64_t i = 0; i < std::min(last, std::ssize(one)); ++i) {
        const double d = std::abs(one[static_cast<size_t>(i)] - other[static_cast<size_t>(i)]);
        if (first == 0 && d > 1e-5) first = i + 1;
        worst = std::max(worst, d);
      }
      fmt::print("seed {}  {:<14} {:4} steps: apart by {:.1e}{}\n", seed, name, last, worst,
                 first ? fmt::format(", first above 1e-5 at step {}", first) : "");
    }
  };
  compare("rows reversed", losses(t, true, nn::alone()));
  std::vector<double> two;
  nn_test::as_ranks(2, [&](nn::Ranks& ranks) {
    std::vector<double> curve = losses(t, false, ranks);
    if (ranks.root()) two = std::move(curve);
  });
  compare("two ranks", two);
}

}  // namespace heed::published
