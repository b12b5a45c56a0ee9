// Questions that need two looks: the memory holds the steps of a round trip, "x y" for "from x one goes to y", in
// random order, and the question is where one is after two steps.
//
//   c a | a d | b c | d b      question a, answer b: a -> d -> b
//
// One look finds d. Only then is it known that the second entry to read is "d b". N entries of two symbols, K symbols.
#pragma once

#include "tutorials/20_memory/training.h"

namespace memory {

struct ChainBatch {
  Tensor story;     // [B, N, 2] i64, ids from 1 on
  Tensor question;  // [B, 1] i64
  Tensor labels;    // [B] i64: the id after two steps
};
inline ChainBatch chains(int64_t batch, int64_t N, int64_t symbols, Generator& rng) {
  std::vector<int64_t> story, question, labels;
  auto shuffled = [&](int64_t count) {
    std::vector<int64_t> all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    for (size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[static_cast<size_t>(rng.below(static_cast<int64_t>(i)))]);
    return all;
  };
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<int64_t> trip = shuffled(symbols);  // the first N of them
    auto place = [&](int64_t i) { return trip[static_cast<size_t>(i % N)] + 1; };
    for (int64_t i : shuffled(N)) story.push_back(place(i)), story.push_back(place(i + 1));
    int64_t start = rng.below(N);
    question.push_back(place(start)), labels.push_back(place(start + 2));
  }
  return {Tensor::from(story, {batch, N, 2}), Tensor::from(question, {batch, 1}), Tensor::from(labels, {batch})};
}

struct ChainOptions {
  int64_t hops = 2, steps = 1500, batch = 32, entries = 6, symbols = 12;
  double rate = 1e-2;
  uint64_t seed = 1;
};
struct ChainResult {
  double right = 0;            // in %
  std::vector<double> first;   // for each hop, the mean weight on the entry of the first step, in %
  std::vector<double> second;  // .. and on the entry of the second step
};
inline ChainResult learn_chains(const ChainOptions& o) {
  Generator rng(o.seed, 1 << 20), draws(o.seed, 1 << 21), tests(77, 1 << 22);
  nn::MemoryNetwork network({.vocabulary = o.symbols + 1, .width = 32, .hops = o.hops, .sentences = 0}, rng);
  nn::Adam adam(nn::named_parameters(network), {.learning_rate = o.rate});
  nn::Progress progress(o.steps, {.label = fmt::format("{} hops", o.hops), .unit = "questions"});
  for (int64_t s = 0; s < o.steps; ++s) {
    ChainBatch b = chains(o.batch, o.entries, o.symbols, draws);
    adam.learning_rate = o.rate * (1 - static_cast<double>(s) / static_cast<double>(o.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(network(b.story, b.question).logits, b.labels);
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    progress.step({.loss = loss.item(), .items = o.batch});
  }
  progress.finish();
  nn::set_training(network, false);
  heed::NoGrad guard;
  ChainBatch b = chains(400, o.entries, o.symbols, tests);
  nn::MemoryAnswer seen = network(b.story, b.question);
  Tensor named = argmax(seen.logits.value(), 1), w = seen.weights.value();
  ChainResult out{0, std::vector<double>(static_cast<size_t>(o.hops)),
                  std::vector<double>(static_cast<size_t>(o.hops))};
  for (int64_t i = 0; i < 400; ++i) {
    out.right += named.at({i}) == b.labels.at({i}) ? 0.25 : 0;
    for (int64_t n = 0; n < o.entries; ++n)
      for (int64_t k = 0; k < o.hops; ++k) {
        if (b.story.at({i, n, 0}) == b.question.at({i, 0})) out.first[static_cast<size_t>(k)] += w.at({i, k, n}) / 4;
        if (b.story.at({i, n, 1}) == b.labels.at({i})) out.second[static_cast<size_t>(k)] += w.at({i, k, n}) / 4;
      }
  }
  return out;
}

}  // namespace memory
