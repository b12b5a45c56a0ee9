// Lesson 09: from many states to one vector. A recurrent layer gives one vector per symbol; a question needs one
// vector.
//
//   1  bidirectional layers   which symbols does each output depend on?
//   2  pooling by hand        last, sum, mean, max and weighted mean of three words
//   3  one key of ten         ten pairs are read, then one key is asked: nine ways to pool
//   4  padding                results must not depend on it; two faults
//   5  one vector             for the sequence, or for each question?
//
// B sequences, S symbols, N units per direction, so an encoder output (annotation) has 2 N numbers.
#include <fmt/format.h>

#include <algorithm>

#include "tutorials/09_one_vector/measures.h"
#include "tutorials/09_one_vector/train.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace onevector;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t hidden = 32, layers = 1, pairs = 10, steps = 1500;
  double rate = 0.005;
};

std::string percent(double value) { return fmt::format("{:.0f} %", value); }

// ---- 1  bidirectional layers ----------------------------------------------------------------------------------------
void the_layer(app::Lesson& lesson, const Knobs& k) {
  constexpr int64_t S = 8;
  heading("1  Bidirectional layers: which symbols does each output depend on?");
  report::TablePanel table{
      .title = "GRU layers over 8 symbols",
      .text =
          "The last three columns: on how many of the 8 symbols the output at the first, the fourth "
          "and the last position depends (its gradient is not 0).",
      .header = {"layer", "output width", "parameters", "position 1", "4", "8"}};
  std::vector<report::HeatPanel> heat;
  for (auto [name, layers, both] :
       {std::tuple{"forward only", 1, false}, {"bidirectional", 1, true}, {"two, bidirectional", 2, true}}) {
    Generator rng(lesson.seed());
    nn::GRU layer({.input = 16, .hidden = k.hidden, .layers = layers, .bidirectional = both}, rng);
    Tensor hears = hearing(layer, S, rng);
    table.rows.push_back({name, std::to_string(k.hidden * layer.directions()),
                          std::to_string(nn::count_parameters(layer)), std::to_string(heard_by(hears, 0)),
                          std::to_string(heard_by(hears, 3)), std::to_string(heard_by(hears, 7))});
    if (layers == 1)
      heat.push_back(
          {.title = fmt::format("Which symbols each output depends on: {}", name),
           .text = "Row t, column s: the norm of the gradient of output t with respect to symbol s, in an untrained "
                   "layer.",
           .row_title = "output",
           .column_title = "symbol",
           .rows = {"1", "2", "3", "4", "5", "6", "7", "8"},
           .columns = {"1", "2", "3", "4", "5", "6", "7", "8"},
           .matrix = app::matrix_of(hears)});
  }
  double high = 0;  // one scale, as the two are compared
  for (const report::HeatPanel& one : heat)
    high = std::max(high, *std::max_element(one.matrix.values.begin(), one.matrix.values.end()));
  for (report::HeatPanel& one : heat) {
    one.high = high;
    lesson.report().heat(one);
  }
  show(lesson, table);
}

// ---- 2  pooling by hand ---------------------------------------------------------------------------------------------
void by_hand(app::Lesson& lesson) {
  heading("2  Pooling by hand: three words of two numbers, and two positions of padding");
  Variable x(Tensor::from(std::vector<double>{1, 0, 0, 2, 3, 1, 0, 0, 0, 0}, {1, 5, 2}));
  Tensor words = Tensor::from_bools({1, 1, 1, 0, 0}, {1, 5});
  report::TablePanel table{
      .title = "Three words, pooled",
      .text =
          "The words are (1, 0), (0, 2) and (3, 1), followed by two positions of padding. The last row "
          "contains a fault: it divides by 5 instead of 3.",
      .header = {"pooling", "result", "weights"}};
  for (const char* name : {"lasttoken", "sum", "mean", "weightedmean", "max"}) {
    std::string weights = "each entry separately";
    if (std::string(name) != "max") {
      weights.clear();
      for (double w : nn::pooling_weights(name, words).to_vector()) weights += fmt::format("{:.2f} ", w);
      weights.pop_back();
    }
    Tensor y = nn::pool(name, x, words).value();
    table.rows.push_back({name, fmt::format("{:.2f} {:.2f}", y.at({0, 0}), y.at({0, 1})), weights});
  }
  Tensor y = mean(x, {1}).value();
  table.rows.push_back(
      {"mean of all positions", fmt::format("{:.2f} {:.2f}", y.at({0, 0}), y.at({0, 1})), "0.20 0.20 0.20 0.20 0.20"});
  show(lesson, table);
}

// ---- 3  one key of ten ----------------------------------------------------------------------------------------------
// Returns the accuracy of predicting the most frequent value, with all pairs.
double the_contest(app::Lesson& lesson, const Knobs& k, const std::vector<Entry>& entries) {
  heading(fmt::format("3  One key of {0}: 1 to {0} pairs are read, then one key is asked; guessing gets 10 % right",
                      k.pairs));
  report::TablePanel table{
      .title = "How often is the value predicted correctly?",
      .text =
          "By the number of pairs. All networks receive the question after pooling. `question first`: the recurrent "
          "layer also reads it before the pairs. `question as query`: the attention uses it. The last row has "
          "learned nothing: it predicts the value that occurs most often.",
      .header = {"pooling", "parameters"}};
  std::vector<int64_t> shown;
  for (int64_t pairs : {1, 2, 4, 7, 10})
    if (pairs < k.pairs) shown.push_back(pairs);
  shown.push_back(k.pairs);
  for (int64_t pairs : shown) table.header.push_back(std::to_string(pairs));
  report::CurvesPanel curves{.title = "The value of one key, by the number of pairs",
                             .text = "Each point: 500 new sequences. Guessing is right in 10 %.",
                             .x_label = "number of pairs",
                             .y_label = "correct, in %"},
      losses{.title = "Training loss",
             .text = "On the plateau a network knows which values occur, but not which key each belongs to.",
             .x_label = "step",
             .y_label = "loss (mean of 50 batches)"};
  auto add = [&](const std::string& name, const std::string& parameters, const std::vector<double>& right) {
    table.rows.push_back({name, parameters});
    for (int64_t pairs : shown) table.rows.back().push_back(percent(right[static_cast<size_t>(pairs - 1)]));
    curves.series.push_back({.name = name, .y = right});
  };
  for (const Entry& e : entries) {
    add(e.outcome.name, std::to_string(e.outcome.parameters), e.outcome.right);
    report::Series series{.name = e.outcome.name};
    for (size_t i = 0; i + 50 <= e.outcome.losses.size(); i += 50) {
      double total = 0;
      for (size_t j = i; j < i + 50; ++j) total += e.outcome.losses[j] / 50;
      series.y.push_back(total), series.x.push_back(static_cast<double>(i + 50));
    }
    losses.series.push_back(series);
  }
  std::vector<double> frequent;
  for (int64_t pairs = 1; pairs <= k.pairs; ++pairs) {
    data::QueryTask task = pairs_task(pairs, pairs, 0, lesson.seed());
    frequent.push_back(most_frequent(task.test, task.values));
  }
  add("most frequent value", "0", frequent);
  show(lesson, table);
  lesson.report().curves(curves);
  lesson.report().curves(losses);
  return frequent.back();
}

// ---- 4  padding -----------------------------------------------------------------------------------------------------
struct Padded {
  int64_t differing = 0;                  // number of logits with a changed bit, all poolings
  double answers = 0, right[2] = {0, 0};  // mean of all positions: changed answers, %; correct alone, and padded
};

Padded the_padding(app::Lesson& lesson, const Knobs& k, std::vector<Entry>& entries) {
  heading("4  Padding: 500 sequences alone, and in a batch padded to twice the longest");
  data::QueryTask task = pairs_task(1, k.pairs, 0, lesson.seed());
  report::TablePanel table{
      .title = "Does padding change the answer?",
      .text =
          "Each of 500 sequences is computed alone, and in one batch padded to twice the longest. "
          "Number of the 5,000 logits that differ in at least one bit; largest difference; changed "
          "answers; correct answers alone and padded. The last two rows are the trained mean with a "
          "fault: it divides by all positions, or its backward direction starts in the padding.",
      .header = {"pooling", "logits", "largest", "answers", "alone", "padded"}};
  Padded out;
  auto row = [&](const std::string& name, const Reader& reader, Fault fault) {
    Comparison c = compare_padding(reader, task, fault);
    table.rows.push_back({name, std::to_string(c.differing), fmt::format("{:.2g}", c.largest), percent(c.answers),
                          percent(c.right_alone), percent(c.right_padded)});
    return c;
  };
  for (const Entry& e : entries) out.differing += row(e.outcome.name, e.reader, Fault::none).differing;
  Reader& trained = find(entries, "mean").reader;
  trained.options.pooling = "all_positions";
  Comparison broken = row("mean of all positions", trained, Fault::none);
  trained.options.pooling = "mean";
  row("mean, reads the padding", trained, Fault::no_lengths);
  out.answers = broken.answers, out.right[0] = broken.right_alone, out.right[1] = broken.right_padded;
  show(lesson, table);
  return out;
}

// ---- 5  one vector --------------------------------------------------------------------------------------------------
void draw_looks(app::Lesson& lesson, const std::string& title, const std::string& text, const Tensor& weights,
                const data::QueryTask& task, const data::QueryExample& example) {
  report::HeatPanel heat{.title = title,
                         .text = text,
                         .row_title = "key",
                         .column_title = "symbol read",
                         .columns = task.pair(example).source,
                         .matrix = app::matrix_of(weights),
                         .low = 0,
                         .high = 1};
  for (size_t i = 0; i < example.keys.size(); ++i) heat.rows.push_back(heat.columns[2 * i] + "?");
  app::show(report::heat_map(heat.matrix, heat.rows, heat.columns, {.console = app::console()}));
  lesson.report().heat(heat);
}

void the_dispute(app::Lesson& lesson, const Knobs& k, std::vector<Entry>& entries) {
  data::QueryTask task = pairs_task(k.pairs, k.pairs, 0, lesson.seed());
  const data::QueryExample& example = task.test[0];
  heading(fmt::format("5  One vector for the sequence, or one for each question? Each of {} keys is asked", k.pairs));
  app::tell("   attention with a learned query: one vector for the sequence\n\n");
  draw_looks(
      lesson, "One vector for the sequence",
      "Attention with a learned query. The weights are the same whatever is asked later, so one vector must serve "
      "all questions.",
      looks(find(entries, "attention, learned query").reader, task, example), task, example);
  app::tell("\n   attention with the question as query: one vector for each question\n\n");
  draw_looks(lesson, "One vector for each question",
             "The same sequence, with the key that is asked as query. Each question gets its own vector: mostly the "
             "encoder output of the value after its key.",
             looks(find(entries, "attention, question as query").reader, task, example), task, example);
  app::tell("\n   steps of the recurrent layer for {} questions: {} with the question first, {} with attention\n",
            k.pairs, k.pairs * (2 * k.pairs + 1), 2 * k.pairs);
}

int lesson_09(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("09_one_vector",
                     "From many states to one vector: pooling, padding, and when the question is known");
  lesson.knob("hidden", &k.hidden, "units of the GRU in each direction").between(4, 256);
  lesson.knob("layers", &k.layers, "layers of the GRU").between(1, 4);
  lesson.knob("pairs", &k.pairs, "the largest number of pairs").between(2, 20);
  lesson.knob("steps", &k.steps, "steps of training").between(50, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.question(
      {"A network reads ten keys with their values and keeps the mean of its states. Then one key is asked, and "
       "the trained network predicts its value, one of ten, from the mean. How often is it right?",
       {"in about 10 %: no better than guessing", "in about 25 %", "in about 90 %"},
       2,
       "The mean records which values occurred, and the most frequent one is right in about 25 %. It does not record "
       "which value belongs to which key."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 600);
  lesson.report().text("What this page shows",
                       "A recurrent layer gives one vector per symbol, and a classifier needs one vector. The usual "
                       "ways to pool (last, mean, max, attention with a learned query) decide what to keep before the "
                       "question is known. Here ten pairs of a key and a value are read, and then one key is asked.");
  fmt::print("\n");
  app::item("",
            "Networks read pairs of a key and a value, and are then asked for the value of one key. They differ in how "
            "they make one vector of many states, and in when they learn what is asked.");
  the_layer(lesson, k);
  by_hand(lesson);
  std::vector<Entry> entries = hold_contest({.hidden = k.hidden, .layers = k.layers},
                                            {.steps = k.steps, .pairs = k.pairs, .rate = k.rate, .seed = lesson.seed()},
                                            lesson.quick() ? Entrants::few : Entrants::all);
  double frequent = the_contest(lesson, k, entries);
  Padded padded = the_padding(lesson, k, entries);
  the_dispute(lesson, k, entries);

  heading("Claims");
  auto right = [&](const char* name) { return find(entries, name).outcome.right.back(); };
  lesson.claim({.name = fmt::format("attention, question as query: correct with {} pairs, in %", k.pairs),
                .measured = right("attention, question as query"),
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("attention with a learned query: {:.0f}", right("attention, learned query"))});
  lesson.claim({.name = fmt::format("mean, question after pooling: correct with {} pairs, in %", k.pairs),
                .measured = right("mean"),
                .comparator = "<=",
                .threshold = 40,
                .control = fmt::format("with 1 pair: {:.0f}; the most frequent value: {:.0f}",
                                       find(entries, "mean").outcome.right[0], frequent)});
  if (!lesson.quick())
    lesson.check({.name = fmt::format("last state, question first: correct with {} pairs, in %", k.pairs),
                  .measured = right("last, question first"),
                  .comparator = ">=",
                  .threshold = 90,
                  .control = fmt::format("question after pooling: {:.0f}", right("last"))});
  lesson.claim({.name = "logits with a changed bit when padding is added, all poolings",
                .measured = static_cast<double>(padded.differing),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("mean of all positions: {:.0f} % of the answers change", padded.answers)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_09); }
