// Lesson 19: coverage and monotonic attention. Which positions have been read, and where to continue.
//
//   1  walks       the expected alignment of monotonic attention, by hand, as a sum over all walks, and in the library
//   2  repetition  models that learned to copy 4 to 12 symbols write 20: what does knowing the coverage change?
//   3  order       monotonic attention where the order is kept, and where it is reversed
//   4  weights     where the models look while they write
//
// T target and S source positions, L symbols of a sequence, p [T, S] probabilities to stop, alpha [T, S] alignment.
#include "tutorials/common/main.h"

#include <fmt/ranges.h>

#include "tutorials/19_coverage_and_monotonic/learning.h"
#include "tutorials/19_coverage_and_monotonic/walks.h"
#include "tutorials/common/show.h"

using namespace coverage;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t length = 20;
  Training training;
};

// ---- 1  walks -------------------------------------------------------------------------------------------------------
const Rows kByHand{{.3, .6, .8}, {.5, .2, .9}};

struct WalksResult {
  double worst = 0, forgotten = 0;
};
WalksResult the_walks(app::Lesson& lesson) {
  heading("1  Walks: the alignment of monotonic attention as a sum over all walks");
  Walks example = all_walks(kByHand);
  report::TablePanel table{.title = "Two queries and three keys",
                           .text = fmt::format("The probabilities to stop, and the probability that each query stops "
                                               "at each key: the sum over {} walks. A row that sums to less than 1 has "
                                               "walks that ran off the end.",
                                               example.count),
                           .header = {"query", "p", "alpha", "sum"}};
  for (size_t t : {0u, 1u}) {
    const auto& a = example.alpha[t];
    table.rows.push_back({std::to_string(t + 1), fmt::format("{:.1f}", fmt::join(kByHand[t], "  ")),
                          fmt::format("{:.3f}", fmt::join(a, "  ")), fmt::format("{:.3f}", a[0] + a[1] + a[2])});
  }
  show(lesson, table);
  WalksResult out{largest_difference(example.alpha, library_alignment(kByHand)), 0};
  int64_t count = 0;
  for (uint64_t i = 0; i < 20; ++i) {
    Rows p = random_stops(lesson.seed() * 100 + i, 5, 7);
    Walks w = all_walks(p);
    count += w.count;
    out.worst = std::max(out.worst, largest_difference(w.alpha, library_alignment(p)));
    out.forgotten = std::max(out.forgotten, largest_difference(w.alpha, without_memory(p)));
  }
  app::tell("\n   20 random p of 5 queries and 7 keys, {} walks: largest difference {:.1e}\n", count, out.worst);
  return out;
}

// ---- 2 and 3  repetition, order -------------------------------------------------------------------------------------
std::vector<std::string> names_of_columns() {
  std::vector<std::string> header{"attention"};
  for (int64_t length : kLengths) header.push_back(fmt::format("L = {}", length));
  return header;
}
report::TablePanel table_of(const std::string& title, const std::string& text, const std::vector<Entry>& entries,
                            double Scores::*what, const char* digits = "{:.0f} %") {
  report::TablePanel table{.title = title, .text = text, .header = names_of_columns()};
  for (const Entry& e : entries) {
    table.rows.push_back({e.kind.name});
    for (int64_t length : kLengths)
      table.rows.back().push_back(fmt::format(fmt::runtime(digits), e.by_length.at(length).*what));
  }
  return table;
}
void curves_of(app::Lesson& lesson, const std::string& title, const std::string& label,
               const std::vector<Entry>& entries, double Scores::*what) {
  report::CurvesPanel panel{.title = title,
                            .text = fmt::format("Trained with {} to {} symbols. 100 new sequences of each length, "
                                                "greedy decoding of as many symbols as the source has.",
                                                entries[0].training.lengths.least, entries[0].training.lengths.most),
                            .x_label = "symbols in the sequence",
                            .y_label = label};
  for (const Entry& e : entries) {
    report::Series s{.name = e.kind.name};
    for (int64_t length : kLengths)
      s.x.push_back(static_cast<double>(length)), s.y.push_back(e.by_length.at(length).*what);
    panel.series.push_back(s);
  }
  lesson.report().curves(panel);
}
void the_repetitions(app::Lesson& lesson, const std::vector<Entry>& entries) {
  heading("2  Repetition: symbols that are written although they have been written before");
  show(lesson, table_of("Repeated symbols", "All symbols of a source are different, so a right copy repeats none.",
                        entries, &Scores::repeated));
  app::tell("\n   symbols that are right at their place:\n\n");
  show(lesson, table_of("Symbols right at their place", "", entries, &Scores::right));
  app::tell("\n   the coverage loss of the attention weights, mean over the steps:\n\n");
  show(lesson, table_of("Coverage loss of what was written",
                        "0: every step attends to words without attention so far; 1: only to words that have it.",
                        entries, &Scores::loss, "{:.2f}"));
  curves_of(lesson, "Repeated symbols by length", "repeated symbols, %", entries, &Scores::repeated);
  curves_of(lesson, "Right symbols by length", "symbols right at their place, %", entries, &Scores::right);
}
void the_order(app::Lesson& lesson, const std::vector<Entry>& reversed) {
  heading("3  Order: the same, but the target is the source in reverse order");
  show(lesson,
       table_of("Right symbols of the reversed sequence",
                "Monotonic attention never goes back, so it cannot follow this order.", reversed, &Scores::right));
}

// ---- 4  weights -----------------------------------------------------------------------------------------------------
void the_weights(app::Lesson& lesson, const std::vector<Entry>& entries, int64_t length) {
  heading(fmt::format("4  Weights: one source of {} symbols, and what each model writes", length));
  data::Task task =
      task_of(entries[0].training, {length, length}, {.train = 0, .validation = 0, .test = 1, .seed = lesson.seed()});
  auto pairs = task.encode(task.test);
  std::vector<report::Alignment> all;
  app::tell("   {:<26}{}\n", "the source", fmt::join(task.test[0].source, " "));
  for (const Entry& e : entries) {
    nn::Hypothesis found = written_by(e.model, pairs)[0];
    report::Alignment a{.source = task.test[0].source,
                        .target = task.target.decode(found.tokens),
                        .weights = app::matrix_of(weights_of(found, length)),
                        .name = e.kind.name,
                        .row_title = "written",
                        .column_title = "source",
                        .choice = "Attention"};
    a.source.emplace_back("</s>");
    app::tell("   {:<26}{}\n", e.kind.name, fmt::join(a.target, " "));
    all.push_back(a);
  }
  app::tell("\n   {}:\n", all[0].name);
  show(report::heat_map(all[0].weights, all[0].target, all[0].source, {.console = app::console()}));
  lesson.report().alignments(
      "Where the models look while they write",
      fmt::format("One new source of {} symbols. A row for each symbol that is written, a column for each source "
                  "position.",
                  length),
      all);
}

int lesson_19(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("19_coverage_and_monotonic", "Coverage and monotonic attention: what was read, where to go on");
  lesson.knob("steps", &k.training.steps, "training steps, 32 sequences each").between(100, 100000);
  lesson.knob("hidden", &k.training.hidden, "units of encoder and decoder").between(4, 256);
  lesson.knob("lambda", &k.training.lambda, "weight of the coverage loss").between(0, 100);
  lesson.knob("without_loss", &k.training.without_loss, "share of the steps before the coverage loss is added")
      .between(0, 1);
  lesson.knob("rate", &k.training.rate, "Adam's first learning rate").between(1e-5, 1);
  lesson.question(
      {"A model has learned to copy up to 12 symbols, and then has to write 20. It repeats itself. A loss that "
       "penalises attention to symbols that were read already is added for the last third of training. At 20 symbols "
       "it repeats",
       {"less than half as much", "hardly at all", "about as much as before"},
       3,
       "Up to 12 symbols the model reads every symbol once, so the loss is nearly 0 and teaches nothing. What helps is "
       "to let the score see what was read."});
  lesson.start(argc, argv);
  k.training.seed = lesson.seed();
  if (lesson.quick()) k.training.steps = std::min<int64_t>(k.training.steps, 500);
  app::tell(
      "\n   First, the expected alignment of monotonic attention is compared with a sum over all walks. Then models\n"
      "   with several kinds of attention learn to copy up to 12 symbols, and have to copy up to 40.\n");
  lesson.report().text("What this page shows",
                       "Models that learned to copy short sequences must write longer ones. Softmax attention then "
                       "reads some symbols twice. Attention that sees its coverage, and attention that cannot go back, "
                       "are measured beside it.");
  WalksResult walks = the_walks(lesson);

  std::vector<Entry> entries, reversed;
  for (const Kind& kind : kinds()) {
    bool short_list = kind.name == "no coverage" || kind.name == "coverage, neighbours" || kind.name == "monotonic";
    if (!lesson.quick() || short_list) entries.push_back(measure(kind, k.training));
  }
  if (!lesson.quick()) {
    Training backwards = k.training;
    backwards.reversed = true;
    for (const char* name : {"no coverage", "monotonic"}) reversed.push_back(measure(kind_called(name), backwards));
  }
  the_repetitions(lesson, entries);
  if (!lesson.quick()) the_order(lesson, reversed);
  the_weights(lesson, entries, k.length);

  auto at = [&](const std::string& name) -> const Scores& {
    for (const Entry& e : entries)
      if (e.kind.name == name) return e.by_length.at(k.length);
    return entries[0].by_length.at(k.length);  // --quick has not trained it
  };
  const Scores &base = at("no coverage"), &monotonic = at("monotonic");
  heading("Claims");
  lesson.claim({.name = "expected alignment of monotonic attention against the sum over all walks, 64 bits",
                .measured = walks.worst,
                .comparator = "<=",
                .threshold = 1e-12,
                .control = fmt::format("each query starts at the first key again: {:.2f}", walks.forgotten)});
  lesson.claim(
      {.name = fmt::format("repeated symbols at {}: coverage with neighbours, divided by no coverage", k.length),
       .measured = at("coverage, neighbours").repeated / base.repeated,
       .comparator = "<=",
       .threshold = lesson.quick() ? 0.75 : 0.5,  // --quick trains too little for 0.5 on every seed
       .control = lesson.quick() ? fmt::format("monotonic: {:.2f}", monotonic.repeated / base.repeated)
                                 : fmt::format("coverage loss: {:.2f}; plain mean: {:.2f}",
                                               at("coverage loss").repeated / base.repeated,
                                               at("plain mean").repeated / base.repeated)});
  lesson.claim({.name = fmt::format("right symbols at {}: monotonic above no coverage, in points", k.length),
                .measured = monotonic.right - base.right,
                .comparator = ">=",
                .threshold = lesson.quick() ? 0.0 : 10.0,
                .control = lesson.quick()
                               ? std::string("--quick trains no control")
                               : fmt::format("reversed, at 12: {:.0f} points",
                                             reversed[1].by_length.at(12).right - reversed[0].by_length.at(12).right)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_19); }
