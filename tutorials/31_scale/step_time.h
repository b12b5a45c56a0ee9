// Part 7 of the lesson: how long a training step takes if R processes share it, on paper.
//
// clang-format off
//   compute    c = max(N / R, w) per_word      of the rank's share: at least one sentence, w words
//   all-reduce t(n) = 2 (R - 1) (latency + n / (R rate))      n bytes in a ring (ring.h)
//
//   forward | backward ........................| update     a third of c, two thirds of c, u
//             [bucket 1 | bucket 2 | .. | bucket k ]        leaves when its gradients are there
//   step = max(c, the end of the last bucket) + u           and the one before it has arrived
// clang-format on
//
// N words of a step in all, R processes, k buckets of equal size. per_word and u are measured on this machine in one
// process; latency and rate are those of a network. (Li et al., VLDB 2020, has the buckets; the model of a message,
// latency + n / rate, is Hockney's: Parallel Computing 20, 1994.)
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nn/models/translation_model.h"
#include "nn/train/fit.h"
#include "tutorials/app/train_options.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/show.h"

namespace scale {

struct Network {
  std::string name;
  double latency, rate;  // seconds of a message, bytes per second
};
inline const std::vector<Network> kNetworks = {{"10 Gb/s", 30e-6, 10e9 / 8}, {"100 Gb/s", 5e-6, 100e9 / 8}};

struct StepCost {
  std::string name;
  double words = 0;                   // N, of a step in all
  double bytes = 0;                   // of the gradients
  double per_word = 0, update = 0;    // seconds: forward and backward of a word; clipping and Adam
  double smallest = 16;               // words of a sentence
  double bucket = 4 * 1024.0 * 1024;  // bytes
};

inline double all_reduce(double bytes, double ranks, const Network& net) {
  return 2 * (ranks - 1) * (net.latency + bytes / (ranks * net.rate));
}

inline double step_time(const StepCost& c, double ranks, const Network& net) {
  const double compute = std::max(c.words / ranks, c.smallest) * c.per_word;
  const double buckets = std::ceil(c.bytes / c.bucket);
  double arrived = 0;
  for (double i = 1; ranks > 1 && i <= buckets; ++i) {
    const double ready = compute * (1 + 2 * i / buckets) / 3;
    arrived = std::max(arrived, ready) + all_reduce(c.bytes / buckets, ranks, net);
  }
  return std::max(compute, arrived) + c.update;
}

inline double speed_up(const StepCost& c, double ranks, const Network& net) {
  return step_time(c, 1, net) / step_time(c, ranks, net);
}

// The most processes, a power of two up to 512, of which each still does half of the work that it does alone.
inline int64_t pays_up_to(const StepCost& c, const Network& net) {
  int64_t most = 1;
  for (int64_t R = 2; R <= 512; R *= 2)
    if (const auto ranks = static_cast<double>(R); speed_up(c, ranks, net) >= ranks / 2) most = R;
  return most;
}

// Vocabularies of the presets: those that learn pieces say how many; words that occur twice in Multi30k are 7,853 and
// 5,893.
inline nn::Vocabularies vocabularies_of(const heed::app::TrainOptions& o) {
  const int64_t pieces = std::max(o.bpe, o.bpe_vocabulary);
  return pieces > 0 ? nn::Vocabularies{pieces, pieces} : nn::Vocabularies{7853, 5893};
}

// A training run of a preset on sentences of 15 random words and </s>.
class RandomRun {
 public:
  RandomRun(const heed::app::TrainOptions& preset, int64_t words, uint64_t seed, nn::Ranks* ranks = nullptr,
            bool shard = false)
      : rng_(seed), model_(preset.model, vocabularies_of(preset), rng_) {
    const nn::Vocabularies sizes = vocabularies_of(preset);
    for (int64_t i = 0; i < std::max<int64_t>(1, words / 16) * 12; ++i) {
      heed::data::EncodedPair pair;
      for (int64_t t = 0; t < 15; ++t)
        pair.source.push_back(rng_.below(sizes.source - 4) + 4),
            pair.target.push_back(rng_.below(sizes.target - 4) + 4);
      pair.source.push_back(heed::text::Vocabulary::stop);
      pairs_.push_back(std::move(pair));
    }
    nn::FitOptions fit = preset.fit;
    fit.batch_tokens = 0, fit.batch_size = std::max<int64_t>(1, words / 16), fit.accumulate = 1, fit.epochs = 1;
    fit.ranks = ranks, fit.shard = shard, fit.measure = "loss";
    run_ = std::make_unique<nn::FitRun>(nn::fit_model(model_), pairs_, pairs_, fit);
  }
  // Seconds of the fastest of n steps; 11 steps in all can be taken.
  double fastest(int64_t n) {
    double least = INFINITY;
    for (int64_t i = 0; i < n; ++i) {
      const double before = run_->seconds();
      run_->step({});
      least = std::min(least, run_->seconds() - before);
    }
    return least;
  }
  double bytes() { return 4.0 * static_cast<double>(nn::count_parameters(model_)); }

 private:
  heed::Generator rng_;
  nn::TranslationModel model_;
  std::vector<heed::data::EncodedPair> pairs_;
  std::unique_ptr<nn::FitRun> run_;
};

// A preset's cost from the steps of two sizes.
inline StepCost cost_of_preset(const std::string& name, uint64_t seed) {
  const heed::app::TrainOptions o = heed::app::preset(name);
  StepCost c{.name = name};
  c.words =
      static_cast<double>((o.fit.batch_tokens > 0 ? o.fit.batch_tokens : o.fit.batch_size * 16) * o.fit.accumulate);
  const bool large = name == "base";
  const int64_t few = large ? 32 : 256, many = large ? 128 : 1024;
  double seconds[2];
  for (int64_t i = 0; i < 2; ++i) {
    RandomRun run(o, i == 0 ? few : many, seed);
    run.fastest(1);
    seconds[i] = run.fastest(large ? 1 : 3);
    c.bytes = run.bytes();
  }
  c.per_word = std::max(1e-7, (seconds[1] - seconds[0]) / static_cast<double>(many - few));
  c.update = std::max(0.0, seconds[0] - c.per_word * static_cast<double>(few));
  return c;
}

inline void the_step_time(heed::app::Lesson& lesson) {
  heed::app::heading("7  Many machines: the time of a step, on paper");
  std::vector<std::string> names = {"multi30k-tiny", "multi30k-small"};
  if (!lesson.quick()) names.insert(names.end(), {"rnn-attention", "rnn-every-step", "rnn-fixed", "base"});
  heed::report::TablePanel table{
      .title = "Where more processes stop to pay",
      .text =
          "Computed from two short steps that were measured on this machine, one process a machine. The last columns: "
          "up to how many processes a step of R is at least R / 2 times as fast as one.",
      .header = {"preset", "words a step", "gradients, MB", "one process, ms"}};
  for (const Network& net : kNetworks) table.header.push_back(net.name);
  heed::report::CurvesPanel curves{.title = "How many times faster is a step?",
                                   .text =
                                       "Computed. A process has at least one sentence, so at some point all curves "
                                       "end; with many processes the messages of the ring take longer.",
                                   .x_label = "processes",
                                   .y_label = "times as fast as one",
                                   .log_x = true,
                                   .log_y = true};
  for (const std::string& name : names) {
    const StepCost c = cost_of_preset(name, lesson.seed());
    table.rows.push_back({name, fmt::format("{:.0f}", c.words), fmt::format("{:.1f}", c.bytes / 1e6),
                          fmt::format("{:.0f}", 1e3 * step_time(c, 1, kNetworks[0]))});
    for (const Network& net : kNetworks) {
      table.rows.back().push_back(fmt::format("{}", pays_up_to(c, net)));
      if (name.starts_with("rnn")) continue;
      heed::report::Series series{.name = name + ", " + net.name};
      for (double ranks = 1; ranks <= 512; ranks *= 2) {
        series.x.push_back(ranks);
        series.y.push_back(speed_up(c, ranks, net));
      }
      curves.series.push_back(std::move(series));
    }
  }
  heed::app::show(lesson, table);
  lesson.report().curves(curves);
}

}  // namespace scale
