// Lesson 20: memory. A network can look up only what it stores: one state, all states, or a table of entries.
//
//   1  tape     an LSTMN with a tape of one entry is an LSTM
//   2  recall   "which value has this key?": five readers, by the number of pairs
//   3  hops     questions that need two looks, and memory networks with one, two and three hops
//   4  fusion   an LSTMN decoder without the source, and with shallow and deep fusion
//   5  head     the head of a neural Turing machine walks through a memory
//
// N pairs or entries, K hops, D width of a state.
#include "tutorials/common/main.h"

#include <fmt/ranges.h>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/models/bahdanau.h"
#include "nn/models/deep_fusion.h"
#include "nn/models/fixed_vector.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/20_memory/chains.h"
#include "tutorials/20_memory/recall.h"
#include "tutorials/common/copy_contest.h"

using namespace memory;
using namespace heed;
using app::heading, app::show;

namespace {

// Two facts about memories that need no training: an LSTMN with a tape of one entry is an LSTM, and the head of a
// neural Turing machine walks through a memory as through a list.

// The largest difference between the states of an LSTMN and those of an LSTM with the same weights. 3 sentences of 12
// words. The weights of the attention have no counterpart in the LSTM; with a single entry they do not matter.
double lstmn_minus_lstm(int64_t tape, DType dtype, uint64_t seed) {
  heed::NoGrad guard;
  Generator rng(seed), words(seed + 1);
  nn::LSTMN lstmn({.input = 5, .hidden = 7, .tape = tape}, rng);
  nn::LSTM lstm({.input = 5, .hidden = 7}, rng);
  nn::convert(lstmn, dtype);
  nn::convert(lstm, dtype);
  lstm.cells[0].weight_ih = lstmn.cell.weight_ih, lstm.cells[0].weight_hh = lstmn.cell.weight_hh;
  lstm.cells[0].bias_ih = lstmn.cell.bias_ih, lstm.cells[0].bias_hh = lstmn.cell.bias_hh;
  Variable x(Tensor::normal({3, 12, 5}, words, 0, 1, dtype));
  return heed::amax(heed::abs(heed::sub(lstmn(x).h.value(), lstm(x).annotations.value()))).item();
}

// The weights of a head that finds cell 0 by its content and then moves on by one cell in every step, [steps + 1, N].
// The shift is not sharp: 0.1 of the weight stays where it is, and 0.1 moves two cells.
Tensor walking_head(int64_t cells, int64_t steps, double power, uint64_t seed) {
  heed::NoGrad guard;
  Generator rng(seed);
  Variable memory(Tensor::normal({1, cells, 16}, rng, 0, 1, DType::f64));
  auto number = [](double x) { return Variable(Tensor::full({1, 1}, x, DType::f64)); };
  Variable shift(Tensor::from(std::vector<double>{0, 0, 0.1, 0.8, 0.1}, {1, 5}));  // by -2, -1, 0, 1, 2 cells
  Variable w = nn::ntm_content(heed::select(memory, 1, 0), number(50), memory);    // eq. 5
  std::vector<Tensor> rows{w.value()};
  for (int64_t t = 0; t < steps; ++t) {                               // the gate is 0: content plays no part any more
    w = nn::ntm_sharpened(nn::ntm_shifted(w, shift), number(power));  // eq. 8 and 9
    rows.push_back(w.value());
  }
  return heed::concat(rows, 0);
}

struct Knobs {
  int64_t width = 64;
  Training training;
};

// ---- 1  tape --------------------------------------------------------------------------------------------------------
void the_tape(app::Lesson& lesson, double exact, double single, double longer) {
  heading("1  Tape: the states of an LSTMN minus those of an LSTM with the same weights, largest difference");
  show(lesson, {.title = "An LSTMN with a short tape",
                .text = "3 sentences of 12 words, random weights.",
                .header = {"entries on the tape", "numbers", "largest difference"},
                .rows = {{"1", "64 bits", fmt::format("{:.1e}", exact)},
                         {"1", "32 bits", fmt::format("{:.1e}", single)},
                         {"2", "64 bits", fmt::format("{:.1e}", longer)}}});
}

// ---- 3  hops --------------------------------------------------------------------------------------------------------
std::vector<ChainResult> the_hops(app::Lesson& lesson, int64_t steps) {
  std::vector<ChainResult> all;
  for (int64_t hops : {1, 2, 3})
    if (hops != 2 || !lesson.quick())
      all.push_back(learn_chains({.hops = hops, .steps = steps, .seed = lesson.seed()}));
  heading("3  Hops: a round trip of six entries in random order; where is one after two steps?");
  report::TablePanel table{.title = "Memory networks with several hops",
                           .text =
                               "First, second: the mean weight of a hop on the entry of the first step, and on that of "
                               "the second one. Even weights would be 17 %.",
                           .header = {"hops", "right", "hop", "first", "second"}};
  for (const ChainResult& r : all)
    for (size_t hop = 0; hop < r.first.size(); ++hop)
      table.rows.push_back({hop == 0 ? std::to_string(r.first.size()) : "", hop == 0 ? percent(r.right) : "",
                            std::to_string(hop + 1), percent(r.first[hop]), percent(r.second[hop])});
  show(lesson, table);
  return all;
}

// ---- 4  fusion ------------------------------------------------------------------------------------------------------
std::vector<double> the_fusions(app::Lesson& lesson) {
  std::vector<double> at_eight;
  report::TablePanel table{.title = "An LSTMN decoder and its source",
                           .text = "Copying 3 to 8 symbols, 300 training steps; symbols right at their place.",
                           .header = {"fusion", "L = 4", "L = 6", "L = 8", "L = 10", "L = 12"}};
  app::CopyTraining training{.symbols = 8, .steps = 300, .lengths = {3, 8}, .rate = 1e-2, .seed = lesson.seed()};
  auto none = app::copier_options<nn::Sutskever>(48);
  auto shallow = app::copier_options<nn::Bahdanau>(48);
  auto deep = app::copier_options<nn::DeepFusion>(48);
  none.encoder.cell = none.decoder.cell = shallow.encoder.cell = shallow.decoder.cell = "lstmn";
  none.encoder.bidirectional = shallow.encoder.bidirectional = false;
  for (const auto& [name, paper] :
       {std::pair("none", nn::paper_of<nn::Sutskever>(none)), std::pair("shallow", nn::paper_of<nn::Bahdanau>(shallow)),
        std::pair("deep", nn::paper_of<nn::DeepFusion>(deep))}) {
    app::TrainedCopier copier = app::learn_to_copy(fmt::format("fusion: {}", name), paper, training);
    table.rows.push_back({name});
    for (double right : app::right_by_length(*copier.model, {4, 6, 8, 10, 12}, training, 100))
      table.rows.back().push_back(percent(right));
    at_eight.push_back(app::right_by_length(*copier.model, {8}, training, 100)[0]);
  }
  heading("4  Fusion: an LSTMN decoder copies; without the source, with shallow and with deep fusion");
  show(lesson, table);
  return at_eight;
}

// ---- 5  head --------------------------------------------------------------------------------------------------------
double the_head(app::Lesson& lesson, double power) {
  Tensor w = walking_head(8, 7, power, lesson.seed());
  std::vector<std::string> steps, cells;
  for (int64_t i = 0; i < 8; ++i) steps.push_back(std::to_string(i)), cells.push_back(std::to_string(i));
  report::HeatPanel panel{.title = power == 1 ? "A head without sharpening" : "A head with sharpening",
                          .text =
                              "Step 0 finds cell 0 by content. Each later step moves on by one cell; 0.1 of the "
                              "weight stays, and 0.1 moves two cells.",
                          .row_title = "step",
                          .column_title = "cell",
                          .rows = steps,
                          .columns = cells,
                          .matrix = app::matrix_of(w)};
  lesson.report().heat(panel);
  app::tell("   sharpening power {:g}: weight on cell 7 after 7 steps {:.2f}\n", power, w.at({7, 7}));
  return w.at({7, 7});
}

int lesson_20(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("20_memory", "Memory: what a network can look up depends on what it keeps");
  lesson.knob("steps", &k.training.steps, "training steps, 32 questions each").between(100, 100000);
  lesson.knob("width", &k.width, "width of a state, an even number").between(4, 512);
  lesson.knob("values", &k.training.values, "number of different values").between(2, 50);
  lesson.knob("rate", &k.training.rate, "Adam's first learning rate").between(1e-5, 1);
  lesson.question(
      {"A memory holds six entries of the form \"from x to y\". The question is where one is after two steps. In "
       "principle two looks are enough. With the same number of training steps, which memory network answers best?",
       {"the one with one hop", "the one with two hops", "the one with three hops"},
       3,
       "What is enough to express an answer need not be enough to learn it."});
  lesson.start(argc, argv);
  k.training.seed = lesson.seed();
  if (lesson.quick()) k.training.steps = std::min<int64_t>(k.training.steps, 500);
  app::tell(
      "\n   First, an LSTMN with a tape of one entry is compared with an LSTM. Then readers with different memories\n"
      "   learn to answer which value belongs to a key, and memory networks to follow a chain of two entries.\n");
  lesson.report().text(
      "What this page shows",
      "A reader sees pairs of a key and a value, and then a key. What it can answer depends on what it "
      "has kept: one state of fixed width, all its states, or a table with an entry for each pair.");
  double exact = lstmn_minus_lstm(1, DType::f64, lesson.seed()),
         single = lstmn_minus_lstm(1, DType::f32, lesson.seed()),
         longer = lstmn_minus_lstm(2, DType::f64, lesson.seed());
  the_tape(lesson, exact, single, longer);

  std::vector<Row> rows;
  for (const char* kind : {"LSTM", "LSTMN", "LSTM + attention", "key-value", "memory network"})
    if (std::string(kind) != "LSTMN" || !lesson.quick()) rows.push_back(measure(kind, k.width, k.training));
  the_recall(lesson, rows, k.training);
  the_looks(lesson, rows, k.training);
  std::vector<ChainResult> hops = the_hops(lesson, lesson.quick() ? 1200 : 1500);
  std::vector<double> fusions;
  if (!lesson.quick()) fusions = the_fusions(lesson);
  heading("5  Head: content finds the first cell, and the shift walks on");
  double blurred = the_head(lesson, 1), sharp = the_head(lesson, 3);

  heading("Claims");
  auto row = [&](const std::string& name) -> const Row& {
    return *std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.learned.name == name; });
  };
  const Row &lstm = row("LSTM"), &attention = row("LSTM + attention"), &table = row("memory network");
  lesson.claim({.name = "an LSTMN with a tape of one entry against an LSTM, largest difference, 64 bits",
                .measured = exact,
                .comparator = "<=",
                .threshold = 1e-12,
                .control = fmt::format("with two entries: {:.2g}", longer)});
  lesson.claim({.name = fmt::format("recall with {} pairs: the worst of the readers that keep all, right in %", kAsked),
                .measured = std::min({attention.at(kAsked), row("key-value").at(kAsked), table.at(kAsked)}),
                .comparator = ">=",
                .threshold = lesson.quick() ? 60.0 : 95.0,
                .control = fmt::format("LSTM: {:.0f} %; values moved: {:.0f} %", lstm.at(kAsked), table.moved)});
  lesson.claim({.name = "questions that need two looks: three hops above one hop, in points",
                .measured = hops.back().right - hops.front().right,
                .comparator = ">=",
                .threshold = lesson.quick() ? 20.0 : 60.0,
                .control = fmt::format("one hop: {:.0f} %", hops.front().right)});
  lesson.check({.name = "the same as the first claim, 32 bits",
                .measured = single,
                .comparator = "<=",
                .threshold = 1e-6,
                .control = nullptr});
  lesson.check({.name = "head with sharpening: weight on the right cell after seven steps",
                .measured = sharp,
                .comparator = ">=",
                .threshold = 0.9,
                .control = fmt::format("without sharpening: {:.2f}", blurred)});
  if (lesson.quick()) return lesson.finish();
  lesson.check({.name = "LSTM: right with two pairs, points above eight pairs",
                .measured = lstm.at(2) - lstm.at(kAsked),
                .comparator = ">=",
                .threshold = 20,
                .control = fmt::format("LSTM + attention: {:.0f}", attention.at(2) - attention.at(kAsked))});
  lesson.check({.name = "copying 8 symbols: the worse of the two fusions above no fusion, in points",
                .measured = std::min(fusions[1], fusions[2]) - fusions[0],
                .comparator = ">=",
                .threshold = 60,
                .control = fmt::format("none: {:.0f} %", fusions[0])});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_20); }
