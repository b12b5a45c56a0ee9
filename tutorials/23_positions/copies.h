// Copying beyond the trained length: a transformer with two encoder and two decoder layers, compared with the LSTM with
// attention of lesson 12. Both are trained on 4 to 12 symbols and tested by greedy decoding.
#pragma once

#include <numeric>

#include "nn/data/batches.h"
#include "nn/transformer/transformer_search.h"
#include "tutorials/23_positions/two_left.h"
#include "tutorials/common/copy_contest.h"

namespace positions {

namespace data = heed::data;

inline nn::Transformer learn_to_copy(const std::string& positions, const heed::app::CopyTraining& t) {
  data::Task task =
      data::copy_task({.symbols = t.symbols,
                       .lengths = t.lengths,
                       .parts = {.train = t.steps * t.batch, .validation = 0, .test = 0, .seed = t.seed}});
  nn::TransformerOptions o;
  o.source_vocabulary = task.source.size(), o.target_vocabulary = task.target.size();
  o.model = 64, o.heads = 4, o.inner = 128, o.encoder_layers = o.decoder_layers = 2;
  o.norm_first = true, o.dropout = 0, o.positions = positions, o.max_positions = 64;
  Generator rng(t.seed, 1ull << 20);
  nn::Transformer model(o, rng);
  auto pairs = task.encode(task.train);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = "copy, " + positions, .unit = "symbols"});
  int64_t step = 0;
  for (const auto& members : data::epoch_batches(pairs, t.batch, t.seed, 1)) {
    data::Batch b = data::make_batch(pairs, members);
    adam.learning_rate = t.rate * (1 - static_cast<double>(step++) / static_cast<double>(t.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), t.clip);
    adam.step();
    progress.step({.loss = loss.item(), .items = b.tokens});
  }
  nn::set_training(model, false);
  return model;
}

inline std::vector<double> right_by_length(const nn::Transformer& model, const std::vector<int64_t>& lengths,
                                           const heed::app::CopyTraining& t, int64_t count) {
  heed::NoGrad guard;
  std::vector<double> right;
  for (int64_t length : lengths) {
    data::Task task = heed::app::sequences_of(length, t.symbols, count, t.seed);
    auto pairs = task.encode(task.test);
    std::vector<int64_t> all(pairs.size());
    std::iota(all.begin(), all.end(), 0);
    data::Batch b = data::make_batch(pairs, all);
    nn::TransformerSearch search(model, b.source, b.lengths);
    std::vector<std::vector<int64_t>> written;
    std::vector<int64_t> limits(pairs.size(), length + 1);
    for (const auto& h : nn::greedy(search, {.max_lengths = limits})) written.push_back(h.tokens);
    right.push_back(heed::app::places_right(written, pairs));
  }
  return right;
}

}  // namespace positions
