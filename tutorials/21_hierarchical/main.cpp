// Lesson 21: hierarchical attention. Words make sentences, sentences make the document.
//
//   1  task            ten sentences of which one decides the class; how far counting words gets
//   2  class           six models: which of them are right, and where are their weights?
//   3  long documents  the same models on documents four times as long, without further training
//   4  tags            is each class word the class of its document?
//
// B documents, M sentences, L words of a sentence, N units of a GRU in one direction.
#include "tutorials/common/main.h"

#include "tutorials/21_hierarchical/training.h"
#include "tutorials/common/show.h"

using namespace hierarchy;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t hidden = 16, steps = 600, sentences = 10, far = 40;
  double rate = 3e-3;
};

std::string percent(double value) { return value < 0 ? "" : fmt::format("{:.0f} %", value); }

ReaderOptions options_of(const std::string& kind, const data::DocumentTask& task, int64_t hidden) {
  return {.kind = kind, .vocabulary = task.words.size(), .embedding = 16, .hidden = hidden, .attention = 16};
}

// The number of units with which a flat model has at least as many parameters as the hierarchical one.
int64_t flat_width(const data::DocumentTask& task, const Knobs& k) {
  auto parameters = [&](const std::string& kind, int64_t hidden) {
    Generator rng(1);
    Classifier m(options_of(kind, task, hidden), task.classes, rng);
    return nn::count_parameters(m);
  };
  int64_t wanted = parameters("hierarchical", k.hidden), hidden = k.hidden;
  while (parameters("flat", hidden) < wanted) ++hidden;
  return hidden;
}

// ---- 1  task --------------------------------------------------------------------------------------------------------
// How often the most frequent class word is the label, in %. A tie is decided in favour of the first class.
double by_counting(const data::DocumentTask& task) {
  double right = 0;
  for (const data::Document& d : task.test) {
    std::vector<int64_t> counts(static_cast<size_t>(task.classes));
    for (const auto& sentence : d.sentences)
      for (const std::string& word : sentence)
        if (word[0] == 'c') ++counts[static_cast<size_t>(std::stoi(word.substr(1)))];
    right += std::max_element(counts.begin(), counts.end()) - counts.begin() == d.label;
  }
  return 100 * right / static_cast<double>(task.test.size());
}

double the_task(const data::DocumentTask& task) {
  heading("1  Task: one sentence decides the class of the document");
  const data::Document& d = task.test[0];
  for (size_t m = 0; m < d.sentences.size(); ++m) {
    std::string line;
    for (const std::string& word : d.sentences[m]) line += word + " ";
    app::tell("   {:>2}  {}{}\n", m + 1, line, std::cmp_equal(m, d.cue_sentence) ? "   <- decides" : "");
  }
  double counted = by_counting(task);
  app::tell("\n   class: {}. Predicting the most frequent class word is right in {:.0f} %, a guess in {:.0f} %.\n",
            d.label, counted, 100.0 / static_cast<double>(task.classes));
  return counted;
}

// ---- 2 and 3  class, long documents ---------------------------------------------------------------------------------
void the_class(app::Lesson& lesson, const std::vector<Outcome>& outcomes, const Knobs& k) {
  heading(fmt::format("2  Class: 400 new documents of {} sentences", k.sentences));
  report::TablePanel near{.title = "Documents as long as in training",
                          .text =
                              "Found: the deciding sentence has the largest weight. Its weight: the mean. For a flat "
                              "model, the weight of a sentence is the sum of the weights of its words.",
                          .header = {"model", "parameters", "class right", "found", "its weight"}};
  report::TablePanel far{.title = fmt::format("Documents of {} sentences", k.far),
                         .text = "The same models without further training. Again one sentence decides.",
                         .header = {"model", "class right", "found", "its weight"}};
  report::CurvesPanel curves{.title = "Class right during training",
                             .text = "200 validation documents, measured every 50 steps.",
                             .x_label = "training step",
                             .y_label = "class right, %"};
  for (const Outcome& o : outcomes) {
    near.rows.push_back(
        {o.name, std::to_string(o.parameters), percent(o.test.right), percent(o.test.found), percent(o.test.weight)});
    far.rows.push_back({o.name, percent(o.far.right), percent(o.far.found), percent(o.far.weight)});
    report::Series series{.name = o.name, .y = o.measured};
    for (size_t i = 0; i < o.measured.size(); ++i) series.x.push_back(50 * static_cast<double>(i + 1));
    curves.series.push_back(series);
  }
  show(lesson, near);
  for (const Outcome& o : outcomes)
    if (o.name == "flat" && o.test.beside >= 0)
      app::tell(
          "\n   In {:.0f} % of its errors, the flat model predicts the class word of a sentence next to the deciding "
          "one.\n",
          o.test.beside);
  heading(fmt::format("3  Long documents: {} sentences, no further training", k.far));
  show(lesson, far);
  lesson.report().curves(curves);
}

// The weights of one document for the report. Flat weights are split at the ends of the sentences.
report::RunningText text_of(const Classifier& m, const std::string& name, const data::DocumentTask& task,
                            const data::Document& d) {
  NoGrad guard;
  Read read = m.reader(document_batch(task, {d}, {0}));
  bool flat = m.reader.in_one_row();
  report::RunningText out{.name = name, .sentences = {}};
  int64_t at = 0;
  for (size_t i = 0; i < d.sentences.size(); ++i) {
    auto s = static_cast<int64_t>(i);
    report::RunningSentence line{.words = d.sentences[i], .weights = {}, .weight = read.sentences.at({0, s})};
    line.gold = s == d.cue_sentence;
    for (int64_t w = 0; w < std::ssize(d.sentences[i]); ++w)
      line.weights.push_back(flat ? read.words.at({0, at++}) : read.words.at({0, s, w}));
    at += m.reader.options.kind == "flat, boundaries";  // skip the marker
    out.sentences.push_back(line);
  }
  return out;
}

// ---- 4  tags --------------------------------------------------------------------------------------------------------
std::pair<double, double> the_tags(app::Lesson& lesson, const data::DocumentTask& task, const Knobs& k) {
  heading("4  Tags: is this class word the class of the document?");
  report::TablePanel table{.title = "Correct tags of class words",
                           .text =
                               "Tag: the class word agrees with the class of the document, or differs. Input: the "
                               "encoder output of the word, with or without the vector of the document. Twice as many "
                               "training steps.",
                           .header = {"tagger", "correct tags"}};
  std::vector<double> right;
  for (bool whole : {true, false}) {
    Generator rng(lesson.seed());
    Tagger m(options_of("hierarchical", task, k.hidden), whole, rng);
    std::string name = whole ? "word and document" : "word alone";
    right.push_back(learn_tags(m, name, task, {.steps = 2 * k.steps, .rate = k.rate, .seed = lesson.seed()}));
    table.rows.push_back({name, percent(right.back())});
  }
  show(lesson, table);
  return {right[0], right[1]};
}

int lesson_21(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("21_hierarchical", "Hierarchical attention: words, sentences, documents");
  lesson.knob("hidden", &k.hidden, "units of the hierarchical model's GRUs; flat models get as many parameters")
      .between(4, 128);
  lesson.knob("steps", &k.steps, "training steps, 32 documents each").between(50, 100000);
  lesson.knob("sentences", &k.sentences, "sentences of a document").between(2, 40);
  lesson.knob("far", &k.far, "sentences of the long documents").between(2, 100);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.question(
      {"A flat model has attention over all words in a row and is not told where sentences end. It is right in about "
       "85 % of the documents. A model with attention over words and then over sentences is right in 100 %. Now the "
       "flat model gets a marker after each sentence. It is right in",
       {"85 %", "about 92 %", "100 %"},
       3,
       "The flat model lacked the ends of the sentences, and not a second attention."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 250);
  app::tell(
      "\n   Models with and without sentences, and with and without attention, learn to predict the class of a "
      "document.\n"
      "   Then the same models get longer documents.\n");
  lesson.report().text("What this page shows",
                       "Each sentence of a document contains a class word, and one sentence decides. Models with and "
                       "without sentences, with and without attention, learn to predict the class of the document.");
  auto task_with = [&](int64_t held_out) {
    return data::document_task({.sentences = {k.sentences, k.sentences},
                                .held_out_sentences = {held_out, held_out},
                                .parts = {.train = 10000, .validation = 200, .test = 400, .seed = lesson.seed()}});
  };
  data::DocumentTask task = task_with(k.sentences), far = task_with(k.far);
  double counted = the_task(task);

  std::vector<std::string> kinds{"hierarchical",     "hierarchical mean", "flat",
                                 "flat, boundaries", "flat mean",         "bag of words"};
  if (lesson.quick()) kinds = {"hierarchical", "hierarchical mean", "flat", "bag of words"};
  std::vector<Outcome> outcomes;
  report::RunningPanel looks{.title = "Weights of words and sentences",
                             .text =
                                 "The first test document. The darker a word, the larger its weight; the bar beside a "
                                 "sentence shows the weight of the sentence.",
                             .texts = {}};
  int64_t wide = flat_width(task, k);
  for (const std::string& kind : kinds) {
    Generator rng(lesson.seed());
    Classifier m(options_of(kind, task, kind.starts_with("flat") ? wide : k.hidden), task.classes, rng);
    outcomes.push_back(learn(m, task, far, {.steps = k.steps, .rate = k.rate, .seed = lesson.seed()}));
    if (outcomes.back().test.found >= 0) looks.texts.push_back(text_of(m, kind, task, task.test[0]));
  }
  the_class(lesson, outcomes, k);
  lesson.report().running(looks);
  auto [with, without] = lesson.quick() ? std::pair(0.0, 0.0) : the_tags(lesson, task, k);

  heading("Claims");
  auto of = [&](const std::string& kind) {
    for (const Outcome& o : outcomes)
      if (o.name == kind) return o;
    return Outcome{.name = kind, .test = {}, .far = {}};
  };
  Outcome tree = of("hierarchical"), flat = of("flat");
  std::string marked =
      lesson.quick() ? "" : fmt::format("flat with boundaries: {:.1f}; ", of("flat, boundaries").test.right);
  lesson.claim({.name = "class right: hierarchical attention, points above flat attention of equal size",
                .measured = tree.test.right - flat.test.right,
                .comparator = ">=",
                .threshold = 5,
                .control = fmt::format("{}hierarchical mean: {:.1f}; hierarchical: {:.1f}", marked,
                                       of("hierarchical mean").test.right, tree.test.right)});
  lesson.claim({.name = "hierarchical: the deciding sentence has the largest weight, in %",
                .measured = tree.test.found,
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("flat: {:.1f}; a guess: {:.0f}; class right by counting class words: {:.0f} %",
                                       flat.test.found, 100.0 / static_cast<double>(k.sentences), counted)});
  if (!lesson.quick())
    lesson.claim({.name = "class right: flat attention with sentence boundaries, in %",
                  .measured = of("flat, boundaries").test.right,
                  .comparator = ">=",
                  .threshold = 95,
                  .control = fmt::format("without boundaries: {:.1f}", flat.test.right)});
  if (lesson.quick()) return lesson.finish();  // the tags take longer to learn
  lesson.check({.name = "correct tags of class words, with the document, in %",
                .measured = with,
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("word alone: {:.1f}", without)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_21); }
