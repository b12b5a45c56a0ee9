// Hints, common mistakes and checks of exercise 10.4.
#include "tutorials/10_fixed_vector/exercises/4_scheduled_sampling.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/text/vocabulary.h"
#include "nn/train/scheduled_sampling.h"
#include "tensor/reduce.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using M = const nn::Seq2Seq&;
using data::Batch;
constexpr int64_t kPad = text::Vocabulary::pad;

struct Answer {
  std::function<double(int64_t, double)> share;
  std::function<Variable(M, const Batch&, double, Generator&)> loss;
};

// The right answer with one part exchanged.
struct Wrong {
  bool forced = false, inverted = false, draw_per_step = false, draw_per_row = false, draw_first = false,
       only_real = false;                                                              // when the truth is read
  bool next_symbol = false, minimum = false, forgets = false, own_target = false;      // what is read, asked for
  bool padding = false, divide_by_places = false, sum = false, mean_of_steps = false;  // the loss
};

Tensor column(const Tensor& ids, int64_t t) { return ids.select(1, t).contiguous(); }

// [B] of the symbols to read at step t; `kept`: one draw per row, for a mistake.
Tensor read_at(const Batch& batch, int64_t t, const Tensor& own, double truth, std::vector<double>& kept,
               Generator& rng, const Wrong& w) {
  if (w.forced) return column(batch.target_in, t);
  const int64_t B = batch.target_in.size(0);
  if (t == 0 && (w.draw_first || w.draw_per_row))
    for (int64_t b = 0; b < B; ++b) kept.push_back(rng.uniform());
  if (t == 0) return column(batch.target_in, 0);
  std::vector<int64_t> read;
  const double of_step = w.draw_per_step ? rng.uniform() : 0;
  for (int64_t b = 0; b < B; ++b) {
    const bool ended = batch.target_out.at({b, t}) == static_cast<double>(kPad);
    const double draw = w.draw_per_step        ? of_step
                        : w.draw_per_row       ? kept[static_cast<std::size_t>(b)]
                        : w.only_real && ended ? 0
                                               : rng.uniform();
    const bool is_true = (draw < truth) != w.inverted;
    const Tensor& given = w.next_symbol ? batch.target_out : batch.target_in;
    read.push_back(static_cast<int64_t>(is_true ? given.at({b, t}) : own.at({b})));
  }
  return Tensor::from(read, {B});
}

Variable loss_of(M model, const Batch& batch, double truth, Generator& rng, const Wrong& w) {
  auto [memory, state] = model.encode(batch.source, batch.lengths);
  std::vector<Variable> logits;
  std::vector<Tensor> owns;
  std::vector<double> kept;
  const int64_t T = batch.target_in.size(1);
  for (int64_t t = 0; t < T; ++t) {
    Tensor read = read_at(batch, t, t == 0 ? Tensor() : owns.back(), truth, kept, rng, w);
    nn::Seq2Seq::Step s = model.step(model.embed_target(read), state, memory);
    if (!w.forgets) state = s.state;
    logits.push_back(model.logits(s.features));
    owns.push_back(w.minimum ? argmin(logits.back().value(), 1) : argmax(logits.back().value(), 1));
  }
  Variable mean;
  if (w.mean_of_steps) {
    for (int64_t t = 0; t < T; ++t) {
      Variable one =
          cross_entropy(logits[static_cast<std::size_t>(t)], column(batch.target_out, t), {.ignore_index = kPad});
      mean = t == 0 ? one : mean + one;
    }
    return mean / static_cast<double>(T);
  }
  std::vector<Variable> predicted;
  for (const Tensor& own : owns) predicted.emplace_back(own);
  Tensor target = w.own_target ? stack(predicted, 1).value().contiguous() : batch.target_out;
  if (w.own_target) {
    for (int64_t b = 0; b < target.size(0); ++b)
      for (int64_t t = 0; t < T; ++t)
        if (batch.target_out.at({b, t}) == static_cast<double>(kPad)) target.set({b, t}, static_cast<double>(kPad));
  }
  Variable loss = cross_entropy(stack(logits, 1), target, {.ignore_index = w.padding ? -1 : kPad});
  const auto symbols = static_cast<double>(batch.tokens), places = static_cast<double>(target.count());
  return loss * (w.sum ? symbols : w.divide_by_places ? symbols / places : 1);
}

double right_share(int64_t step, double k) { return k / (k + std::exp(static_cast<double>(step) / k)); }
Answer with(Wrong w) {
  return {right_share, [w](M m, const Batch& b, double truth, Generator& rng) { return loss_of(m, b, truth, rng, w); }};
}
Answer with_share(double (*share)(int64_t, double)) { return {share, with({}).loss}; }

const std::vector<app::Mistake<Answer>> mistakes{
    {"Both gaps are still open: the decoder always reads the true symbols",
     {[](int64_t, double) { return 1.0; }, with({.forced = true}).loss}},
    {"share is right, and the gap of the loss is still open: it is teacher forcing", with({.forced = true})},
    {"The loss is right, and the gap of share is still open", with_share([](int64_t, double) { return 1.0; })},
    {"Your share grows: it is k divided by the sum, not the exponential divided by it",
     with_share([](int64_t i, double k) { return 1 - right_share(i, k); })},
    {"Your share falls much too fast: the exponent is the step divided by k, not multiplied",
     with_share([](int64_t i, double k) { return k / (k + std::exp(static_cast<double>(i) * k)); })},
    {"Your exponent is a quotient of integers: convert the step to double before you divide",
     with_share(
         [](int64_t i, double k) { return k / (k + std::exp(static_cast<double>(i / static_cast<int64_t>(k)))); })},
    {"The decoder reads its own symbol where it should read the true one: true if the draw is below `truth`",
     with({.inverted = true})},
    {"One draw decides for the whole batch: draw for each row", with({.draw_per_step = true})},
    {"One draw decides for a whole sequence: draw at each step", with({.draw_per_row = true})},
    {"You draw at t = 0, too, where all rows read <s>: the first draws belong to t = 1", with({.draw_first = true})},
    {"You draw only for rows that have not ended: draw for each row, so that the padding changes no other draw",
     with({.only_real = true})},
    {"The decoder reads the symbol that it has to predict: the true previous one is target_in[b, t]",
     with({.next_symbol = true})},
    {"The decoder reads its least probable symbol: use argmax", with({.minimum = true})},
    {"Every step starts from the state of the encoder: assign the state of the step to `state`",
     with({.forgets = true})},
    {"The loss asks for the decoder's own symbols: it asks for target_out, whatever was read",
     with({.own_target = true})},
    {"Padding counts in the loss: leave out the positions where target_out is <pad>", with({.padding = true})},
    {"The sum is divided by B T: divide by the number of symbols that count", with({.divide_by_places = true})},
    {"The loss is a sum: divide it by the number of symbols that count", with({.sum = true})},
    {"The mean of each step is averaged over the steps: late steps have fewer symbols, so divide once, at the end",
     with({.mean_of_steps = true})},
};

void examine(app::Exercise& e, const Answer& answer) {
  for (int64_t step : {0, 7, 30, 100})
    e.check(fmt::format("share({}, 12)", step), answer.share(step, 12), nn::inverse_sigmoid_decay(step, 12), 1e-12);
  Generator rng(3);
  auto options = app::copier_options("every_step", 6);
  data::Task task =
      data::copy_task({.symbols = 8, .lengths = {2, 6}, .parts = {.train = 6, .validation = 0, .test = 0}});
  options.source_vocabulary = task.source.size(), options.target_vocabulary = task.target.size();
  nn::Seq2Seq model(options, rng);
  nn::convert(model, DType::f64);
  for (auto& p : nn::parameters(model)) p.set_value(Tensor::normal(p.shape(), rng, 0, 1, DType::f64));
  const Batch batch = data::make_batch(task.encode(task.train), {0, 1, 2, 3, 4, 5});
  for (double truth : {1.0, 0.5, 0.0}) {
    Generator draws(11), same(11);
    Variable ours = answer.loss(model, batch, truth, draws);
    Variable theirs =
        cross_entropy(nn::scheduled_logits(model, batch.source, batch.lengths, batch.target_in, truth, same),
                      batch.target_out, {.ignore_index = kPad});
    e.check(fmt::format("the loss with truth = {}", truth), ours.value(), theirs.value(), 1e-10);
    auto gradient = [&](const Variable& loss) { return grad({loss}, {model.target_embedding.weight})[0].value(); };
    e.check(fmt::format("the gradient of the target embedding with truth = {}, element ", truth), gradient(ours),
            gradient(theirs), 1e-10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("10", 4, "Scheduled sampling");
  e.hint("Keep the symbols of a step in a std::vector<int64_t>; Tensor::from(read, {B}) is what embed_target takes.");
  e.hint("is_true = t == 0 || rng.uniform() < truth: at t = 0 the second half is not evaluated, so nothing is drawn.");
  e.hint("log_softmax(model.logits(step.features), -1) is [B, V]; argmax(log_p.value(), 1) is [B].");
  e.hint("select(select(log_p, 0, b), 0, symbol) is log p of one symbol of row b. Leave out the rows at <pad>.");
  e.insight(
      "No gradient passes through the choice of a symbol: the decoder learns to go on after its own errors, not to "
      "avoid\n"
      "them. Lesson 13 measures what this gains and what it costs.",
      "./heed run 11");
  return e.run(argc, argv, Answer{mine::share, mine::scheduled_loss}, examine, mistakes);
}
