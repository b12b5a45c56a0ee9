#include "tutorials/common/copy_contest.h"

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_softmax.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"

namespace heed::app {

static data::Task training_task(const CopyTraining& t) {
  return data::copy_task({.symbols = t.symbols,
                          .lengths = t.lengths,
                          .parts = {.train = t.steps * t.batch, .validation = 0, .test = 0, .seed = t.seed}});
}

// Returns the losses.
static std::vector<double> learn(nn::EncoderDecoder& model, const std::string& name, const data::Task& task,
                                 const CopyTraining& t) {
  std::vector<double> losses;
  auto pairs = task.encode(task.train);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "symbols"});
  for (const auto& members : data::epoch_batches(pairs, t.batch, t.seed, 1)) {  // every sequence once
    data::Batch b = data::make_batch(pairs, members);
    adam.learning_rate = t.rate * (1 - static_cast<double>(losses.size()) / static_cast<double>(t.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), t.clip);
    adam.step();
    losses.push_back(loss.item());
    progress.step({.loss = loss.item(), .items = b.tokens});
  }
  progress.finish();
  nn::set_training(model, false);
  return losses;
}

TrainedCopier learn_to_copy(const std::string& name, const nn::AnyPaper& paper, const CopyTraining& t) {
  data::Task task = training_task(t);
  Generator rng(t.seed, 1 << 20);
  TrainedCopier copier{name, paper.make({task.source.size(), task.target.size()}, rng), {}};
  copier.losses = learn(*copier.model, name, task, t);
  return copier;
}

data::Task sequences_of(int64_t length, int64_t symbols, int64_t count, uint64_t seed) {
  return data::copy_task({.symbols = symbols,
                          .lengths = {length, length},
                          .parts = {.train = 0, .validation = 0, .test = count, .seed = seed}});
}

std::vector<std::vector<int64_t>> greedy_copies(const nn::EncoderDecoder& model,
                                                const std::vector<data::EncodedPair>& pairs) {
  NoGrad guard;
  std::vector<std::vector<int64_t>> written(pairs.size());
  for (const auto& members : data::sorted_batches(pairs, 100)) {
    data::Batch b = data::make_batch(pairs, members);
    std::vector<int64_t> limits;  // one more than is right: it must find the end itself
    for (int64_t m : members) limits.push_back(std::ssize(pairs[static_cast<size_t>(m)].target) + 1);
    auto found = nn::greedy(*model.search(b.source, b.lengths), {.max_lengths = limits});
    for (size_t r = 0; r < members.size(); ++r) written[static_cast<size_t>(members[r])] = found[r].tokens;
  }
  return written;
}

double places_right(const std::vector<std::vector<int64_t>>& written, const std::vector<data::EncodedPair>& pairs) {
  double right = 0, places = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& wanted = pairs[i].target;
    places += static_cast<double>(wanted.size());
    for (size_t t = 0; t < std::min(wanted.size(), written[i].size()); ++t) right += written[i][t] == wanted[t];
  }
  return 100 * right / places;
}

std::vector<double> right_by_length(const nn::EncoderDecoder& model, const std::vector<int64_t>& lengths,
                                    const CopyTraining& t, int64_t count) {
  std::vector<double> right;
  for (int64_t length : lengths) {
    data::Task task = sequences_of(length, t.symbols, count, t.seed);
    auto pairs = task.encode(task.test);
    right.push_back(places_right(greedy_copies(model, pairs), pairs));
  }
  return right;
}

double mean_right(const std::vector<double>& right, const std::vector<int64_t>& lengths, data::Range range) {
  double total = 0, count = 0;
  for (size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] >= range.least && lengths[i] <= range.most) total += right[i], ++count;
  return total / count;
}

}  // namespace heed::app
