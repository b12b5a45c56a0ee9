// Lesson 27: decoder only. A transformer predicts the next word of a grammar whose probabilities are all known. The
// entropy of the grammar is a lower bound of the expected loss, so we know how good the model is.
//
//   1  the grammar   its entropy: how uncertain is the next word?
//   2  the models    counting words, a transformer without attention, a transformer: how close to the entropy?
//   3  no mask       without the causal mask: a loss that is too good to be true
//   4  sampling      temperature, top-k, top-p: correctness and variety
//   5  the cache     positions that go through the layers, with the cache and without
//   6  the padding   one sentence per row, and packed rows
#include <numeric>

#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/27_decoder/judging.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace speaking;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t model = 64, layers = 2, steps = 600, test = 2000;
  double rate = 3e-3;
};

// ---- 1  the grammar -------------------------------------------------------------------------------------------------
double the_grammar(app::Lesson& lesson, const Grammar& g, const Sentences& test) {
  heading(fmt::format("1  The grammar: {} rules, {} words", g.rules(), g.words().classes() + 1));
  for (size_t i = 0; i < 6; ++i) app::tell("   {}\n", g.text(test[i]));
  double exact = g.entropy() / g.length(), drawn = drawn_entropy(g, test);
  report::TablePanel table{
      .title = "Entropy of the grammar",
      .text = "Exactly, computed from the rules; and for the test sentences, which are a random sample.",
      .header = {"", "entropy, nats per word", "perplexity", "words per sentence"}};
  table.rows.push_back({"from the rules", fmt::format("{:.4f}", exact), fmt::format("{:.3f}", std::exp(exact)),
                        fmt::format("{:.2f}", g.length())});
  table.rows.push_back({fmt::format("{} test sentences", test.size()), fmt::format("{:.4f}", drawn),
                        fmt::format("{:.3f}", std::exp(drawn)),
                        fmt::format("{:.2f}", static_cast<double>(words_of(test)) / static_cast<double>(test.size()))});
  fmt::print("\n");
  show(lesson, table);
  return drawn;
}

// ---- 2  the models --------------------------------------------------------------------------------------------------
void the_contest(app::Lesson& lesson, const std::vector<Speaker>& speakers, double entropy) {
  report::TablePanel table{.title = "Loss of each model, and the entropy",
                           .text =
                               "Loss in nats per word, on new sentences. Late verb: the probability that the model "
                               "gives to grammatical words where a clause or a place is between noun and verb.",
                           .header = {"model", "loss", "perplexity", "above the grammar", "late verb"}};
  auto row = [&](const Speaker& s) {
    table.rows.push_back({s.name, fmt::format("{:.4f}", s.loss), fmt::format("{:.3f}", std::exp(s.loss)),
                          fmt::format("{:+.1f} %", 100 * (std::exp(s.loss - entropy) - 1)),
                          fmt::format("{:.1f} %", s.late)});
  };
  for (const Speaker& s : speakers) row(s);
  row({"the grammar itself", entropy, 100});
  show(lesson, table);
}

// ---- 3  no mask -----------------------------------------------------------------------------------------------------
void draw_losses(app::Lesson& lesson, const std::vector<double> (&losses)[3], double entropy) {
  report::CurvesPanel curves{.title = "Training loss and the entropy",
                             .text =
                                 "No model can stay below the entropy of the grammar unless it sees the next word. "
                                 "Each point is the mean of ten steps.",
                             .x_label = "step",
                             .y_label = "loss, nats per word"};
  const std::string names[] = {"attention off", "transformer", "no mask"};
  std::vector<report::Curve> drawn;
  for (size_t c = 0; c < 3; ++c) {
    report::Series series{.name = names[c]};
    for (size_t s = 10; s <= losses[c].size(); s += 10) {
      series.x.push_back(static_cast<double>(s));
      series.y.push_back(std::accumulate(losses[c].begin() + static_cast<int64_t>(s) - 10,
                                         losses[c].begin() + static_cast<int64_t>(s), 0.0) /
                         10);
    }
    drawn.push_back({names[c], series.y});
    curves.series.push_back(series);
  }
  curves.series.push_back(
      {.name = "entropy", .y = {entropy, entropy}, .x = {1, static_cast<double>(losses[1].size())}});
  drawn.push_back({"entropy", std::vector<double>(losses[1].size() / 10, entropy)});
  fmt::print("\n");
  show(report::plot(drawn,
                    {.console = app::console(), .title = "loss in nats per word, ten steps per point", .height = 12}));
  lesson.report().curves(curves);
}

// ---- 4  sampling ----------------------------------------------------------------------------------------------------
std::vector<Quality> sampling(app::Lesson& lesson, const Grammar& g, const LanguageModel& m) {
  const int64_t n = lesson.quick() ? 200 : 500;
  heading(fmt::format("4  Sampling: {} sentences for each setting", n));
  const std::vector<std::pair<std::string, nn::SampleOptions>> ways{
      {"temperature 1", {}},
      {"temperature 0.5", {.temperature = 0.5}},
      {"temperature 1.5", {.temperature = 1.5}},
      {"1.5, top-k 5", {.temperature = 1.5, .top_k = 5}},
      {"1.5, top-p 0.9", {.temperature = 1.5, .top_p = 0.9}},
      {"top-k 1 (greedy)", {.top_k = 1}}};
  report::TablePanel table{.title = "Sampling: grammatical and distinct sentences",
                           .text =
                               "Grammatical: sentences that the grammar can generate. Surprise: their mean -log p "
                               "under the grammar, in nats per word; sentences of the grammar itself have its "
                               "entropy.",
                           .header = {"sampling", "grammatical", "distinct", "surprise", "first sentence"}};
  std::vector<Quality> out;
  for (const auto& [name, options] : ways) {
    auto all = written(m, n, options, lesson.seed());
    out.push_back(quality(g, all));
    table.rows.push_back({name, fmt::format("{:.0f} %", out.back().right), fmt::format("{:.0f} %", out.back().distinct),
                          fmt::format("{:.2f}", out.back().surprise), g.text(all[0].tokens)});
  }
  show(lesson, table);
  return out;
}

// ---- 5  the cache ---------------------------------------------------------------------------------------------------
void the_cache(app::Lesson& lesson, const Grammar& g, LanguageModel& m, Generator& dice) {
  std::vector<int64_t> words{Vocabulary::start};  // 40 words: sentences one after another, cut off
  while (words.size() < 40)
    for (int64_t w : g.draw(dice)) words.push_back(w);
  words.resize(40);
  heading("5  The cache: 40 words, one after the other");
  int64_t through = 0;
  m.decoder.layers[0].output_hooks.push_back([&](std::string_view name, const Variable& x) {
    if (name == "output") through += x.size(1);
    return x;
  });
  NoGrad guard;
  nn::LanguageModelSearch search(m, {{}});
  double furthest = 0,
         alone = 0;  // differences of log p to the uncached model; alone: of a model that reads the last word only
  int64_t counts[2]{};
  auto apart = [](const Tensor& a, const Tensor& b) {
    return max(abs(sub(a.to(DType::f64), b.to(DType::f64)))).item();
  };
  for (size_t t = 0; t < words.size(); ++t) {
    through = 0;
    Tensor cached = search.next(Tensor::from(std::vector<int64_t>{words[t]}, {1}));
    counts[1] += std::exchange(through, 0);
    std::vector<int64_t> so_far(words.begin(), words.begin() + static_cast<int64_t>(t) + 1);
    Tensor whole = log_softmax(m(Tensor::from(so_far, {1, std::ssize(so_far)}))).value();  // [1, t + 1, V]
    counts[0] += through;
    Tensor last = log_softmax(m(Tensor::from(std::vector<int64_t>{words[t]}, {1, 1}))).value();
    furthest = std::max(furthest, apart(cached, whole.select(1, -1)));
    alone = std::max(alone, apart(last.select(1, 0), whole.select(1, -1)));
  }
  m.decoder.layers[0].output_hooks.clear();
  report::TablePanel table{
      .title = "Positions computed to generate 40 words",
      .text =
          "Training reads all words of a line in one step. Generating takes one step per word, with "
          "the cache and without it, because each step needs the word of the step before.",
      .header = {"", "positions per layer", "dependent steps"}};
  table.rows.push_back({"without the cache", std::to_string(counts[0]), "40"});
  table.rows.push_back({"with the cache", std::to_string(counts[1]), "40"});
  table.rows.push_back({"training", "40", "1"});
  show(lesson, table);
  fmt::print("\n");
  lesson.check({.name = "positions per layer to generate 40 words, with the cache",
                .measured = static_cast<double>(counts[1]),
                .comparator = "==",
                .threshold = 40,
                .control = fmt::format("without: {}", counts[0])});
  lesson.check({.name = "log p with the cache against log p without it, largest difference",
                .measured = furthest,
                .comparator = "<=",
                .threshold = 1e-4,
                .control = fmt::format("a model that reads the last word only: {:.2g}", alone)});
}

// ---- 6  the padding -------------------------------------------------------------------------------------------------
void the_padding(app::Lesson& lesson, const LanguageModel& m, const Sentences& test) {
  heading("6  The padding: 48 test sentences in one batch");
  Sentences in(test.begin(), test.begin() + 48), out = in;
  std::vector<std::vector<int64_t>> lengths;
  for (auto& s : in) {
    s.insert(s.begin(), Vocabulary::start), s.pop_back();
    lengths.push_back({std::ssize(s)});
  }
  NoGrad guard;
  Lines own = lines_of(out);
  report::TablePanel table{
      .title = "Padded and packed batches",
      .text = "Packed: several sentences share a row, and a mask separates them. Loss in nats per word.",
      .header = {"rows", "positions computed", "share of words", "loss"}};
  auto row = [&](const std::string& name, const Tensor& ids, double loss) {
    table.rows.push_back(
        {name, std::to_string(ids.count()),
         fmt::format("{:.0f} %", 100.0 * static_cast<double>(words_of(out)) / static_cast<double>(ids.count())),
         fmt::format("{:.6f}", loss)});
  };
  auto loss_of = [](const Variable& logits, const Tensor& out_) {
    return cross_entropy(logits, out_, {.ignore_index = Vocabulary::pad}).item();
  };
  row("one per sentence", own.in, loss_of(m(own.in), own.out));
  auto rows = nn::rows_of(lengths, 40);
  nn::Packed packed = nn::pack(in, rows), targets = nn::pack(out, rows);
  double loss = loss_of(m(packed), targets.ids);
  row("packed, up to 40 words", packed.ids, loss);
  nn::Packed mixed = packed;  // the classic fault: no mask between the sentences
  mixed.segments = greater(packed.segments, 0).to(DType::i64);
  row("packed, not separated", mixed.ids, loss_of(m(mixed), targets.ids));
  show(lesson, table);
}

int lesson_27(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("27_decoder", "Decoder only: a language model, compared with the entropy of its grammar");
  lesson.knob("model", &k.model, "model width D; a multiple of 4, because there are four heads").between(8, 256);
  lesson.knob("layers", &k.layers, "layers of the decoder").between(1, 12);
  lesson.knob("steps", &k.steps, "training steps, 48 sentences each").between(50, 100000);
  lesson.knob("test", &k.test, "number of test sentences").between(100, 100000);
  lesson.knob("rate", &k.rate, "highest learning rate of Adam").between(1e-5, 1);
  lesson.question(
      {"The next word of a grammar has an entropy of 1.59 nats. A language model is trained on sentences of this "
       "grammar and reports a loss of 0.3 on new ones. What has happened?",
       {"it has learned the grammar very well", "the sentences were too short", "it sees the next word"},
       3,
       "No model can know more about the next word than the grammar that draws it. The causal mask was missing."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 300), k.test = std::min<int64_t>(k.test, 500);
  app::tell(
      "\n   A small transformer learns a language whose entropy is known exactly, and is compared with counting "
      "words.\n"
      "   Then we remove its causal mask, let it generate sentences, and measure what a cache and packing save.\n");
  Grammar g;
  Generator test_dice(lesson.seed(), 1ull << 50), rng(lesson.seed());
  Sentences test = draw(g, k.test, test_dice);
  double entropy = the_grammar(lesson, g, test);

  Training t{.steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
  heading(fmt::format("2  The models: {} training sentences, the same for all", t.steps * t.batch));
  std::vector<Speaker> speakers = counting(g, test, t);
  LanguageModel m(options_of(g, k.model, k.layers), rng), blind(options_of(g, k.model, k.layers), rng);
  set_scope(blind, "window", rng);
  std::vector<double> losses[3];
  losses[0] = learn(blind, "attention off", g, t);
  losses[1] = learn(m, "transformer", g, t);
  speakers.push_back(judged("attention off", blind, g, test));
  speakers.push_back(judged("transformer", m, g, test));
  the_contest(lesson, speakers, entropy);

  heading("3  Without the causal mask");
  Training third = t;
  third.steps = std::max<int64_t>(t.steps / 3, 200);
  Unmasked unmasked = without_mask(g, test, third, options_of(g, k.model, k.layers), losses[2]);
  app::tell(
      "   loss on new sentences: {:.3f}; entropy: {:.3f}; loss of the same model with the mask: {:.3f};\n"
      "   of the sentences that it generates {:.0f} % are grammatical\n",
      unmasked.loss, entropy, unmasked.honest, unmasked.right);
  draw_losses(lesson, losses, entropy);

  std::vector<Quality> sampled = sampling(lesson, g, m);
  the_cache(lesson, g, m, test_dice);
  the_padding(lesson, m, test);

  heading("Claims");
  const Speaker &attends = speakers.back(), &off = speakers[speakers.size() - 2];
  double ratio = std::exp(attends.loss - entropy);
  lesson.claim({.name = "perplexity of the transformer divided by that of the grammar, on new sentences",
                .measured = ratio,
                .comparator = "<=",
                .threshold = lesson.quick() ? 1.1 : 1.05,
                .control = fmt::format("counting 2 in a row: {:.2f}, 3: {:.2f}, 5: {:.2f}; attention off: {:.2f}",
                                       std::exp(speakers[1].loss - entropy), std::exp(speakers[2].loss - entropy),
                                       std::exp(speakers[3].loss - entropy), std::exp(off.loss - entropy))});
  lesson.check({.name = "no model beats the grammar: the same quotient from below",
                .measured = ratio,
                .comparator = ">=",
                .threshold = 0.995,
                .control = fmt::format("without the causal mask: {:.2f}", std::exp(unmasked.loss - entropy))});
  lesson.claim({.name = "late verb: probability given to grammatical words, in %",
                .measured = attends.late,
                .comparator = ">=",
                .threshold = lesson.quick() ? 65.0 : 93.0,
                .control = fmt::format("counting 3 in a row: {:.1f}, 5: {:.1f}; attention off: {:.1f}",
                                       speakers[2].late, speakers[3].late, off.late)});
  lesson.claim(
      {.name = "grammatical sentences at temperature 1, in %",
       .measured = sampled[0].right,
       .comparator = ">=",
       .threshold = lesson.quick() ? 60.0 : 80.0,
       .control = fmt::format("temperature 1.5: {:.0f}; 1.5 with top-p 0.9: {:.0f}; trained without the mask: {:.0f}",
                              sampled[2].right, sampled[4].right, unmasked.right)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_27); }
