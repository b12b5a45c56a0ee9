// Lesson 18: copy and point. Words that are in no vocabulary, and outputs that are positions of the source.
//
//   1  sorting   a pointer network sorts real numbers; what a mask on used positions changes
//   2  names     notices with unknown names: softmax, pointer-generator, CopyNet, and controls
//   3  gate      when does the pointer-generator copy?
//
// B sentences, S source words or numbers, T target words, V vocabulary, V' vocabulary and unknown words of a sentence.
#include "tutorials/common/main.h"

#include "tutorials/18_copy_and_point/sorter.h"
#include "tutorials/18_copy_and_point/writer.h"
#include "tutorials/common/show.h"

using namespace copying;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t steps = 500, sort_steps = 1000, longest = 10;
  double unknown = 0.5;
};
std::string percent(double value) { return fmt::format("{:.1f} %", value); }

// ---- 1  sorting -----------------------------------------------------------------------------------------------------
struct Sorting {
  double ten = 0, twenty = 0, unmasked = 0, forgotten = 0, places = 0;  // lists in the right order, in %
};
Sorting the_sorting(app::Lesson& lesson, const Knobs& k) {
  heading(fmt::format("1  Sorting: 400 new lists of each length, trained with 5 to {} numbers", k.longest));
  struct Entrant {
    std::string name;
    bool points = true;
    std::string normaliser = "softmax";
    bool masked = false;  // in training
  };
  const std::vector<Entrant> entrants{{.name = "no mask"},
                                      {.name = "masked", .masked = true},
                                      {.name = "even, masked", .normaliser = "even", .masked = true},
                                      {.name = "position numbers", .points = false}};
  const std::vector<int64_t> lengths{5, 10, 12, 15, 20};
  report::TablePanel table{
      .title = "Lists in the right order",
      .text =
          "Training and decoding: whether positions that have been used are masked. Even: all weights "
          "are equal. Position numbers: a softmax over 20 numbers of positions, without attention. "
          "Repeats: lists of 10 in which a position is named twice.",
      .header = {"training", "decoding", "5", "10", "12", "15", "20", "repeats"}};
  report::CurvesPanel curves{.title = "Lists in the right order by length",
                             .text = fmt::format("All models were trained with lists of 5 to {} numbers.", k.longest),
                             .x_label = "numbers in the list",
                             .y_label = "lists in the right order, %"};
  Sorting out;
  for (const Entrant& e : entrants) {
    if (lesson.quick() && e.normaliser == "even") continue;
    Generator rng(lesson.seed(), 1 << 20);
    Sorter m(e.points, e.normaliser, rng);
    learn_to_sort(m, "sorting, " + e.name,
                  {.steps = k.sort_steps, .longest = k.longest, .masked = e.masked, .seed = lesson.seed()});
    for (bool mask : {false, true}) {
      if (mask ? !e.points : e.normaliser == "even") continue;
      std::vector<std::string> row{e.name, mask ? "masked" : "no mask"};
      report::Series series{.name = fmt::format("{}; decoding {}", e.name, row.back())};
      double repeats = 0;
      for (int64_t S : lengths) {
        const Ordered r = copying::judge(m, S, mask, lesson.seed());
        row.push_back(percent(r.lists));
        series.x.push_back(static_cast<double>(S)), series.y.push_back(r.lists);
        if (S == 10) repeats = r.repeats;
        if (S == 10 && !e.points) out.places = r.lists;
        if (S == 10 && e.points && !e.masked && mask) out.unmasked = r.lists;
        if (S == 10 && e.masked && !mask) out.forgotten = r.lists;
        if (e.masked && mask && e.normaliser == "softmax" && S == 10) out.ten = r.lists;
        if (e.masked && mask && e.normaliser == "softmax" && S == 20) out.twenty = r.lists;
      }
      row.push_back(percent(repeats));
      table.rows.push_back(row);
      curves.series.push_back(series);
    }
  }
  show(lesson, table);
  lesson.report().curves(curves);
  return out;
}

// ---- 2  names -------------------------------------------------------------------------------------------------------
// How far are the probabilities of a random pointer-generator, over the extended vocabulary, from a sum of 1? One word
// is in its source twice, and two are not in the vocabulary.
double farthest_sum(uint64_t seed) {
  Generator rng(seed);
  auto head = nn::make_output_head({.name = "pointer_generator", .features = 6, .vocabulary = 9}, rng);
  nn::convert(*head, DType::f64);
  Variable f(Tensor::normal({3, 6}, rng, 0, 1, DType::f64)), e(Tensor::normal({3, 4}, rng, 0, 1, DType::f64));
  nn::OutputSource source;
  source.ids = Tensor::from(std::vector<int64_t>{9, 4, 9, 3, 5, 9, 10, 3, 4, 4, 4, 3}, {3, 4});
  source.end = 11;
  double worst = 0;
  for (double total : sum(exp((*head)(f, softmax(e, -1), source)), {-1}).value().to_vector())
    worst = std::max(worst, std::abs(total - 1));
  return worst;
}

struct Kind {
  std::string name, output, normaliser = "softmax";
};

int lesson_18(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("18_copy_and_point", "Copy and point: outputs that are positions and words of the source");
  lesson.knob("steps", &k.steps, "training steps of part 2, 32 notices each").between(50, 100000);
  lesson.knob("sort_steps", &k.sort_steps, "training steps of part 1, 64 lists each").between(50, 100000);
  lesson.knob("longest", &k.longest, "longest list of numbers in training").between(5, 20);
  lesson.knob("unknown", &k.unknown, "share of the names that no vocabulary contains").between(0.05, 1);
  lesson.question(
      {"A pointer network sorts numbers by pointing at them one after the other. It is trained with lists in "
       "which used positions are masked. Then it is used without this mask. What happens?",
       {"nothing, it has learned not to repeat", "a few lists contain a repeated number",
        "every list of ten contains a repeated number"},
       3,
       "What the mask does, the model never has to learn."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 250), k.sort_steps = std::min<int64_t>(k.sort_steps, 250);
  app::tell(
      "\n   First, a pointer network learns to sort real numbers, with and without a mask on the positions that it "
      "has\n"
      "   used. Then models with different outputs write entries about people whose names are in no vocabulary.\n");
  lesson.report().text("What this page shows",
                       "A softmax over a vocabulary can only write words of the vocabulary. Here attention weights "
                       "become the output: a model points at numbers to sort them, and copies names that it has never "
                       "seen.");
  const Sorting sorting = the_sorting(lesson, k);

  heading("2  Names: 400 new notices, half of the names unknown");
  const text::Vocabulary words = vocabulary();
  Generator held(lesson.seed(), 1ull << 41);
  const std::vector<Notice> test = make_notices(400, true, 0.5, held),
                            other = make_notices(400, true, 0.5, held, Order::held_out);
  std::vector<Kind> kinds{{"softmax", "softmax"},
                          {"pointer-generator", "pointer_generator"},
                          {"CopyNet", "copynet"},
                          {"pointer-gen., even", "pointer_generator", "even"},
                          {"pointer-gen., shuffled", "pointer_generator", "shuffled"},
                          {"CopyNet, even", "copynet", "even"}};
  if (lesson.quick()) kinds.resize(2);
  report::TablePanel table{.title = "Names and other words",
                           .text =
                               "Words at the right position. Unknown, known: names that the vocabulary lacks, and that "
                               "it has. Even, shuffled: the attention weights are equal, or moved to other words. "
                               "Entries: completely right. New order: unknown names in sentences with an order "
                               "of words that was not in training.",
                           .header = {"output", "unknown", "known", "other words", "entries", "new order"}};
  std::map<std::string, Names> right;
  std::vector<report::Alignment> pictures;
  Gates gates;
  for (const Kind& kind : kinds) {
    Generator rng(lesson.seed(), 1 << 20);
    auto m = make_writer(words.size(), kind.output, kind.normaliser, rng);
    const bool plain = kind.output == "softmax";  // it learns more slowly, so it gets eight times as many steps
    learn_to_write(
        *m, kind.name, words,
        {.steps = plain ? (lesson.quick() ? 2 : 8) * k.steps : k.steps, .unknown = k.unknown, .seed = lesson.seed()});
    for (bool replaced : {false, true}) {
      if (replaced && !plain) continue;
      const std::string name = replaced ? "softmax, <unk> replaced" : kind.name;
      const std::vector<Written> written = write(*m, words, test, replaced);
      const Names n = judge(written, words, test), moved = judge(write(*m, words, other, replaced), words, other);
      right[name] = n;
      table.rows.push_back(
          {name, percent(n.unknown), percent(n.known), percent(n.rest), percent(n.entries), percent(moved.unknown)});
      if (kind.normaliser != "softmax" || replaced) continue;
      report::Alignment picture{.source = test[0].source, .target = written[0].words, .name = name};
      picture.source.push_back("</s>");
      std::vector<double> values;
      for (size_t t = 0; t < picture.target.size(); ++t)
        values.insert(values.end(), written[0].weights[t].begin(), written[0].weights[t].end());
      picture.weights = report::Matrix(picture.target.size(), picture.source.size(), values);
      picture.choice = "Output";
      pictures.push_back(picture);
    }
    if (kind.name == "pointer-generator") gates = gates_of(dynamic_cast<const CopyingWriter&>(*m), words, test);
  }
  show(lesson, table);
  std::swap(pictures[0], pictures[1]);
  lesson.report().alignments(
      "Attention while a notice is read",
      "Rows: the words that the model writes. Columns: the words of the notice. Names that are not "
      "in the vocabulary all look like <unk> to the encoder.",
      pictures);
  app::tell("\n   {}\n   {}\n", fmt::join(test[0].source, " "), fmt::join(test[0].target, " "));

  heading("3  Gate: the probability of copying, by the kind of word");
  report::TablePanel table3{.title = "When the pointer-generator copies",
                            .text = "1 - g, the mean over the words of each kind in 400 notices.",
                            .header = {"word", "probability of copying"},
                            .rows = {{"unknown names", percent(gates.unknown)},
                                     {"known names", percent(gates.known)},
                                     {"objects", percent(gates.object)},
                                     {"words that are not in the source", percent(gates.rest)}}};
  show(lesson, table3);

  heading("Claims");
  auto share = [&](const std::string& name) { return right.count(name) > 0 ? percent(right[name].unknown) : "-"; };
  lesson.claim({.name = "pointer-generator: unknown names copied, in %",
                .measured = right["pointer-generator"].unknown,
                .comparator = ">=",
                .threshold = 90,
                .control = fmt::format("softmax: {}; even weights: {}; shuffled: {}", share("softmax"),
                                       share("pointer-gen., even"), share("pointer-gen., shuffled"))});
  lesson.claim({.name = "pointer network with masks: lists of 10 in the right order, in %",
                .measured = sorting.ten,
                .comparator = ">=",
                .threshold = lesson.quick() ? 30.0 : 80.0,
                .control = fmt::format("trained without mask: {:.1f}; softmax over position numbers: {:.1f}",
                                       sorting.unmasked, sorting.places)});
  if (!lesson.quick())
    lesson.claim({.name = "lists of 20, twice as long as any in training, in the right order, in %",
                  .measured = sorting.twenty,
                  .comparator = ">=",
                  .threshold = 40,
                  .control = fmt::format("lists of 10: {:.1f}", sorting.ten)});
  lesson.check({.name = "trained with masks, used without: lists of 10 in the right order, in %",
                .measured = sorting.forgotten,
                .comparator = "<=",
                .threshold = 5,
                .control = fmt::format("used with masks: {:.1f}", sorting.ten)});
  if (!lesson.quick())
    lesson.check({.name = "CopyNet: unknown names copied, in %",
                  .measured = right["CopyNet"].unknown,
                  .comparator = ">=",
                  .threshold = 90,
                  .control = fmt::format("softmax: {}; CopyNet with even attention weights: {}", share("softmax"),
                                         share("CopyNet, even"))});
  lesson.check({.name = "pointer-generator: largest distance of the sum of its probabilities from 1, 64 bits",
                .measured = farthest_sum(lesson.seed()),
                .comparator = "<=",
                .threshold = 1e-12,
                .control = "without the gate the sum would be 2"});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_18); }
