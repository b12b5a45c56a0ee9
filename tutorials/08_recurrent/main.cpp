// Lesson 08: RNN, GRU and LSTM from their equations. How far back can a recurrent network learn to remember?
//
//   1  cells                  from their equations, compared with the library's layers
//   2  gradient by distance   how much gradient reaches a state d steps before the answer, in untrained networks
//   3  delayed recall         trained with 20 distractors, tested with 5 to 80; LSTMs with several forget biases
//   4  exploding gradients    with clipping and without
//   5  longest path           how many steps must wait for each other
//
// T: steps of a sequence; lag: number of distractors, T = lag + 2; N: hidden units; d: distance in steps from the end.
#include "tutorials/common/main.h"
#include <set>

#include "tutorials/08_recurrent/path.h"
#include "tutorials/08_recurrent/pictures.h"
#include "tutorials/08_recurrent/reader.h"
#include "tutorials/common/show.h"

using namespace recurrent;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t hidden = 32, lag = 20, steps = 2000;
  double rate = 0.01, bias = 3;
};
constexpr int64_t kHeardLag = 40;

constexpr int64_t kInputs = kSymbols + 1;
constexpr double kGuess = 100.0 / kSymbols;

std::string percent(double value) { return fmt::format("{:.0f} %", value); }

std::string lstm_name(double bias) { return fmt::format("LSTM, bias {:g}", bias); }
std::vector<int64_t> lags_of(const Knobs& k) {  // tested after training
  std::set<int64_t> lags{5, 10, 20, 30, 40, 80, k.lag};
  return {lags.begin(), lags.end()};
}
size_t trained_at(const Knobs& k) {  // index of the trained lag
  std::vector<int64_t> lags = lags_of(k);
  return static_cast<size_t>(std::find(lags.begin(), lags.end(), k.lag) - lags.begin());
}

// RNN and GRU get more units, so that all have about as many parameters as an LSTM of N units.
int64_t rnn_width(const Knobs& k) { return 2 * k.hidden; }
int64_t gru_width(const Knobs& k) { return k.hidden * 7 / 6; }

// ---- 1  cells -------------------------------------------------------------------------------------------------------
// The largest difference between our steps and the library's layer, of outputs and of gradients with respect to W_hh,
// in f64.
template <class Cell>
double difference(const app::Lesson& lesson, report::TablePanel& panel, int64_t width) {
  Generator rng(lesson.seed());
  nn::Recurrent<Cell> layer({.input = kInputs, .hidden = width}, rng);
  nn::convert(layer, DType::f64);
  const Cell& cell = layer.cells[0];
  Tensor x = make_recall(20, 8, rng).x.to(DType::f64);
  Variable theirs = layer(x).annotations;  // [B, T, N]
  std::vector<Variable> outputs;
  for (auto& state : steps(cell, x)) outputs.push_back(*nn::parts(state)[0]);
  Variable ours = stack(outputs, 1), by_ours = grad({sum(square(ours))}, {cell.weight_hh})[0],
           by_theirs = grad({sum(square(theirs))}, {cell.weight_hh})[0];
  double apart = std::max(amax(abs(sub(ours.value(), theirs.value()))).item(),
                          amax(abs(sub(by_ours.value(), by_theirs.value()))).item());
  panel.rows.push_back({Cell::kName, std::to_string(cell.weight_hh.size(0) / width), std::to_string(width),
                        std::to_string(nn::count_parameters(layer)), fmt::format("{:.1g}", apart)});
  return apart;
}

void the_cells(app::Lesson& lesson, const Knobs& k) {
  heading("1  Cells: our equations compared with the library, outputs and gradients of 22 steps");
  report::TablePanel panel{
      .title = "The three cells from their equations",
      .text =
          "The widths are chosen so that all cells have about equally many parameters. The difference is "
          "the largest one between our equations and the library.",
      .header = {"cell", "matrices W_hh", "units", "parameters", "difference"}};
  double worst = std::max({difference<nn::RNNCell>(lesson, panel, rnn_width(k)),
                           difference<nn::GRUCell>(lesson, panel, gru_width(k)),
                           difference<nn::LSTMCell>(lesson, panel, k.hidden)});
  show(lesson, panel);
  NoGrad guard;
  Generator rng(lesson.seed());
  nn::GRUCell gru({.input = kInputs, .hidden = gru_width(k)}, rng);
  Variable x = nn::init::normal({8, kSymbols + 1}, rng), h = nn::init::normal({8, gru_width(k)}, rng);
  double other = amax(abs((step(gru, x, h) - step_reset_first(gru, x, h)).value())).item();
  fmt::print("\n");
  lesson.check({.name = "largest difference between our cells and the library's, f64",
                .measured = worst,
                .comparator = "<=",
                .threshold = 1e-6,
                .control = fmt::format("GRU with r multiplied before the product, one step: {:.2g}", other)});
}

// ---- 2 and 3  gradient by distance, delayed recall ------------------------------------------------------------------
Contest hold_contest(const app::Lesson& lesson, const Knobs& k) {
  Contest c{.rates = {0.1 * k.rate, 0.3 * k.rate, k.rate}, .tried = {}, .best = {}};
  if (lesson.quick()) c.rates.erase(c.rates.begin());
  Training t{.steps = k.steps, .shortest = k.lag, .longest = k.lag, .seed = lesson.seed()};
  enter<nn::RNNCell>(c, "RNN", {.input = kInputs, .hidden = rnn_width(k)}, t, lags_of(k), kHeardLag);
  if (!lesson.quick())
    enter<nn::GRUCell>(c, "GRU", {.input = kInputs, .hidden = gru_width(k)}, t, lags_of(k), kHeardLag);
  for (double bias : {0.0, 1.0, k.bias})
    if (bias != 1 || !lesson.quick())
      enter<nn::LSTMCell>(c, lstm_name(bias), {.input = kInputs, .hidden = k.hidden, .forget_bias = bias}, t,
                          lags_of(k), kHeardLag);
  return c;
}

void the_recall(app::Lesson& lesson, const Knobs& k, const Contest& c) {
  heading(fmt::format("3  Delayed recall: trained with {} distractors, {} steps; guessing gets {:g} % right", k.lag,
                      k.steps, kGuess));
  report::TablePanel table{
      .title = "How often is the first symbol recalled?",
      .text = fmt::format("All cells were trained with exactly {} distractors, each at the best of its learning "
                          "rates, and tested with other numbers (lag).",
                          k.lag),
      .header = {"cell", "rate"}};
  report::TablePanel rates{.title = fmt::format("Recalled at lag {}, at each learning rate", k.lag),
                           .header = {"cell"}};
  report::CurvesPanel curves{
      .title = "Symbols recalled, by lag",
      .text = fmt::format("All cells were trained at lag {} only; guessing gets {:g} % right.", k.lag, kGuess),
      .x_label = "lag: number of distractors",
      .y_label = "correct, in %"};
  const std::vector<int64_t> lags = lags_of(k);
  for (int64_t lag : lags) table.header.push_back(fmt::format("lag {}", lag));
  for (double rate : c.rates) rates.header.push_back(fmt::format("rate {:g}", rate));
  for (size_t i = 0; i < c.best.size(); ++i) {
    const Outcome& o = c.best[i];
    table.rows.push_back({o.name, fmt::format("{:g}", o.rate)});
    for (double right : o.right) table.rows.back().push_back(percent(right));
    rates.rows.push_back({o.name});
    for (const Outcome& one : c.tried[i]) rates.rows.back().push_back(percent(one.right[trained_at(k)]));
    curves.series.push_back({.name = o.name, .y = o.right, .x = {lags.begin(), lags.end()}});
  }
  show(lesson, table);
  lesson.report().curves(curves);
  app::tell("\n   correct at lag {}, at each learning rate:\n\n", k.lag);
  show(lesson, rates);
}

// The RNN, which failed at other lags, and the LSTM with bias 0, which failed at all, trained with lags 1 to 2 k.lag.
void the_near(app::Lesson& lesson, const Knobs& k) {
  Training t{.steps = 2 * k.steps, .shortest = 1, .longest = 2 * k.lag, .rate = 0.1 * k.rate, .seed = lesson.seed()};
  std::vector<Outcome> near{learn<nn::RNNCell>("RNN", {.input = kInputs, .hidden = rnn_width(k)}, t, lags_of(k))};
  t.rate = 0.3 * k.rate;
  near.push_back(learn<nn::LSTMCell>(lstm_name(0), {.input = kInputs, .hidden = k.hidden}, t, lags_of(k)));
  report::TablePanel table{.title = fmt::format("Trained with 1 to {} distractors", t.longest),
                           .text = "Each batch has a different number of distractors; twice as many training steps.",
                           .header = {"cell", "rate"}};
  for (int64_t lag : lags_of(k)) table.header.push_back(fmt::format("lag {}", lag));
  for (const Outcome& o : near) {
    table.rows.push_back({o.name, fmt::format("{:g}", o.rate)});
    for (double right : o.right) table.rows.back().push_back(percent(right));
  }
  app::tell("\n   trained with 1 to {} distractors instead, {} steps:\n\n", t.longest, t.steps);
  show(lesson, table);
}

// ---- 4  exploding gradients -----------------------------------------------------------------------------------------
void the_explosion(app::Lesson& lesson, const Knobs& k) {
  heading("4  Exploding gradients: an RNN whose W_hh stretches by 1.5, trained with 1 to 40 distractors");
  report::TablePanel table{
      .title = "An RNN with exploding gradients",
      .text =
          "W_hh starts as a rotation times the stretch; lags 1 to 40, one per batch, learning rate "
          "0.001. Norms of the gradient are taken before clipping; the last columns are the "
          "share of correct answers.",
      .header = {"stretch", "clipped at", "largest norm", "median", "lag 20", "lag 40", "lag 80"}};
  report::CurvesPanel curves{.title = "The same RNN, with clipping and without",
                             .text = "W_hh starts as a rotation times 1.5. Each point is the mean of 50 batches.",
                             .x_label = "training step",
                             .y_label = "loss"};
  for (double clip : {1.0, 0.0}) {
    Training t{.steps = lesson.quick() ? 1500 : 3000,
               .shortest = 1,
               .longest = 40,
               .rate = 1e-3,
               .clip = clip,
               .stretch = 1.5,
               .seed = lesson.seed()};
    Outcome o = learn<nn::RNNCell>(clip > 0 ? "clipped at 1" : "not clipped",
                                   {.input = kInputs, .hidden = rnn_width(k)}, t, {20, 40, 80}, kHeardLag);
    std::vector<double> norms = o.norms;
    std::sort(norms.begin(), norms.end());
    table.rows.push_back({"1.5", clip > 0 ? "1" : "never", fmt::format("{:.3g}", norms.back()),
                          fmt::format("{:.2g}", norms[norms.size() / 2])});
    for (double right : o.right) table.rows.back().push_back(percent(right));
    report::Series series{.name = o.name, .y = means_of(o.losses, 50)};
    for (size_t i = 0; i < series.y.size(); ++i) series.x.push_back(50 * static_cast<double>(i + 1));
    curves.series.push_back(series);
    if (clip > 0)
      for (const auto& [when, heard] : {std::pair{"before", &o.before}, {"after", &o.after}})
        app::tell("   gradient {:<6} training: {:.2g} at d = 10, {:.2g} at d = 20, {:.2g} at d = 40\n{}", when,
                  (*heard)[10], (*heard)[20], (*heard)[40], heard == &o.after ? "\n" : "");
  }
  show(lesson, table);
  lesson.report().curves(curves);
}

// ---- 5  longest path ------------------------------------------------------------------------------------------------
int64_t the_path(app::Lesson& lesson, const Knobs& k, int64_t* mean_steps) {
  heading("5  Longest path: how many operations must wait for each other?");
  report::TablePanel table{
      .title = "The longest path of the graph",
      .text =
          "Number of operations on the longest path, for T steps, and the number of time steps that "
          "it passes. Mean: tanh(W x_t + b) of each symbol separately, then their mean.",
      .header = {"cell", "T = 10", "20", "40", "time steps at T = 40"}};
  Generator rng(lesson.seed());
  nn::RNNCell rnn({.input = kInputs, .hidden = rnn_width(k)}, rng);
  nn::GRUCell gru({.input = kInputs, .hidden = gru_width(k)}, rng);
  nn::LSTMCell lstm({.input = kInputs, .hidden = k.hidden}, rng);
  LongestPath at_40;
  int64_t fewest = 40;
  auto row = [&](const std::string& name, const auto& last_value) {
    table.rows.push_back({name});
    for (int64_t T : {10, 20, 40}) {
      at_40 = longest_path(last_value(make_recall(T - 2, 4, rng).x));
      table.rows.back().push_back(std::to_string(at_40.operations));
    }
    table.rows.back().push_back(std::to_string(at_40.steps));
    fewest = std::min(fewest, at_40.steps);
  };
  row("RNN", [&](const Tensor& x) { return steps(rnn, x).back(); });
  row("GRU", [&](const Tensor& x) { return steps(gru, x).back(); });
  row("LSTM", [&](const Tensor& x) { return steps(lstm, x).back().h; });
  int64_t recurrent = fewest;
  row("mean", [&](const Tensor& x) {
    std::vector<Variable> each;
    for (int64_t t = 0; t < x.size(1); ++t) {
      NameScope scope(fmt::format("step {}", t + 1));
      each.push_back(tanh(linear(x.select(1, t), rnn.weight_ih, rnn.bias_ih)));
    }
    return mean(stack(each, 0), {0});
  });
  show(lesson, table);
  *mean_steps = at_40.steps;
  return recurrent;
}

int lesson_08(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("08_recurrent", "RNN, GRU and LSTM: how far back can a recurrent network learn to remember?");
  lesson.knob("hidden", &k.hidden, "units of the LSTM; RNN and GRU get about equally many parameters").between(4, 256);
  lesson.knob("lag", &k.lag, "number of distractors in training").between(5, 40);
  lesson.knob("steps", &k.steps, "steps of training").between(100, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.knob("bias", &k.bias, "forget bias of the third LSTM; the others have 0 and 1").between(-10, 20);
  lesson.question(
      {"Two LSTMs must recall a symbol after 20 others. One starts with forget bias 0, the other with 3; "
       "everything else is equal. After 2,000 training steps the second is always right. The first is right",
       {"just as often", "in about half of the cases", "no more often than by guessing"},
       3,
       "A forget gate of sigmoid(0) = 1/2 halves the gradient at each step. After 20 steps a millionth is left."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 1000);
  lesson.report().text("What this page shows",
                       "A recurrent network reads a sequence symbol by symbol and keeps a state. To learn that the "
                       "first symbol matters, a gradient must travel back through all steps. How much of it arrives "
                       "depends on the cell, and on one of its initial values: the forget bias.");
  fmt::print("\n");
  app::item("",
            "RNN, GRU and LSTM learn to recall the first symbol of a sequence after many distractors. Each is trained "
            "at one distance, with several learning rates, and then tested at other distances.");
  the_cells(lesson, k);
  Contest contest = hold_contest(lesson, k);
  heading("2  Gradient by distance: how much reaches the state d steps before the answer, before training");
  draw_heard(lesson, "Gradient by distance, before training",
             "Gradient of the correct logit with respect to the state d steps before the end, divided by its value at "
             "d = 0. Untrained networks; `bias` is the forget bias of the LSTM.",
             contest.best, &Outcome::before);
  the_recall(lesson, k, contest);
  app::tell("\n   gradient by distance, after training:\n\n");
  draw_heard(lesson, "Gradient by distance, after training",
             "The same networks after training, on sequences of the trained lag.", contest.best, &Outcome::after);
  if (!lesson.quick()) the_near(lesson, k);
  the_explosion(lesson, k);
  int64_t mean_steps = 0, recurrent = the_path(lesson, k, &mean_steps);

  heading("Claims");
  size_t trained = trained_at(k);
  auto elsewhere = [&](const Outcome& o) {  // the mean at the lags from 10 to 40 without the trained one
    std::vector<double> right;
    for (size_t i = 0; i < o.right.size(); ++i)
      if (int64_t lag = lags_of(k)[i]; lag >= 10 && lag <= 40 && i != trained) right.push_back(o.right[i]);
    return means_of(right, right.size())[0];
  };
  const std::vector<Outcome>& best = contest.best;
  const Outcome &rnn = best.front(), &lstm = best.back(), &bias_0 = best[lesson.quick() ? 1 : 2];
  lesson.claim({.name = fmt::format("LSTM, forget bias {:g}: correct at lag {}, in %", k.bias, k.lag),
                .measured = lstm.right[trained],
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("forget bias 0: {:.0f}; guessing: {:g}", bias_0.right[trained], kGuess)});
  lesson.claim({.name = k.lag == 20 ? "RNN: correct at lags 10, 30 and 40, which were not trained, in %"
                                    : "RNN: correct at lags from 10 to 40 which were not trained, in %",
                .measured = elsewhere(rnn),
                .comparator = "<=",
                .threshold = 40,
                .control = fmt::format("LSTM, forget bias {:g}: {:.0f}; RNN at lag {}: {:.0f}", k.bias, elsewhere(lstm),
                                       k.lag, rnn.right[trained])});
  lesson.claim({.name = "time steps on the longest path, T = 40",
                .measured = static_cast<double>(recurrent),
                .comparator = "==",
                .threshold = 40,
                .control = fmt::format("mean of all steps: {}", mean_steps)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_08); }
