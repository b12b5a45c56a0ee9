// The lesson as one of several processes: mpirun -n 2 ./heed run 31
//
// The toy of part 1 is trained by all processes together, and by each of them alone: the same curve, up to the order of
// the additions. Then the step of a preset is predicted from what is measured without sharing, and measured.
#pragma once

#include <chrono>
#include <thread>

#include "nn/ranks.h"
#include "nn/train/exchange.h"
#include "tutorials/31_scale/step_time.h"

namespace scale {

// One rank's part of part 1: `exchange` adds the gradients up while backward still computes.
inline std::vector<double> train_with(nn::Ranks& ranks, bool shard, const Grammar& g, const Setting& s) {
  heed::Generator rng(s.seed), dice(s.seed, 1ull << 40);
  nn::TransformerOptions options = speaking::options_of(g, s.model, s.layers);
  options.activation = "gelu";
  nn::LanguageModel m(options, rng);
  nn::GradientExchange exchange(ranks, nn::named_parameters(m), {.shard = shard});
  nn::Adam adam(exchange.pieces(), {.learning_rate = s.rate});
  std::vector<double> losses;
  for (int64_t t = 0; t < s.steps; ++t) {
    const Sentences batch = micro_batches(speaking::draw(g, s.batch, dice), 1)[0];  // sorted; the same on all
    Sentences own;
    for (int64_t i = ranks.rank(); i < std::ssize(batch); i += ranks.size())
      own.push_back(batch[static_cast<size_t>(i)]);
    const auto words = static_cast<double>(speaking::words_of(batch));
    const Lines lines = speaking::lines_of(own);
    const Variable loss =
        cross_entropy(m(lines.in), lines.out,
                      {.ignore_index = speaking::Vocabulary::pad, .reduction = heed::Reduction::sum}) /
        words;
    backward(loss, {.ready = exchange.ready()});
    std::vector<double> numbers{loss.item()};
    exchange.finish(numbers);  // the sums of the ranks
    nn::clip_grad_norm(exchange.pieces(), s.clip, {.ranks = shard ? &ranks : nullptr});
    adam.step();
    exchange.gather_parameters();
    adam.zero_grad();
    losses.push_back(numbers[0]);
  }
  return losses;
}

// Latency and rate of the processes' own sums, of a few bytes and of a bucket. On one machine the sums
// need the processors that also compute, so the two do not overlap.
inline Network measured_network(nn::Ranks& ranks) {
  using Clock = std::chrono::steady_clock;
  auto fastest = [&](int64_t numbers) {
    const heed::Tensor x = heed::Tensor::zeros({numbers});
    double least = INFINITY;
    for (int i = 0; i < 20; ++i) {
      ranks.barrier();
      const auto begin = Clock::now();
      ranks.start_sum(x)->wait();
      least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return ranks.largest(least);
  };
  const auto R = static_cast<double>(ranks.size());
  const double few = fastest(1), bucket = fastest(int64_t{1} << 20);
  Network net{.name = "here", .latency = few / (2 * (R - 1)), .rate = 0};
  net.rate = 2 * (R - 1) / R * 4 * static_cast<double>(int64_t{1} << 20) / std::max(1e-9, bucket - few);
  return net;
}

inline void predict(nn::Ranks& ranks, const std::string& name, uint64_t seed) {
  heed::app::heading(fmt::format("A step of {}: predicted and measured (shown, not claimed)", name));
  const heed::app::TrainOptions preset = heed::app::preset(name);
  const int64_t R = ranks.size(), words = preset.fit.batch_tokens / 16 * 16;
  const Network net = measured_network(ranks);
  RandomRun own_run(preset, words / R, seed), whole_run(preset, words, seed), shared_run(preset, words, seed, &ranks);
  std::vector<double> owns, wholes, shareds;
  for (int64_t i = 0; i < 11; ++i)  // in turn, because a machine is not equally fast all the time
    for (auto [run, times] :
         {std::pair(&own_run, &owns), std::pair(&shared_run, &shareds), std::pair(&whole_run, &wholes)}) {
      ranks.barrier();
      const double seconds = ranks.largest(run->fastest(1));
      if (i > 1) times->push_back(seconds);
    }
  auto median = [](std::vector<double> x) {
    std::ranges::nth_element(x, x.begin() + std::ssize(x) / 2);
    return x[x.size() / 2];
  };
  const double own = median(owns), whole = median(wholes), measured = median(shareds), bytes = own_run.bytes();
  const double buckets = std::ceil(bytes / StepCost().bucket);
  const double predicted = own + buckets * all_reduce(bytes / buckets, static_cast<double>(R), net);
  heed::app::tell("   one process, the whole batch of {} words      {:8.1f} ms\n", words, 1e3 * whole);
  heed::app::tell("   its share of the batch, nothing shared          {:8.1f} ms\n", 1e3 * own);
  heed::app::tell("   a sum of {:.1f} MB: {:.0f} us and {:.2f} GB/s        {:8.1f} ms\n", bytes / 1e6,
                  1e6 * net.latency, net.rate / 1e9, 1e3 * (predicted - own));
  heed::app::tell("   predicted                                       {:8.1f} ms\n", 1e3 * predicted);
  heed::app::tell("   measured                                        {:8.1f} ms, {:+.1f} % of the prediction\n",
                  1e3 * measured, 100 * (measured / predicted - 1));
  heed::app::tell("   times as fast as one process                    {:8.2f}\n", whole / measured);
}

inline int as_one_of(nn::Ranks& ranks, uint64_t seed, bool quick) {
  const int64_t R = ranks.size();
  heed::app::heading(fmt::format("The toy of part 1, trained by {} processes", R));
  Grammar g;
  const Setting s{.steps = quick ? 30 : 200, .seed = seed};
  const std::vector<double> alone = train_with(nn::alone(), false, g, s);
  bool right = true;
  for (const bool shard : {false, true}) {
    const std::vector<double> together = train_with(ranks, shard, g, s);
    double worst = 0;
    for (size_t t = 0; t < alone.size(); ++t) worst = std::max(worst, std::abs(alone[t] - together[t]));
    worst = ranks.largest(worst);
    right = right && worst <= 1e-5;
    heed::app::tell("   {} steps, {}: loss curve apart by {:.1e} nats per word (at most 1e-5)\n", s.steps,
                    shard ? "moments of Adam shared out" : "all moments everywhere", worst);
  }
  for (const char* name : {"multi30k-tiny", "multi30k-small"}) predict(ranks, name, seed);
  return right ? 0 : 1;
}

}  // namespace scale
