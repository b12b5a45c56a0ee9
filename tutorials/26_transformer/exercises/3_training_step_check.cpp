// Hints, common mistakes and checks of exercise 26.3.
#include "tutorials/26_transformer/exercises/3_training_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "nn/data/batches.h"
#include "nn/optim/warmup.h"
#include "nn/transformer/transformer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using namespace mine;

struct Answer {
  std::function<Batch(const Sentences&, const Sentences&)> batch;
  std::function<Variable(const Variable&, const Tensor&, double)> loss;
  std::function<double(int64_t, const Settings&)> rate;
  std::function<double(const Model&, nn::Adam&, const Sentences&, const Sentences&, const Settings&)> step;
};

// The right answer with one part exchanged.
struct Wrong {
  bool open_loss = false, open_rate = false, open_step = false;
  bool no_shift = false, no_stop = false, stop_in_input = false, all_words = false;       // batch
  bool sees_later = false, not_itself = false, transposed = false, inverted = false;      // masks
  bool padding = false, over_places = false, sum = false, per_sentence = false;           // loss
  bool no_smoothing = false, others_only = false, whole_sum = false, exchanged = false;   // loss: smoothing
  bool maximum = false, from_zero = false, no_width = false, only_rises = false;          // rate
  bool keeps_gradients = false, late_rate = false, no_rate = false, no_backward = false;  // step
};

Tensor padded(const Sentences& rows, std::size_t length) {
  std::vector<int64_t> all;
  for (const auto& row : rows) {
    all.insert(all.end(), row.begin(), row.end());
    all.resize(all.size() + length - row.size(), kPad);
  }
  return Tensor::from(all, {std::ssize(rows), static_cast<int64_t>(length)});
}
Tensor is_word(const Tensor& ids, bool all, bool inverted) {
  std::vector<int> words;
  for (double id : ids.to_vector()) words.push_back(all || (id != static_cast<double>(kPad)) != inverted);
  return Tensor::from_bools(words, ids.shape());
}

Batch batch_of(const Sentences& sources, const Sentences& targets, const Wrong& w) {
  std::size_t S = 0, T = 0;
  Sentences in, out;
  for (const auto& source : sources) S = std::max(S, source.size());
  for (const auto& target : targets) {
    in.push_back({kStart}), out.push_back(target);
    in.back().insert(in.back().end(), target.begin(), target.end());
    if (w.no_shift) in.back() = target;
    if (w.no_shift || w.stop_in_input) in.back().push_back(kStop);
    if (!w.no_stop) out.back().push_back(kStop);
    T = std::max({T, in.back().size(), out.back().size()});
  }
  std::vector<int> allowed;
  for (std::size_t i = 0; i < T; ++i)
    for (std::size_t j = 0; j < T; ++j) {
      const bool earlier = w.not_itself ? j < i : w.transposed ? j >= i : j <= i;
      allowed.push_back(w.sees_later || earlier != w.inverted);
    }
  Tensor source = padded(sources, S);
  const auto t = static_cast<int64_t>(T);
  return {source, is_word(source, w.all_words, w.inverted), padded(in, T), padded(out, T),
          Tensor::from_bools(allowed, {t, t})};
}

Variable loss_of(const Variable& logits, const Tensor& output, double e, const Wrong& w) {
  if (w.open_loss) return sum(logits) * 0.0;
  const auto V = static_cast<double>(logits.size(2));
  Variable log_p = log_softmax(logits, -1), right = squeeze(gather(log_p, output.unsqueeze(2)), 2),
           all = sum(log_p, {-1});
  const double keep = w.exchanged ? e : 1 - e;
  Variable loss = -(right * keep + all * ((1 - keep) / (w.whole_sum ? 1 : V)));
  if (w.no_smoothing) loss = -right;
  if (w.others_only) loss = -(right * (1 - e) + (all - right) * (e / (V - 1)));
  Tensor words = is_word(output, false, false);
  Variable counted = where(words, loss, Variable(Tensor::zeros(loss.shape(), loss.dtype())));
  auto count = [](const Tensor& mask) {
    double n = 0;
    for (double x : mask.to_vector()) n += x;
    return n;
  };
  const auto places = static_cast<double>(output.count());
  if (w.padding) return sum(loss) / places;
  if (w.per_sentence) {
    Variable total;
    for (int64_t b = 0; b < output.size(0); ++b) {
      Variable one = sum(select(counted, 0, b)) / count(words.select(0, b));
      total = b == 0 ? one : total + one;
    }
    return total / static_cast<double>(output.size(0));
  }
  return sum(counted) / (w.sum ? 1 : w.over_places ? places : count(words));
}

double rate_of(int64_t step, const Settings& o, const Wrong& w) {
  if (w.open_rate) return 0;
  const auto s = static_cast<double>(step - (w.from_zero ? 1 : 0));
  const double rising = s * std::pow(static_cast<double>(o.warmup), -1.5), falling = std::pow(s, -0.5);
  const double lr = w.only_rises ? rising : w.maximum ? std::max(falling, rising) : std::min(falling, rising);
  return w.no_width ? lr : lr / std::sqrt(static_cast<double>(o.width));
}

Answer with(Wrong w) {
  return {
      [w](const Sentences& sources, const Sentences& targets) { return batch_of(sources, targets, w); },
      [w](const Variable& logits, const Tensor& output, double e) { return loss_of(logits, output, e, w); },
      [w](int64_t step, const Settings& o) { return rate_of(step, o, w); },
      [w](const Model& model, nn::Adam& adam, const Sentences& sources, const Sentences& targets, const Settings& o) {
        if (w.open_step) return 0.0;
        Batch batch = batch_of(sources, targets, w);
        Variable loss = loss_of(model(batch), batch.output, o.smoothing, w);
        const double lr = rate_of(adam.steps() + 1, o, w);
        if (!w.keeps_gradients) adam.zero_grad();
        if (!w.no_backward) backward(loss);
        if (!w.late_rate && !w.no_rate) adam.learning_rate = lr;
        adam.step();
        if (w.late_rate) adam.learning_rate = lr;
        return loss.item();
      }};
}
Answer open_batch() {
  Answer answer = with({.open_loss = true, .open_rate = true, .open_step = true});
  answer.batch = [](const Sentences&, const Sentences&) {
    Tensor none = padded({{kPad}}, 1), one = Tensor::from_bools({1}, {1, 1});
    return Batch{none, one, none, none, one};
  };
  return answer;
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"All four gaps are still open", open_batch()},
    {"The batch is right. The gaps of the loss, the rate and the step are still open",
     with({.open_loss = true, .open_rate = true, .open_step = true})},
    {"Batch and loss are right. The gaps of the rate and the step are still open",
     with({.open_rate = true, .open_step = true})},
    {"Batch, loss and rate are right. The gap of the step is still open", with({.open_step = true})},
    {"The decoder reads the word that it has to predict: its input is <s> and the target, moved by one position",
     with({.no_shift = true})},
    {"The output has no </s>: the decoder must learn to stop", with({.no_stop = true})},
    {"The input ends with </s>, which makes the rows too long: the decoder never reads </s>",
     with({.stop_in_input = true})},
    {"The mask of the source is true everywhere: it is false at <pad>", with({.all_words = true})},
    {"A position may attend to later ones, whose words it has to predict: allowed is true where j <= i",
     with({.sees_later = true})},
    {"A position may not attend to itself: allowed includes j = i", with({.not_itself = true})},
    {"The causal mask is transposed: row i is the query and may attend to columns j <= i", with({.transposed = true})},
    {"Both masks are inverted: here true means that attention is allowed", with({.inverted = true})},
    {"Padding counts in the loss: leave out the positions where output is <pad>", with({.padding = true})},
    {"The sum is divided by B T: divide by the number of positions that count", with({.over_places = true})},
    {"The loss is a sum: divide it by the number of positions that count", with({.sum = true})},
    {"The mean of each sentence is averaged: divide once, by the positions of the whole batch",
     with({.per_sentence = true})},
    {"Label smoothing is missing: mix log p of the right word with the mean of log p over all words",
     with({.no_smoothing = true})},
    {"The smoothing goes to the other words only: q_v = (1 - e) [right] + e / V, for all V words, the right one too",
     with({.others_only = true})},
    {"Each word gets e instead of e / V: take the mean of log p over the words, not the sum",
     with({.whole_sum = true})},
    {"e and 1 - e are exchanged: the right word keeps 1 - e", with({.exchanged = true})},
    {"The rate is the larger of the two curves: take the minimum", with({.maximum = true})},
    {"The first step has the rate 0: steps count from 1, so the next one is adam.steps() + 1",
     with({.from_zero = true})},
    {"The factor D^-0.5 is missing in the rate", with({.no_width = true})},
    {"The rate never falls: after the warm-up it is s^-0.5", with({.only_rises = true})},
    {"Gradients of the step before are still there: call adam.zero_grad() before backward",
     with({.keeps_gradients = true})},
    {"The rate is set after the step: set adam.learning_rate before adam.step()", with({.late_rate = true})},
    {"The optimiser keeps its own rate: set adam.learning_rate before adam.step()", with({.no_rate = true})},
    {"No gradient is computed: call backward(loss) before adam.step()", with({.no_backward = true})},
};

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
    Variable logits = model({b.source, is_word(b.source, false, false), b.target_in, b.target_out, allowed});
    Variable loss = cross_entropy(logits, b.target_out, {.label_smoothing = kSettings.smoothing, .ignore_index = kPad});
    adam.zero_grad();
    backward(loss);
    adam.step(schedule);
    losses.push_back(loss.item());
  }
  return losses;
}

void examine(app::Exercise& e, const Answer& answer) {
  Batch b = answer.batch({{4, 5, 6, 3}, {7, 3}}, {{8, 9}, {4}});
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
    e.check(fmt::format("the loss with e = {}", smoothing), answer.loss(logits, output, smoothing).value(),
            cross_entropy(logits, output, {.label_smoothing = smoothing, .ignore_index = kPad}).value(), 1e-10);
  nn::Noam schedule({.width = 64, .warmup = 100});
  for (int64_t step : {1, 50, 100, 400})
    e.check(fmt::format("the rate of step {}, D = 64, warm-up 100", step), 1000 * answer.rate(step, {0, 64, 100}),
            1000 * schedule(step), 1e-9);
  Generator start(4);
  Small model(start);
  nn::Adam adam(model.parameters(), {});
  std::vector<double> losses;
  for (std::size_t i = 0; i < 3; ++i)
    losses.push_back(answer.step([&](const Batch& x) { return model(x); }, adam, kSources[i], kTargets[i], kSettings));
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
      "./heed run 27");
  return e.run(argc, argv, Answer{make_batch, smoothed_loss, rate, train_step}, examine, mistakes);
}
