#include "tutorials/app/mine/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "nn/optim/warmup.h"
#include "nn/train/interrupt.h"
#include "nn/train/progress.h"

namespace heed::app {

void train_mine(Assembled& model, const std::vector<data::EncodedPair>& pairs, const MineTraining& o) {
  const Pieces& pieces = model.pieces;
  std::vector<NamedVariable> parameters = model.trained();
  Pieces::Update update = pieces.optimiser(parameters);
  const auto batches = static_cast<int64_t>(data::epoch_batches(pairs, o.batch_size, o.seed, 0).size());
  const int64_t steps = batches * o.epochs;
  const double peak = o.learning_rate;
  nn::WarmupLinear rate({.peak = peak,
                         .start = peak / 50,
                         .warmup = std::min<int64_t>(50, steps / 4),
                         .total = steps,
                         .floor = peak / 20});
  nn::Interrupt interrupt;
  nn::Progress progress(steps, {.label = "training", .unit = "words"});
  nn::set_training(model, true);
  int64_t step = 0;
  for (int64_t epoch = 1; epoch <= o.epochs; ++epoch) {
    progress.epoch(epoch, o.epochs);
    for (const auto& members : data::epoch_batches(pairs, o.batch_size, o.seed, epoch)) {
      data::Batch batch = forced_batch(pieces, pairs, members);
      for (NamedVariable& p : parameters) p.variable.zero_grad();
      Variable loss = pieces.loss(model(batch.source, batch.lengths, batch.target_in), batch.target_out);
      if (!std::isfinite(loss.item()))
        throw InputError(
            fmt::format("translate --mine: the loss must stay finite; got {} at step {}; hint: a smaller "
                        "--learning-rate than {}",
                        loss.item(), step + 1, o.learning_rate));
      backward(loss);
      pieces.clip(parameters, o.clip);
      update(rate(++step));
      progress.step({.loss = loss.item(), .items = batch.tokens});
      interrupt.check();
    }
  }
  progress.finish();
  nn::set_training(model, false);
}

std::vector<std::string> translate_mine(const Assembled& model, const nn::TranslatorParts& parts,
                                        const data::EncodedPair& pair, size_t width) {
  const auto length = std::ssize(pair.source);
  Tensor source = Tensor::from(pair.source, {1, length}), lengths = Tensor::from(std::vector<int64_t>{length}, {1});
  const int64_t limit = 2 * length + 5;  // no sentence of the grammar needs more
  const Pieces& pieces = model.pieces;
  return parts.target.decode(width == 0 ? pieces.greedy(model, source, lengths, limit)
                                        : pieces.beam(model, source, lengths, limit, width));
}

MineScore score_mine(const Pieces& pieces, const nn::TranslatorParts& parts,
                     const std::vector<data::EncodedPair>& pairs, const Translate& translate) {
  MineScore score;
  double long_enough = 0;
  for (const data::EncodedPair& pair : pairs) {
    std::vector<std::string> reference = parts.target.decode(pair.target), words = translate(pair);
    ++score.sentences;
    score.exact += words == reference;
    if (reference.size() < 4) continue;
    score.bleu += pieces.bleu(words, reference);
    ++long_enough;
  }
  score.bleu /= std::max(long_enough, 1.0);
  return score;
}

}  // namespace heed::app
