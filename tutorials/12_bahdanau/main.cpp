// Lesson 12: Bahdanau's attention. Lesson 10 again, but the decoder looks at all of the source, anew at each step.
//
//   1  the look       additive attention step by step, against the library's
//   2  the contest    copying 4 to 24 symbols: one vector, attention, and a fake that ignores the keys
//   3  the fake       detected by changing one key
//   4  the grammar    English to French: where does it attend, and where should it?
//
// L: symbols of a sequence; N: units of the decoder; S: source positions; weights [T, S], one row per step.
#include "tutorials/common/main.h"

#include "tutorials/12_bahdanau/contest.h"
#include "tutorials/12_bahdanau/grammar.h"
#include "tutorials/12_bahdanau/look.h"
#include "tutorials/12_bahdanau/pictures.h"
#include "tutorials/common/show.h"

using namespace bahdanau;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t hidden = 64, symbols = 8, steps = 1000, sentences = 12000;
  double rate = 5e-3;
};

// ---- 2  the contest -------------------------------------------------------------------------------------------------
void the_contest(app::Lesson& lesson, const Knobs& k, std::vector<Entry>& entries) {
  heading(fmt::format("2  The contest: {} symbols, lengths 4 to 24, {} steps, N = {}, {}", k.symbols, k.steps, k.hidden,
                      seeds_of(entries[0])));
  report::TablePanel table{.title = "Copied with one vector and with attention",
                           .text =
                               "Places right, in %: the lowest and the highest of the seeds. Lengths above 24 were "
                               "not trained.",
                           .header = {"decoder", "parameters", "L = 6", "12", "20", "24", "28", "40"}};
  report::CurvesPanel figure{
      .title = "Bahdanau's figure, measured",
      .text = fmt::format("Places right by the length of the sequence, greedy decoding; N = {}. The line is the median "
                          "of {}, the band goes from the lowest to the highest. Trained with 4 to 24 symbols.",
                          k.hidden, seeds_of(entries[0])),
      .x_label = "length of the sequence",
      .y_label = "places right, in %"};
  std::vector<report::Curve> lines;
  for (Entry& e : entries) {
    std::vector<double> low = e.over_seeds(least), high = e.over_seeds(most), mid = e.over_seeds(middle);
    table.rows.push_back({e.name, std::to_string(nn::count_parameters(*e.copiers[0].model))});
    for (size_t i : {1u, 4u, 8u, 10u, 11u, 13u})
      table.rows.back().push_back(low[i] == high[i] ? fmt::format("{:.0f}", low[i])
                                                    : fmt::format("{:.0f}-{:.0f}", low[i], high[i]));
    figure.series.push_back(
        {.name = e.name, .y = mid, .x = {kLengths.begin(), kLengths.end()}, .low = low, .high = high});
    lines.push_back({e.name, {mid.begin(), mid.begin() + 11}});
  }
  show(lesson, table);
  fmt::print("\n");
  show(report::plot(lines, {.console = app::console(), .height = 10, .first = "4", .last = "24 symbols"}));
  lesson.report().curves(figure);
}

// ---- 1 and 3  the look, the fake ------------------------------------------------------------------------------------
data::Batch some_sequences(const Knobs& k, uint64_t seed) {
  data::Task task = app::sequences_of(12, k.symbols, 50, seed);
  return data::make_batch(task.encode(task.test), [] {
    std::vector<int64_t> all(50);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    return all;
  }());
}

// The largest change of a weight when any one key is changed.
double change(const nn::Bahdanau& model, const data::Batch& b) {
  double largest = 0;
  for (int64_t place = 0; place < b.source.size(1); ++place)
    largest = std::max(largest, change_by_a_key(model, b, place));
  return largest;
}

void where(app::Lesson& lesson, const Knobs& k, const std::vector<Entry>& entries) {
  report::TablePanel table{.title = "Where it looks while it copies",
                           .text =
                               "The heaviest place of each step, sequences of 12 symbols: how often it is the one "
                               "before the symbol to be written, its own, or the one behind.",
                           .header = {"decoder", "seed", "one before", "its own", "one behind"}};
  for (size_t e : {1u, 2u})
    for (size_t i = 0; i < entries[e].copiers.size(); ++i) {
      data::Task task = app::sequences_of(12, k.symbols, 50, lesson.seed());
      auto share = where_it_looks(*entries[e].copiers[i].model, task.encode(task.test));
      table.rows.push_back({entries[e].name, std::to_string(lesson.seed() + i)});
      for (double s : share) table.rows.back().push_back(fmt::format("{:.0f} %", s));
    }
  show(lesson, table);
}

// ---- 4  the grammar -------------------------------------------------------------------------------------------------
std::vector<Translated> the_grammar(app::Lesson& lesson, const Knobs& k) {
  heading(fmt::format("4  The grammar: English to French, {} sentences; 200 new ones asked", k.sentences));
  Grammar g = make_grammar(static_cast<int>(k.sentences));
  nn::FitOptions fitting{.epochs = 6, .batch_size = 32, .learning_rate = k.rate, .warmup = 100};
  fitting.seed = lesson.seed();
  std::vector<Translated> all;
  for (const auto& [name, paper] : kinds(k.hidden, 32)) {
    if (lesson.quick() && name == "one vector") continue;
    Learned l = learn_grammar(name, g, paper, fitting);
    Figures f = figures_of(l.translator, g.corpus.test);
    f.exact = exact(l.translator, g.corpus.test);
    all.push_back({name, std::move(l), f});
  }
  report::TablePanel table{
      .title = "Translated, and aligned",
      .text =
          "Exact: sentences without any fault. Mass: the weight of content words on the words that they are linked "
          "to. AER: the error rate of the heaviest places of content words; then with the weights moved.",
      .header = {"decoder", "exact", "mass", "AER", "moved by -1", "moved by +1"}};
  for (const Translated& t : all) {
    table.rows.push_back({t.name, fmt::format("{:.0f} %", t.figures.exact)});
    bool looks = t.learned.translator.model.attends();
    table.rows.back().push_back(looks ? fmt::format("{:.2f}", t.figures.mass) : "");
    for (size_t i : {1u, 0u, 2u}) table.rows.back().push_back(looks ? fmt::format("{:.2f}", t.figures.error[i]) : "");
  }
  show(lesson, table);
  report::TablePanel epochs{.title = "Where it looks while it learns",
                            .text =
                                "AER of attention on 100 validation sentences after each epoch, as it is and with "
                                "the weights moved by one place.",
                            .header = {"epoch", "AER", "moved by -1", "moved by +1"}};
  const std::vector<std::array<double, 3>>& errors = all[all.size() - 2].learned.errors;
  for (size_t i = 0; i < errors.size(); ++i) {
    epochs.rows.push_back({std::to_string(i + 1)});
    for (size_t m : {1u, 0u, 2u}) epochs.rows.back().push_back(fmt::format("{:.2f}", errors[i][m]));
  }
  app::tell("\n   attention, after each epoch:\n\n");
  show(lesson, epochs);
  std::vector<std::string> source = g.agreement.source, target = g.agreement.target;
  app::tell("\n   {}\n", fmt::join(source, " "));
  for (const Translated& t : all)
    app::tell("   {:<10} {}\n", t.name, fmt::join(t.learned.translator.translate({source})[0].target, " "));
  source.emplace_back("</s>"), target.emplace_back("</s>");
  for (const Translated& t : all) {
    if (!t.learned.translator.model.attends()) continue;
    report::Alignment a{.source = source, .target = target, .snapshots = t.learned.snapshots};
    for (const data::Link& l : g.agreement.links) (l.sure ? a.sure : a.possible).push_back({l.target, l.source});
    lesson.report().alignment(fmt::format("The agreement on the European Economic Area: {}", t.name),
                              "Where the decoder looks as each French word is written, with teacher forcing. The "
                              "slider goes through training. Frames: the gold alignment.",
                              a);
    app::tell("\n   {}:\n", t.name);
    show(report::heat_map(matrix_of(t.learned.translator.align({g.agreement.source, g.agreement.target})), target,
                          source, {.console = app::console()}));
  }
  word_by_word(lesson, all, g);
  return all;
}

int lesson_12(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("12_bahdanau", "Bahdanau's attention: the decoder looks back at every step");
  lesson.knob("hidden", &k.hidden, "units N of decoder and encoder").between(4, 256);
  lesson.knob("symbols", &k.symbols, "different symbols").between(4, 64);
  lesson.knob("steps", &k.steps, "steps of training at copying").between(100, 100000);
  lesson.knob("rate", &k.rate, "Adam's first learning rate").between(1e-5, 1);
  lesson.knob("sentences", &k.sentences, "of the grammar, to train with").between(500, 20000);
  lesson.question(
      {"An attention is built wrongly: its weights are computed from the decoder's state alone, and the "
       "encoder's vectors are only averaged with them. At copying up to 24 symbols it is",
       {"as bad as one vector", "almost as good as a true one", "no better than a guess"},
       2,
       "To copy, one must look at place 1, 2, 3, ..; for that it is enough to count."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 500), k.sentences = std::min<int64_t>(k.sentences, 5000);
  lesson.report().text(
      "What this page shows",
      "The encoder keeps a vector for each place. At each step the decoder compares its state with all "
      "of them, and takes a weighted mean. Long sequences are then copied as well as short ones, and "
      "the weights say where it looked.");
  app::CopyTraining training{.symbols = k.symbols, .steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
  std::vector<Entry> entries = hold_contest(training, k.hidden, lesson.quick() ? 1 : 3);
  const Entry &vector = entries[0], &attention = entries[1], &fake = entries[2];
  data::Batch batch = some_sequences(k, lesson.seed());

  heading("1  The look: our attention beside the library's");
  double apart = difference(attention.looker(0), batch);
  app::tell("   largest difference of weights and contexts, 50 sequences: {:.1g}\n", apart);
  the_contest(lesson, k, entries);
  heading("3  The fake: its weights come from the decoder's state alone; 1 is added to one key");
  double by_key = change(attention.looker(0), batch), fake_by_key = change(fake.looker(0), batch);
  app::tell("   largest change of a weight   attention {:.3f}   the fake {:g}\n\n", by_key, fake_by_key);
  where(lesson, k, entries);
  std::vector<Translated> translated = the_grammar(lesson, k);
  const Figures &true_one = translated[translated.size() - 2].figures, &false_one = translated.back().figures;

  heading("Claims");
  lesson.check({.name = "additive attention in words against the library's, largest difference",
                .measured = apart,
                .comparator = "<=",
                .threshold = 1e-5,
                .control = nullptr});
  double gain = 1e9, early = 1e9;
  size_t worst = 0;
  for (size_t i = 0; i < attention.right.size(); ++i) {
    if (double g = attention.late(i) - vector.late(i); g < gain) gain = g, worst = i;
    early = std::min(early, attention.right[i][1] - vector.right[i][1]);
  }
  lesson.claim(
      {.name = fmt::format("places right at 20 to 24 symbols: attention more than one vector, in points, worst "
                           "of {}",
                           seeds_of(attention)),
       .measured = gain,
       .comparator = ">=",
       .threshold = 30,
       .control = fmt::format("{:.0f} % and {:.0f} %; at 6 symbols: {:.0f} points", attention.late(worst),
                              vector.late(worst), early)});
  lesson.claim({.name = "the fake: largest change of a weight when a key changes",
                .measured = fake_by_key,
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("attention: {:.3f}", by_key)});
  lesson.claim({.name = "alignment error of content words on the grammar: attention less than the fake",
                .measured = false_one.error[1] - true_one.error[1],
                .comparator = ">=",
                .threshold = 0.1,
                .control = fmt::format("{:.2f} and {:.2f}; exact {:.0f} % and {:.0f} %", true_one.error[1],
                                       false_one.error[1], true_one.exact, false_one.exact)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_12); }
