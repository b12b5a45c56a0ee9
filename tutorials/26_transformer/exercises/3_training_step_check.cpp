// Hints and checks of exercise 26.3.
#include "tutorials/26_transformer/exercises/3_training_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/backward.h"
#include "nn/data/batches.h"
#include "nn/optim/warmup.h"
#include "nn/transformer/transformer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using namespace mine;
Tensor is_word(const Tensor& ids) {
  std::vector<int> words;
  for (double id : ids.to_vector()) words.push_back(id != static_cast<double>(kPad));
  return Tensor::from_bools(words, ids.shape());
}

// A transformer of one layer each, which takes its masks from the batch.
struct Small {
  explicit Small(Generator& rng)
      : whole({.source_vocabulary = 9,
               .target_vocabulary = 11,
               .model = 8,
               .heads = 2,
               .inner = 12,
               .encoder_layers = 1,
               .decoder_layers = 1,
               .dropout = 0},
              rng),
        decoder({.layer = {.model = 8, .heads = 2, .inner = 12, .cross = true}, .layers = 1}, rng) {
    nn::convert(whole, DType::f64), nn::convert(decoder, DType::f64);
  }
  Variable operator()(const Batch& b) const {
    Variable m = whole.encoder(whole.source_embedding(b.source), {.self = {.words = b.words}}).output;
    Variable h = decoder(whole.target_embedding(b.input),
                         {.self = {.allowed = b.allowed}, .memory = m, .cross = {.words = b.words}})
                     .output;
    return whole.logits(h);
  }
  std::vector<NamedVariable> parameters() {
    auto all = nn::named_parameters(whole);
    std::erase_if(all, [](const auto& p) { return p.name.starts_with("decoder"); });
    for (auto& p : nn::named_parameters(decoder)) all.push_back({"own_" + p.name, p.variable});
    return all;
  }
  nn::Transformer whole;         // its decoder adds a causal mask by itself,
  nn::TransformerStack decoder;  // this one does not
};

const std::vector<Sentences> kSources{
    {{4, 5, 6, 3}, {7, 3}, {8, 4, 3}}, {{5, 8, 3}, {6, 3}}, {{7, 7, 4, 5, 3}, {6, 3}}};
const std::vector<Sentences> kTargets{{{4, 9}, {5, 6, 7, 10}, {8}}, {{10, 4, 4}, {9}}, {{6, 5}, {7, 8, 9}}};
constexpr Settings kSettings{.smoothing = 0.2, .width = 8, .warmup = 2};

// Three steps with the library's batches, loss and schedule: the losses.
std::vector<double> expected_losses() {
  Generator rng(4);
  Small model(rng);
  nn::Adam adam(model.parameters(), {});
  nn::Noam schedule({.width = kSettings.width, .warmup = kSettings.warmup});
  std::vector<double> losses;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<data::EncodedPair> pairs;
    std::vector<int64_t> members;
    for (std::size_t b = 0; b < kSources[i].size(); ++b) {
      pairs.push_back({kSources[i][b], kTargets[i][b]});
      members.push_back(static_cast<int64_t>(b));
    }
    data::Batch b = data::make_batch(pairs, members);
    const int64_t T = b.target_in.size(1);
    Tensor allowed = Tensor::zeros({T, T}, DType::boolean);
    for (int64_t t = 0; t < T; ++t)
      for (int64_t j = 0; j <= t; ++j) allowed.set({t, j}, 1);
    Variable logits = model({b.source, is_word(b.source), b.target_in, b.target_out, allowed});
    Variable loss = cross_entropy(logits, b.target_out, {.label_smoothing = kSettings.smoothing, .ignore_index = kPad});
    adam.zero_grad();
    backward(loss);
    adam.step(schedule);
    losses.push_back(loss.item());
  }
  return losses;
}

void examine(app::Exercise& e) {
  Batch b = make_batch({{4, 5, 6, 3}, {7, 3}}, {{8, 9}, {4}});
  auto ids = [](const std::vector<int64_t>& values, const Shape& shape) { return Tensor::from(values, shape); };
  e.check("source of the batch, element ", b.source, ids({4, 5, 6, 3, 7, 3, 0, 0}, {2, 4}), 0);
  e.check("its mask, element ", b.words, Tensor::from_bools({1, 1, 1, 1, 1, 1, 0, 0}, {2, 4}), 0);
  e.check("input of the decoder, element ", b.input, ids({2, 8, 9, 2, 4, 0}, {2, 3}), 0);
  e.check("output to predict, element ", b.output, ids({8, 9, 3, 4, 3, 0}, {2, 3}), 0);
  e.check("causal mask, element ", b.allowed, Tensor::from_bools({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3}), 0);
  Generator rng(2);
  Variable logits(Tensor::normal({2, 3, 11}, rng, 0, 2, DType::f64));
  Tensor output = ids({8, 9, 3, 4, 3, 0}, {2, 3});
  for (double smoothing : {0.0, 0.3})
    e.check(fmt::format("the loss with e = {}", smoothing), smoothed_loss(logits, output, smoothing).value(),
            cross_entropy(logits, output, {.label_smoothing = smoothing, .ignore_index = kPad}).value(), 1e-10);
  nn::Noam schedule({.width = 64, .warmup = 100});
  for (int64_t step : {1, 50, 100, 400})
    e.check(fmt::format("the rate of step {}, D = 64, warm-up 100", step), 1000 * rate(step, {0, 64, 100}),
            1000 * schedule(step), 1e-9);
  Generator start(4);
  Small model(start);
  nn::Adam adam(model.parameters(), {});
  std::vector<double> losses;
  for (std::size_t i = 0; i < 3; ++i)
    losses.push_back(train_step([&](const Batch& x) { return model(x); }, adam, kSources[i], kTargets[i], kSettings));
  static const std::vector<double> expected = expected_losses();
  e.check("the loss of three steps of training, step ", losses, expected, 1e-9);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("26", 3, "A training step");
  e.hint(
      "rows.resize((b + 1) * T, kPad) fills row b of a flat vector up; Tensor::from(rows, {B, T}) gives it its shape.");
  e.hint("Tensor::from_bools takes a std::vector<int>: 1 where attention is allowed.");
  e.hint(
      "squeeze(gather(log_p, output.unsqueeze(2)), 2) is log p of the right word; mean(log_p, {-1}) is that of all.");
  e.hint("masked_fill(loss, padding, 0) makes the padding 0; divide the sum by the number of positions that are left.");
  e.hint("zero_grad, backward, learning_rate = rate(adam.steps() + 1, settings), step: in this order.");
  e.insight(
      "One call trains all positions of all sentences, because the shift and the causal mask make each position a\n"
      "question of its own. Repeated some thousands of times, such a step trains the translators of this lesson.",
      "./heed exercise 26 4");
  return e.run(argc, argv, examine);
}
