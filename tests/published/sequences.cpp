// Sequence to sequence: JoeyNMT's reverse task, the copy task of the annotated encoder-decoder, dates.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops_softmax.h"
#include "nn/data/tasks/dates.h"
#include "nn/data/tasks/sequences.h"
#include "nn/models/bahdanau.h"
#include "nn/models/luong.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/text/bleu.h"
#include "nn/train/fit.h"
#include "tests/published/published.h"

namespace heed::published {
namespace {

struct Training {
  int64_t updates, batch;
  double learning_rate, clip = 0;
  int64_t every;                                                // updates between two looks
  bool decay = false;                                           // the learning rate falls to 0 in a straight line
  int64_t epoch = 0;                                            // sequences of a random part of the data; 0: all
  std::function<void(int64_t step, double seconds)> look = {};  // seconds of training so far
};

// Batches of sequences in random order, whatever their lengths, as those programs have them.
void train(nn::EncoderDecoder& model, const std::vector<data::EncodedPair>& pairs, const Training& t, uint64_t seed) {
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.learning_rate});
  std::vector<int64_t> order(pairs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  int64_t epoch = t.epoch ? t.epoch : static_cast<int64_t>(pairs.size()), at = epoch;
  Generator rng(seed + 1000);
  double seconds = 0;
  for (int64_t step = 1; step <= t.updates; ++step) {
    auto start = std::chrono::steady_clock::now();
    nn::set_training(model, true);
    if (at + t.batch > epoch) rng.shuffle(order), at = 0;
    data::Batch b = data::make_batch(pairs, {order.begin() + at, order.begin() + at + t.batch});
    at += t.batch;
    double left = static_cast<double>(t.updates - step + 1) / static_cast<double>(t.updates);
    if (t.decay) adam.learning_rate = t.learning_rate * left;
    adam.zero_grad();
    backward(cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0}));
    if (t.clip > 0) nn::clip_grad_norm(adam.parameters(), t.clip);
    adam.step();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (step % t.every != 0) continue;
    nn::set_training(model, false);
    t.look(step, seconds);
  }
}

std::vector<std::string> decoded(const nn::EncoderDecoder& model, const std::vector<data::EncodedPair>& pairs,
                                 const data::Symbols& symbols, const char* between) {
  std::vector<std::string> out(pairs.size());
  for (const auto& members : data::sorted_batches(pairs, 100)) {
    data::Batch b = data::make_batch(pairs, members);
    auto found =
        nn::greedy(*model.search(b.source, b.lengths), {.max_lengths = std::vector<int64_t>(members.size(), 40)});
    for (size_t r = 0; r < members.size(); ++r)
      out[static_cast<size_t>(members[r])] = fmt::format("{}", fmt::join(symbols.decode(found[r].tokens), between));
  }
  return out;
}

std::vector<std::string> lines(const std::vector<data::AlignedPair>& pairs, const char* between) {
  std::vector<std::string> out;
  for (const auto& p : pairs) out.push_back(fmt::format("{}", fmt::join(p.target, between)));
  return out;
}

double exact(const std::vector<std::string>& got, const std::vector<std::string>& wanted) {
  double right = 0;
  for (size_t i = 0; i < got.size(); ++i) right += got[i] == wanted[i];
  return 100 * right / static_cast<double>(got.size());
}

template <class M>  // the paper
M make_model(typename M::Options o, int64_t embedding, const data::Task& task, uint64_t seed) {
  o.source = {task.source.size(), embedding}, o.target = {task.target.size(), embedding};
  o.encoder.hidden = o.decoder.hidden = 64;
  Generator rng(seed);
  return M(o, rng);
}

}  // namespace

void reverse(uint64_t seed) {
  data::Task task = data::reverse_task(data::joeynmt_reverse_options());
  nn::Luong::Options o;
  o.encoder.cell = o.decoder.cell = "lstm";
  o.attention.score.name = "general", o.input_feeding = true, o.start = "last", o.dropout = 0.1;
  auto model = make_model<nn::Luong>(o, 16, task, seed);
  auto dev = task.encode(task.validation), test = task.encode(task.test);
  auto bleu = [&](const std::vector<data::EncodedPair>& pairs, const std::vector<data::AlignedPair>& gold) {
    return text::bleu(decoded(model, pairs, task.target, " "), lines(gold, " "), {.tokens = text::BleuTokens::none})
        .bleu;
  };
  double best = 0;
  Training t{.updates = 7000, .batch = 24, .learning_rate = 1e-3, .clip = 1, .every = 1000, .epoch = 40000};
  t.look = [&](int64_t step, double seconds) {
    double b = bleu(dev, task.validation);
    best = std::max(best, b);
    fmt::print("reverse seed {} step {} dev BLEU {:.2f} best {:.2f}, {:.1f} s an epoch\n", seed, step, b, best,
               seconds / static_cast<double>(step * t.batch) * 40000);
  };
  train(model, task.encode(task.train), t, seed);
  fmt::print("reverse seed {} test BLEU {:.2f} dev best {:.2f} (published: test 95.19, dev 95.42, 61.1 s an epoch)\n",
             seed, bleu(test, task.test), best);
}

void copy(uint64_t seed) {
  data::Task task = data::copy_task(data::annotated_copy_options(seed));
  nn::Bahdanau::Options o;
  o.start = "last", o.dropout = 0.1;
  auto model = make_model<nn::Bahdanau>(o, 32, task, seed);
  auto dev = task.encode(task.validation);
  Training t{.updates = 1000, .batch = 32, .learning_rate = 3e-4, .every = 100};
  t.look = [&](int64_t step, double) {
    double perplexity = std::exp(nn::mean_loss(nn::fit_model(model), dev));
    fmt::print("copy seed {} step {} dev perplexity {:.3f}\n", seed, step, perplexity);
  };
  train(model, task.encode(task.train), t, seed);
}

void dates(uint64_t seed) {
  data::DateOptions options;
  options.parts = {.train = 10000, .validation = 500, .test = 1000, .seed = seed};
  data::Task task = data::date_task(options);
  if (seed == 1)
    for (const std::string& f : data::date_formats()) fmt::print("format {}\n", f);
  auto model = make_model<nn::Bahdanau>({}, 32, task, seed);
  auto test = task.encode(task.test);
  auto wanted = lines(task.test, "");
  Training t{.updates = 2000, .batch = 64, .learning_rate = 2e-3, .clip = 1, .every = 500, .decay = true};
  t.look = [&](int64_t step, double seconds) {
    fmt::print("dates seed {} step {} exact {:.2f} %, {:.1f} s\n", seed, step,
               exact(decoded(model, test, task.target, ""), wanted), seconds);
  };
  train(model, task.encode(task.train), t, seed);
}

}  // namespace heed::published
