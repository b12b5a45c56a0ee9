#include "nn/sentence/training.h"

#include <numeric>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/pool.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

using data::Batch;
using data::EncodedPair;
using Members = std::vector<int64_t>;

FitModel fit_encoder(SentenceEncoder& e) {
  return {.parameters = named_parameters(e.model),
          .logits = {},
          .set_training = [&e](bool training) { set_training(e.model, training); },
          .parts = Parts{part("model", e.model), generators_part("generators", e.model)}};
}

Variable guesses(const SentenceEncoder& e, const Batch& b) {  // [N, V]
  return e.model(b.source, b.lengths, data::segment_kinds(b.source, e.marks().sep), b.target_in);
}

// The sources, followed by the targets: [2 B, S]
Batch both_sides(const std::vector<EncodedPair>& pairs, Members members) {
  std::vector<EncodedPair> rows;
  for (int64_t m : members) rows.push_back({pairs.at(static_cast<size_t>(m)).source, {}});
  for (int64_t m : members) rows.push_back({pairs.at(static_cast<size_t>(m)).target, {}});
  Members all(rows.size());
  std::iota(all.begin(), all.end(), 0);
  Batch batch = data::make_batch(rows, std::move(all));
  batch.tokens = std::ssize(members);
  batch.members = std::move(members);
  return batch;
}

}  // namespace

FitModel fit_masked_words(SentenceEncoder& e, const data::MaskingOptions& masking) {
  FitModel model = fit_encoder(e);
  model.batch = [masking](const std::vector<EncodedPair>& texts, const Members& members, const Members& whole,
                          int64_t epoch) {
    return data::masked_batch(texts, members, masking, epoch, data::widths_of(texts, whole));
  };
  model.logits = [&e](const Batch& b) { return guesses(e, b); };
  return model;
}

FitModel fit_contrastive(SentenceEncoder& e, const std::string& pooling, const ContrastiveOptions& options) {
  FitModel model = fit_encoder(e);
  model.batch = [](const std::vector<EncodedPair>& pairs, const Members& members, const Members&, int64_t) {
    return both_sides(pairs, members);
  };
  model.loss = [&e, pooling, options](const Batch& b) {
    Annotations a = e.annotate(b.source, b.lengths);
    Variable v = pool(pooling, a.x, a.words);  // [2 B, D]
    return contrastive_loss(slice(v, 0, 0, b.tokens), slice(v, 0, b.tokens, 2 * b.tokens), options);
  };
  return model;
}

double masked_word_accuracy(const SentenceEncoder& e, const std::vector<EncodedPair>& texts,
                            const data::MaskingOptions& masking) {
  NoGrad guard;
  Evaluating evaluating;
  int64_t right = 0, asked = 0;
  for (auto& members : data::sorted_batches(texts, 128)) {
    Batch b = data::masked_batch(texts, members, masking, 0);
    Tensor best = argmax(guesses(e, b).value(), -1);
    for (int64_t i = 0; i < b.tokens; ++i) right += best.data<int64_t>()[i] == b.target_out.data<int64_t>()[i];
    asked += b.tokens;
  }
  return static_cast<double>(right) / static_cast<double>(asked);
}

}  // namespace heed::nn
