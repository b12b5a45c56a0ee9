// Lesson 10: sequence to sequence through one vector. An encoder reads a sequence into one vector, and a decoder
// predicts a sequence from it.
//
//   1  teacher forcing      input, target and mask; the loss if the mask is forgotten
//   2  copying              4 to 24 symbols; the vector as initial state and at every step; N = 16 to 128
//   3  accuracy by length   also beyond the trained lengths
//   4  greedy decoding      compared with teacher forcing
//
// L: symbols of a sequence; N: units of the decoder, and of each direction of the encoder; the vector has 2 N numbers.
#include "tutorials/common/main.h"

#include "nn/models/fixed_vector.h"
#include "tutorials/10_fixed_vector/forcing.h"
#include "tutorials/common/show.h"

using namespace fixed_vector;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t hidden = 64, symbols = 8, steps = 1500;
  double rate = 5e-3;
};
constexpr data::Range kLong{20, 24};
const std::vector<int64_t> kLengths{4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32, 40};
constexpr size_t kLength6 = 1, kTrained = 11;  // index of length 6, and how many lengths were trained

// How the decoder gets the vector: two papers.
const std::string kInitial = "as initial state", kEveryStep = "at every step";

struct Entry {
  std::string vector;
  int64_t hidden;
  app::TrainedCopier copier;
  std::vector<double> right;  // %, at kLengths
  double late() const { return app::mean_right(right, kLengths, kLong); }
  double fall() const { return right[kLength6] - late(); }
};

std::string percent(double value) { return fmt::format("{:.0f} %", value); }
// The longest length up to which at least 90 % of the symbols are correct; 0: not even the shortest.
int64_t carried(const std::vector<double>& right) {
  int64_t longest = 0;
  for (size_t i = 0; i < kTrained && right[i] >= 90; ++i) longest = kLengths[i];
  return longest;
}

// ---- 1  teacher forcing ---------------------------------------------------------------------------------------------
void the_forcing(app::Lesson& lesson, const Knobs& k) {
  heading("1  Teacher forcing: what the decoder reads, what it must predict, and which positions count");
  data::Task task = app::sequences_of(3, k.symbols, 2, lesson.seed());
  std::vector<data::EncodedPair> pairs = task.encode(task.test);
  for (int64_t longer : {5, 6}) {
    data::Task other = app::sequences_of(longer, k.symbols, 1, lesson.seed());
    pairs.push_back(other.encode(other.test[0], {}));
  }
  std::vector<data::EncodedPair> shown{pairs[0], pairs[2]};
  show(lesson, forcing_table(data::make_batch(shown, {0, 1}), task.target));
  auto options = app::copier_options<nn::Sutskever>(k.hidden);
  options.source.vocabulary = task.source.size(), options.target.vocabulary = task.target.size();
  Generator rng(lesson.seed());
  nn::Sutskever model(options, rng);
  data::Batch all = data::make_batch(pairs, {0, 1, 2, 3});
  double single = loss_one_by_one(model, pairs), masked = batch_loss(model, all, true),
         counted = batch_loss(model, all, false);
  app::tell(
      "\n   four sequences of 3, 3, 5 and 6 symbols, an untrained network, mean loss per symbol:\n"
      "   one by one {:.6f}   one batch, masked {:.6f}   one batch, padding counted {:.6f}\n\n",
      single, masked, counted);
  lesson.check({.name = "masked loss of a padded batch minus the loss of its sequences one by one",
                .measured = std::abs(masked - single),
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("padding counted: {:.2g}", std::abs(counted - single))});
}

// ---- 2  copying -----------------------------------------------------------------------------------------------------
std::vector<Entry> hold_contest(const app::Lesson& lesson, const Knobs& k, const app::CopyTraining& training) {
  std::vector<int64_t> widths{16, 32, 64, 128};
  if (lesson.quick()) widths = {16, 64};
  if (std::find(widths.begin(), widths.end(), k.hidden) == widths.end()) widths.push_back(k.hidden);
  std::vector<Entry> entries;
  auto learn = [&](const std::string& vector, int64_t N, const nn::AnyPaper& paper) {
    app::TrainedCopier copier = app::learn_to_copy(fmt::format("{}, N {}", vector, N), paper, training);
    auto right = app::right_by_length(*copier.model, kLengths, training, 100);
    entries.push_back({vector, N, std::move(copier), right});
  };
  for (int64_t N : widths) learn(kInitial, N, nn::paper_of<nn::Sutskever>(app::copier_options<nn::Sutskever>(N)));
  for (int64_t N : widths) learn(kEveryStep, N, nn::paper_of<nn::Cho>(app::copier_options<nn::Cho>(N)));
  return entries;
}

const Entry& entry_of(const std::vector<Entry>& entries, const std::string& vector, int64_t hidden) {
  return *std::find_if(entries.begin(), entries.end(),
                       [&](const Entry& e) { return e.vector == vector && e.hidden == hidden; });
}

void the_contest(app::Lesson& lesson, const Knobs& k, std::vector<Entry>& entries) {
  heading(fmt::format("2  Copying: {} symbols, lengths 4 to 24, {} training steps; guessing gets {:g} % right",
                      k.symbols, k.steps, 100.0 / static_cast<double>(k.symbols)));
  report::TablePanel table{
      .title = "Copied through one vector",
      .text =
          "Correct symbols by length L, with greedy decoding. Last column: the longest length up to "
          "which 90 % are correct; a dash: not even 4.",
      .header = {"vector", "N", "parameters", "L = 4", "6", "12", "20", "24", "90 % up to"}};
  for (Entry& e : entries) {
    table.rows.push_back({e.vector, std::to_string(e.hidden), std::to_string(nn::count_parameters(*e.copier.model))});
    for (size_t i : {0u, 1u, 4u, 8u, 10u}) table.rows.back().push_back(percent(e.right[i]));
    int64_t longest = carried(e.right);
    table.rows.back().push_back(longest ? std::to_string(longest) : "-");
  }
  show(lesson, table);
}

// ---- 3  accuracy by length ------------------------------------------------------------------------------------------
void by_length(app::Lesson& lesson, const Knobs& k, const std::vector<Entry>& entries) {
  heading(fmt::format("3  Accuracy by length, N = {}: correct symbols, in %", k.hidden));
  report::CurvesPanel figure{
      .title = fmt::format("Accuracy by length, N = {}", k.hidden),
      .text =
          "Correct symbols by the length of the sequence, with greedy decoding, 100 sequences per "
          "length. Trained with 4 to 24 symbols; longer ones are curves of their own.",
      .x_label = "length of the sequence, in symbols",
      .y_label = "correct symbols, in %"};
  std::vector<report::Curve> lines;
  for (const std::string& vector : {kInitial, kEveryStep}) {
    const Entry& e = entry_of(entries, vector, k.hidden);
    std::vector<double> x(kLengths.begin(), kLengths.end());
    auto edge = static_cast<std::ptrdiff_t>(kTrained);
    figure.series.push_back(
        {.name = vector, .y = {e.right.begin(), e.right.begin() + edge}, .x = {x.begin(), x.begin() + edge}});
    figure.series.push_back({.name = vector + ", above 24",
                             .y = {e.right.begin() + edge - 1, e.right.end()},
                             .x = {x.begin() + edge - 1, x.end()}});
    lines.push_back({vector, {e.right.begin(), e.right.begin() + edge}});
  }
  show(report::plot(lines, {.console = app::console(), .height = 10, .first = "4", .last = "24 symbols"}));
  lesson.report().curves(figure);
  for (const std::string& vector : {kInitial, kEveryStep}) {
    report::CurvesPanel panel{
        .title = fmt::format("How wide is the vector? {}", vector),
        .text = "Correct symbols by length, for each number of units N. The vector has 2 N numbers.",
        .x_label = "length of the sequence, in symbols",
        .y_label = "correct symbols, in %"};
    for (const Entry& e : entries)
      if (e.vector == vector)
        panel.series.push_back(
            {.name = fmt::format("N = {}", e.hidden), .y = e.right, .x = {kLengths.begin(), kLengths.end()}});
    lesson.report().curves(panel);
  }
}

// ---- 4  greedy decoding ---------------------------------------------------------------------------------------------
void the_greedy(app::Lesson& lesson, const Knobs& k, const Entry& e) {
  heading(
      fmt::format("4  Greedy decoding, vector {}, N = {}: the decoder reads its own predictions", e.vector, e.hidden));
  for (int64_t length : {6, 20}) {
    data::Task task = app::sequences_of(length, k.symbols, 100, lesson.seed());
    auto pairs = task.encode(task.test);
    auto written = app::greedy_copies(*e.copier.model, {pairs[0]})[0];
    std::string marks;
    for (size_t t = 0; t < pairs[0].target.size(); ++t)
      marks += t < written.size() && written[t] == pairs[0].target[t] ? "  " : "^ ";
    app::tell("   source      {}\n   prediction  {}\n               {}\n",
              fmt::join(task.target.decode(pairs[0].target), " "), fmt::join(task.target.decode(written), " "), marks);
  }
  report::TablePanel table{.title = "Greedy decoding and teacher forcing compared",
                           .text =
                               "Correct symbols of the same network. Greedy: it reads its own predictions. Teacher "
                               "forcing: it reads the true symbols. Wrong vector: greedy, with the vector of another "
                               "sequence.",
                           .header = {"length", "greedy", "teacher forcing", "wrong vector"}};
  for (int64_t length : {6, 12, 20, 24}) {
    data::Task task = app::sequences_of(length, k.symbols, 100, lesson.seed());
    auto pairs = task.encode(task.test), swapped = with_other_sources(pairs);
    const nn::EncoderDecoder& model = *e.copier.model;
    table.rows.push_back({std::to_string(length), percent(app::places_right(app::greedy_copies(model, pairs), pairs)),
                          percent(right_when_forced(model, pairs)),
                          percent(app::places_right(app::greedy_copies(model, swapped), swapped))});
  }
  show(lesson, table);
}

double another_vector(const Knobs& k, const Entry& e, uint64_t seed) {
  data::Task task = app::sequences_of(6, k.symbols, 100, seed);
  auto swapped = with_other_sources(task.encode(task.test));
  return app::places_right(app::greedy_copies(*e.copier.model, swapped), swapped);
}

int lesson_10(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("10_fixed_vector", "Sequence to sequence through one vector: how long a sequence gets through?");
  lesson.knob("hidden", &k.hidden, "units N of the decoder and of each direction of the encoder").between(4, 256);
  lesson.knob("symbols", &k.symbols, "number of different symbols").between(4, 64);
  lesson.knob("steps", &k.steps, "steps of training").between(100, 100000);
  lesson.knob("rate", &k.rate, "Adam's first learning rate").between(1e-5, 1);
  lesson.question(
      {"A network reads 4 to 24 symbols into one vector of 128 numbers, and must copy them from this vector alone. "
       "It is trained on all these lengths and copies 6 symbols almost without error. Of 20 to 24 symbols, how many "
       "are correct?",
       {"almost all", "about eight in ten", "half or fewer"},
       3,
       "The vector has the same width for 24 symbols as for 6."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 1000);
  lesson.report().text(
      "What this page shows",
      "An encoder reads a sequence into one vector, and a decoder must predict the same sequence from it. "
      "The vector has the same width for long sequences as for short ones. Short sequences are copied, long ones "
      "are not.");
  fmt::print("\n");
  app::item("",
            "Networks of several widths learn to copy sequences of 4 to 24 symbols through one vector. Then we count "
            "the correct symbols by length, and let one of them read the true symbols instead of its own.");
  the_forcing(lesson, k);
  app::CopyTraining training{.symbols = k.symbols, .steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
  std::vector<Entry> entries = hold_contest(lesson, k, training);
  the_contest(lesson, k, entries);
  by_length(lesson, k, entries);
  the_greedy(lesson, k, entry_of(entries, kEveryStep, k.hidden));

  heading("Claims");
  auto falls = [&](const Entry& e) {
    lesson.claim({.name = fmt::format("vector {}, N = {}: correct at 6 symbols minus correct at 20 to 24, in points",
                                      e.vector, e.hidden),
                  .measured = e.fall(),
                  .comparator = ">=",
                  .threshold = 30,
                  .control = fmt::format("{:.0f} % and {:.0f} %; 6 symbols with the wrong vector: {:.0f} %",
                                         e.right[kLength6], e.late(), another_vector(k, e, lesson.seed()))});
  };
  falls(entry_of(entries, kEveryStep, k.hidden));
  if (!lesson.quick()) falls(entry_of(entries, kInitial, 128));  // narrower ones do not even learn 6 symbols
  const Entry &narrow = entry_of(entries, kEveryStep, 16),
              &wide = entry_of(entries, kEveryStep, lesson.quick() ? 64 : 128);
  lesson.claim({.name = fmt::format("correct at length 12: N = {} minus N = 16, in points", wide.hidden),
                .measured = wide.right[4] - narrow.right[4],
                .comparator = ">=",
                .threshold = 20,
                .control = fmt::format("{:.0f} % and {:.0f} %", wide.right[4], narrow.right[4])});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_10); }
