// Lesson 32: attention without a softmax. Softmax attention keeps all earlier words. If what is kept must not grow, the
// words have to share one matrix, the state, and the question is how a word is written into it:
//
//   1  five formulas          sum, decay, gate, delta rule, reflection: each one change away from the last
//   2  a key written twice    what the two keys return, exactly
//   3  many pairs             the error of what a key returns, by the number of pairs in the state
//   4  bytes                  a cache that grows, a state that does not
//   5  rewritten keys         trained: which rule keeps the newest value of each key?
//   6  parity                 trained: which rule counts by two, at lengths beyond training?
//   7  recall                 trained: how many pairs fit into a state? Softmax attention is the control
//
// K width of a key, D width of a value: the state has K x D numbers.
#include <fmt/format.h>

#include "tutorials/32_without_softmax/forms.h"
#include "tutorials/32_without_softmax/memory.h"
#include "tutorials/32_without_softmax/train.h"
#include "tutorials/common/main.h"

using namespace without_softmax;
using heed::app::heading, heed::app::show, heed::app::Lesson;
namespace app = heed::app;
namespace report = heed::report;

namespace {

struct Knobs {
  int64_t rewriting = 500, parity = 500, recall = 800, keys = 16;
};

struct Entry {
  std::string name;
  Rule rule;
  Setting setting;
};

// Trains all, and shows the % of right answers by size. `tasks` has one task for each entry, or one for all.
std::vector<Learned> compare(Lesson& lesson, const AbilityTask& task, const std::vector<Entry>& entries,
                             const std::string& title, const std::string& text) {
  heed::nn::Progress progress(std::ssize(entries), {.label = "training", .unit = "models"});
  std::vector<Learned> all;
  for (const Entry& e : entries) {
    all.push_back(learn(e.rule, task, e.setting));
    all.back().rule = e.name;
    progress.step({.loss = all.back().losses.back(), .items = 1});
  }
  progress.finish();
  report::TablePanel table{.title = title, .text = text, .header = {"rule"}};
  for (int64_t size : task.tested) table.header.push_back(fmt::format("{} {}", size, task.size_name));
  report::CurvesPanel curves{.title = title + ", by length",
                             .text = fmt::format("Trained with 1 to {} {}.", task.trained.most, task.size_name),
                             .x_label = task.size_name,
                             .y_label = "right answers, %",
                             .log_x = true};
  for (const Learned& l : all) {
    table.rows.push_back({l.rule});
    report::Series series{.name = l.rule, .y = l.right};
    for (size_t i = 0; i < l.right.size(); ++i) {
      table.rows.back().push_back(fmt::format("{:.1f}", l.right[i]));
      series.x.push_back(static_cast<double>(task.tested[i]));
    }
    curves.series.push_back(series);
  }
  show(lesson, table);
  lesson.report().curves(curves);
  return all;
}

std::vector<Learned> the_rewritten_keys(Lesson& lesson, Setting s) {
  heading("5  Rewritten keys, trained");
  s.rate = 6e-3;
  std::vector<Entry> entries;
  for (const Rule& rule : all_rules())  // a quick run trains the two that its claim compares
    if (!lesson.quick() || rule.name == "sum" || rule.name == "delta rule") entries.push_back({rule.name, rule, s});
  return compare(
      lesson, rewriting(), entries, "Rewritten keys",
      "Right answers in %: the newest value of each of 8 keys. Guessing gives 6. Trained with up to 16 pairs.");
}

std::vector<Learned> the_parity(Lesson& lesson, Setting s) {
  heading("6  Parity, trained");
  s.rate = 1e-2, s.keys.taps = 1;
  std::vector<Entry> entries;
  for (const Rule& rule : all_rules()) entries.push_back({rule.name, rule, s});
  s.keys.taps = 4;
  entries.push_back({"reflection, four words", all_rules().back(), s});
  std::vector<Learned> all =
      compare(lesson, counting(), entries, "Parity",
              "Right answers in %; guessing gives 50. Trained with up to 16 bits. Keys and values depend on one word, "
              "in the last row on four.");
  report::TablePanel table{
      .title = "What a bit does to the state along its key",
      .text = "The factor a (1 - b) that was learned. 1 keeps what the key returns, 0 removes it, -1 changes its sign.",
      .header = {"rule", "bit 0", "bit 1"}};
  for (size_t i = 4; i < all.size(); ++i)
    table.rows.push_back(
        {all[i].rule, fmt::format("{:.3f}", all[i].factors[0]), fmt::format("{:.3f}", all[i].factors[1])});
  show(lesson, table);
  return all;
}

struct Recalled {
  double softmax = 0, best = 0;  // % of 16 pairs; best: of the states
};
std::vector<Recalled> the_recall(Lesson& lesson, Setting s) {
  heading("7  Recall, trained: the size of the state");
  std::vector<Entry> entries;
  for (int64_t K : {s.keys.width, 2 * s.keys.width}) {
    s.keys.width = K;
    for (size_t rule : {0U, 1U, 4U})
      entries.push_back({fmt::format("{}, {}", all_rules()[rule].name,
                                     rule == 0 ? fmt::format("K = {}", K) : fmt::format("{} x {}", K, s.width)),
                         all_rules()[rule], s});
  }
  std::vector<Learned> all = compare(lesson, recalling(), entries, "Recall",
                                     "Right answers in %: 4, 8 or 16 pairs of 32 keys and 32 values, each key written "
                                     "once. Guessing gives 3. Beside the rule is the size of its state.");
  std::vector<Recalled> out;
  for (size_t i : {0U, 3U})
    out.push_back({all[i].right.back(), std::max(all[i + 1].right.back(), all[i + 2].right.back())});
  return out;
}

int lesson_32(int argc, char** argv) {
  Knobs k;
  Lesson lesson("32_without_softmax", "Attention without a softmax: a state that is written, decayed and corrected");
  lesson.knob("rewriting", &k.rewriting, "training steps with rewritten keys").between(10, 5000);
  lesson.knob("parity", &k.parity, "training steps with parity").between(10, 5000);
  lesson.knob("recall", &k.recall, "training steps with recall").between(10, 5000);
  lesson.knob("keys", &k.keys, "width of the keys, an even number").between(2, 64);
  lesson.question(
      {"A state is a matrix to which each word adds its key times its value. The key `red` is written with the value "
       "1, and later again with the value 5. What does the key `red` return?",
       {"1", "5", "6"},
       3,
       "The state is a sum, and a sum forgets nothing. To get 5, the word has to subtract what its key returned "
       "before: that is the delta rule."});
  lesson.start(argc, argv);
  if (k.keys % 2 != 0)
    throw heed::InputError(
        fmt::format("keys: must be even, because rotary positions turn pairs of numbers; got {}", k.keys));
  if (lesson.quick()) k.rewriting = std::min<int64_t>(k.rewriting, 300), k.parity = std::min<int64_t>(k.parity, 300);
  fmt::print("\n");
  app::item("",
            "Five rules write words into a matrix. They are compared with the library, then tried by hand with random "
            "keys, and at last each is put into the same small model and trained on tasks that ask for one ability.");
  const Setting s{.batch = 32, .keys = {.width = k.keys}, .seed = lesson.seed()};
  auto steps = [&](int64_t n) {
    Setting with = s;
    with.steps = n;
    return with;
  };
  const AllForms forms = the_forms(lesson);
  const std::vector<Rewritten> twice = the_rewriting(lesson);
  const Crowded crowd = the_crowd(lesson);
  const Bytes bytes = the_bytes(lesson);
  const std::vector<Learned> newest = the_rewritten_keys(lesson, steps(k.rewriting)),
                             parity = the_parity(lesson, steps(k.parity));
  std::vector<Recalled> recall;
  if (!lesson.quick()) recall = the_recall(lesson, steps(k.recall));

  heading("Claims");
  lesson.claim({.name = "plain loops against the library's mixers in three forms, largest difference",
                .measured = forms.worst,
                .comparator = "<=",
                .threshold = 1e-12,
                .control = fmt::format("all words of a chunk written at once: {:.2f}", forms.careless)});
  auto most = [&](const std::string& rule) {  // right answers with rewritten keys, 64 pairs
    for (const Learned& l : newest)
      if (l.rule == rule) return l.right.back();
    return 0.0;  // not trained in a quick run
  };
  const std::string before = lesson.quick() ? "sum" : "gate";
  lesson.claim(
      {.name = fmt::format("rewritten keys, 64 pairs: delta rule minus {}, in points", before),
       .measured = most("delta rule") - most(before),
       .comparator = ">=",
       .threshold = 5,
       .control = fmt::format("right by delta rule: {:.1f}; {}: {:.1f}{}", most("delta rule"), before, most(before),
                              lesson.quick() ? "" : fmt::format("; softmax: {:.1f}", most("softmax"))),
       .shown_in_quick = false});
  lesson.claim({.name = "parity, 64 bits: right answers of the reflection in %",
                .measured = parity[5].right[2],
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("b below 1: {:.1f}; softmax: {:.1f}", parity[4].right[2], parity[0].right[2])});
  auto wrong = [](const Rewritten& r) { return std::abs(r.red - 5) + std::abs(r.blue - 3); };
  lesson.check({.name = "a key written twice, delta rule: distance of both answers from the right ones",
                .measured = wrong(twice[3]),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("sum: {:.2f}; decay: {:.2f}; gate: {:.2f}", wrong(twice[0]), wrong(twice[1]),
                                       wrong(twice[2]))});
  lesson.check(
      {.name = "bytes that the state grows by between the first and the last count of words",
       .measured = bytes.state.back() - bytes.state.front(),
       .comparator = "==",
       .threshold = 0,
       .control = fmt::format("cache of softmax attention: {:.0f}", bytes.cache.back() - bytes.cache.front())});
  lesson.check({.name = "error of a sum with 16 random pairs of width 16",
                .measured = crowd.sum[5],
                .comparator = ">=",
                .threshold = 0.8,
                .control = fmt::format("delta rule: {:.2f}; one pair: {:.2f}", crowd.delta[5], crowd.sum[0])});
  lesson.check({.name = "parity: factor of bit 1 along its key, reflection",
                .measured = parity[5].factors[1],
                .comparator = "<=",
                .threshold = -0.95,
                .control = fmt::format("b below 1: {:.3f}", parity[4].factors[1])});
  if (lesson.quick()) return lesson.finish();
  lesson.check(
      {.name = "parity, 256 bits: right answers of the reflection whose keys depend on four words, in %",
       .measured = parity[6].right[3],
       .comparator = "<=",
       .threshold = 90,
       .control = fmt::format("16 bits: {:.1f}; keys of one word: {:.1f}", parity[6].right[0], parity[5].right[3])});
  lesson.check(
      {.name = fmt::format("recall of 16 pairs: softmax minus the best state of {} x {} numbers, in points", k.keys,
                           s.width),
       .measured = recall[0].softmax - recall[0].best,
       .comparator = ">=",
       .threshold = 20,
       .control = fmt::format("{} x {} numbers: {:.1f}", 2 * k.keys, s.width, recall[1].softmax - recall[1].best)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_32); }
