// Lesson 23: positions. How does attention, which ignores order, learn about the positions of words?
//
//   1  the schemes      what absolute and relative schemes compute, as figures
//   2  two to the left  one layer, eleven schemes; trained with 16 words, tested with 16 and 48
//   3  copies           sequences longer than in training, compared with an LSTM
//
// S words of a sentence, D width.
#include "tutorials/common/main.h"

#include <map>
#include <numeric>

#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/data/batches.h"
#include "nn/models/bahdanau.h"
#include "nn/transformer/transformer.h"
#include "tensor/matmul.h"
#include "tutorials/23_positions/two_left.h"
#include "tutorials/common/copy_contest.h"
#include "tutorials/common/show.h"

using namespace positions;
using namespace heed;
using app::heading, app::show;

namespace {

namespace data = heed::data;

// Copying beyond the trained length: a transformer with two encoder and two decoder layers, compared with the LSTM with
// attention of lesson 12. Both are trained on 4 to 12 symbols and tested by greedy decoding.
nn::Transformer learn_to_copy(const std::string& positions, const heed::app::CopyTraining& t) {
  data::Task task =
      data::copy_task({.symbols = t.symbols,
                       .lengths = t.lengths,
                       .parts = {.train = t.steps * t.batch, .validation = 0, .test = 0, .seed = t.seed}});
  nn::TransformerOptions o;
  o.source_vocabulary = task.source.size(), o.target_vocabulary = task.target.size();
  o.model = 64, o.heads = 4, o.inner = 128, o.encoder_layers = o.decoder_layers = 2;
  o.norm_first = true, o.dropout = 0, o.positions = positions, o.max_positions = 64;
  Generator rng(t.seed, 1ull << 20);
  nn::Transformer model(o, rng);
  auto pairs = task.encode(task.train);
  nn::Adam adam(nn::named_parameters(model), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = "copy, " + positions, .unit = "symbols"});
  int64_t step = 0;
  for (const auto& members : data::epoch_batches(pairs, t.batch, t.seed, 1)) {
    data::Batch b = data::make_batch(pairs, members);
    adam.learning_rate = t.rate * (1 - static_cast<double>(step++) / static_cast<double>(t.steps));
    adam.zero_grad();
    Variable loss = cross_entropy(model(b.source, b.lengths, b.target_in), b.target_out, {.ignore_index = 0});
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), t.clip);
    adam.step();
    progress.step({.loss = loss.item(), .items = b.tokens});
  }
  nn::set_training(model, false);
  return model;
}

std::vector<double> right_by_length(const nn::Transformer& model, const std::vector<int64_t>& lengths,
                                    const heed::app::CopyTraining& t, int64_t count) {
  heed::NoGrad guard;
  std::vector<double> right;
  for (int64_t length : lengths) {
    data::Task task = heed::app::sequences_of(length, t.symbols, count, t.seed);
    auto pairs = task.encode(task.test);
    std::vector<int64_t> all(pairs.size());
    std::iota(all.begin(), all.end(), 0);
    data::Batch b = data::make_batch(pairs, all);
    auto search = model.search(b.source, b.lengths);
    std::vector<std::vector<int64_t>> written;
    std::vector<int64_t> limits(pairs.size(), length + 1);
    for (const auto& h : nn::greedy(*search, {.max_lengths = limits})) written.push_back(h.tokens);
    right.push_back(heed::app::places_right(written, pairs));
  }
  return right;
}

struct Knobs {
  int64_t steps = 1500, width = 32, longest = 48, copies = 700;
  double rate = 3e-3;
};

std::string share(double percent) { return fmt::format("{:.1f} %", percent); }

// ---- 1  the schemes -------------------------------------------------------------------------------------------------
void the_schemes(app::Lesson& lesson) {
  heading("1  The schemes: 48 positions");
  Tensor clocks = nn::sinusoidal_positions(48, {.width = 32});
  lesson.report().heat({.title = "Sinusoidal positions: 16 pairs of sine and cosine",
                        .text = "One row per position, one column per number of its vector. Pairs further to the right "
                                "change more slowly.",
                        .row_title = "position",
                        .column_title = "component",
                        .matrix = app::matrix_of(clocks)});
  report::CurvesPanel curves{.title = "How similar are two positions?",
                             .text =
                                 "Position 24 compared with all others. Sinusoidal: the dot product P(24) . P(s) / 16. "
                                 "ALiBi: what the steepest and the flattest of four heads add to a score, divided by "
                                 "10.",
                             .x_label = "position s",
                             .y_label = "dot product, or number added to the score"};
  Tensor alike = matmul(clocks, clocks.select(0, 24).unsqueeze(1));
  std::vector<double> slopes = nn::alibi_slopes(4);
  report::Series sinus{.name = "sinusoidal"}, steep{.name = "ALiBi, head 1"}, flat{.name = "ALiBi, head 4"};
  for (int64_t s = 0; s < 48; ++s) {
    for (report::Series* line : {&sinus, &steep, &flat}) line->x.push_back(static_cast<double>(s));
    sinus.y.push_back(alike.at({s, 0}) / 16);
    auto far = static_cast<double>(std::abs(s - 24));
    steep.y.push_back(-slopes[0] * far / 10), flat.y.push_back(-slopes[3] * far / 10);
  }
  curves.series = {sinus, steep, flat};
  lesson.report().curves(curves);
  app::tell("   Sinusoidal, width 32: P(p) . P(p + 2) = {:.4f} at p = 0 and {:.4f} at p = 40\n",
            matmul(clocks.select(0, 0).unsqueeze(0), clocks.select(0, 2).unsqueeze(1)).at({0, 0}),
            matmul(clocks.select(0, 40).unsqueeze(0), clocks.select(0, 42).unsqueeze(1)).at({0, 0}));
}

// ---- 2  two to the left ---------------------------------------------------------------------------------------------
std::vector<Scheme> schemes(bool quick) {
  std::vector<Scheme> all{{"none", "none"},
                          {"learned", "learned"},
                          {"Shaw, reach 8", "shaw", false, 8},
                          {"T5, reach 9", "t5", false, 9},
                          {"RoPE", "rope"}};
  if (!quick)
    all.insert(all.end(), {{"none, causal", "none", true},
                           {"sinusoidal", "sinusoidal"},
                           {"Shaw, reach 16", "shaw", false, 16},
                           {"T5, reach 128", "t5"},
                           {"ALiBi", "alibi"},
                           {"ALiBi, causal", "alibi", true}});
  return all;
}

void two_to_the_left(app::Lesson& lesson, const Knobs& k) {
  heading(fmt::format("2  The word two to the left: trained with 16 words, tested with 16 and {}", k.longest));
  Training t{.steps = k.steps, .longest = k.longest, .width = k.width, .rate = k.rate, .seed = lesson.seed()};
  Generator rng(lesson.seed(), 1ull << 41);
  double counted = by_counting(make_sentences(500, t.length, rng));
  report::TablePanel table{
      .title = "Which word is two to the left?",
      .text = fmt::format("One layer with four heads; correct answers. Always naming the most frequent "
                          "word of the sentence is right in {:.1f} % of 16 words.",
                          counted),
      .header = {"scheme", "parameters", "16 words", fmt::format("{} words", k.longest)}};
  report::CurvesPanel curves{.title = "Correct answers by position", .x_label = "position", .y_label = "correct, %"};
  std::map<std::string, Outcome> out;
  for (const Scheme& scheme : schemes(lesson.quick())) {
    Outcome o = learn(scheme, t);
    table.rows.push_back({scheme.name, std::to_string(o.parameters), share(o.near), share(o.far)});
    curves.series.push_back({.name = scheme.name, .y = o.place});
    for (size_t i = 0; i < o.place.size(); ++i) curves.series.back().x.push_back(static_cast<double>(i) + 2);
    if (scheme.name == "RoPE" || scheme.name == "learned")
      lesson.report().heat(
          {.title = "Attention weights: " + scheme.name,
           .text = "One sentence, the mean over heads. The right answer is on the diagonal two to the left "
                   "of the middle one.",
           .row_title = "query",
           .column_title = "key",
           .matrix = app::matrix_of(o.weights),
           .low = 0,
           .high = 1});
    out[scheme.name] = o;
  }
  show(lesson, table);
  lesson.report().curves(curves);
  fmt::print("\n");
  lesson.claim({.name = "no positions, 16 words: correct, in %",
                .measured = out["none"].near,
                .comparator = "<=",
                .threshold = 25,
                .control = fmt::format("most frequent word: {:.1f}; RoPE: {:.1f}", counted, out["RoPE"].near)});
  lesson.claim({.name = fmt::format("Shaw, T5 and RoPE, {} words: the worst of the three, correct in %", k.longest),
                .measured = std::min({out["Shaw, reach 8"].far, out["T5, reach 9"].far, out["RoPE"].far}),
                .comparator = ">=",
                .threshold = lesson.quick() ? 75.0 : 90.0,
                .control = lesson.quick()
                               ? io::Json("not measured in a quick run")
                               : io::Json(fmt::format("T5 with reach 128: {:.1f}", out["T5, reach 128"].far))});
  lesson.claim({.name = fmt::format("learned positions, {} words: correct, in %", k.longest),
                .measured = out["learned"].far,
                .comparator = "<=",
                .threshold = 60,
                .control = fmt::format("with 16 words: {:.1f}", out["learned"].near)});
}

// ---- 3  copies ------------------------------------------------------------------------------------------------------
void copies(app::Lesson& lesson, const Knobs& k) {
  heading("3  Copies: trained with 4 to 12 symbols, tested with up to 24");
  app::CopyTraining t{.steps = k.copies, .lengths = {4, 12}, .rate = 3e-3, .seed = lesson.seed()};
  std::vector<int64_t> lengths{6, 12, 14, 16, 20, 24};
  report::TablePanel table{
      .title = "Copying beyond the trained length",
      .text =
          "Symbols at the right position, in %, by length. Encoder-decoders with greedy decoding; all "
          "were trained with 4 to 12 symbols.",
      .header = {"model", "6", "12", "14", "16", "20", "24"}};
  auto add = [&](const std::string& name, const std::vector<double>& right) {
    table.rows.push_back({name});
    for (double r : right) table.rows.back().push_back(fmt::format("{:.0f}", r));
  };
  for (const char* scheme : {"sinusoidal", "rope", "t5"})
    add(fmt::format("transformer, {}", scheme), right_by_length(learn_to_copy(scheme, t), lengths, t, 100));
  auto lstm = app::copier_options<nn::Bahdanau>(64);
  lstm.encoder.cell = lstm.decoder.cell = "lstm";
  t.rate = 5e-3;
  add("LSTM with attention",
      app::right_by_length(*app::learn_to_copy("LSTM", nn::paper_of<nn::Bahdanau>(lstm), t).model, lengths, t, 100));
  show(lesson, table);
  fmt::print("\n");
}

int lesson_23(int argc, char** argv) {
  app::Lesson lesson("23_positions", "How attention learns about order, and what happens beyond the trained length");
  Knobs k;
  lesson.knob("steps", &k.steps, "training steps of each scheme").between(1, 100000);
  lesson.knob("width", &k.width, "model width D, a multiple of 8").between(8, 256);
  lesson.knob("longest", &k.longest, "words per sentence in the longer test").between(16, 512);
  lesson.knob("copies", &k.copies, "training steps of each copying model").between(1, 100000);
  lesson.knob("rate", &k.rate, "learning rate").between(1e-5, 0.1);
  lesson.question({.text =
                       "A table of learned positions has 48 rows, and all training sentences have 16 words. What are "
                       "rows 17 to 48 worth?",
                   .answers = {"nothing", "half as much", "as much as the others"},
                   .right = 1,
                   .because = "They never received a gradient and are as they were initialised."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 700);
  app::tell(
      "\n   {} small transformers that differ only in their positions learn which word is two to the left.\n"
      "   They train with 16 words per sentence and are tested with 16 and {}.\n",
      schemes(lesson.quick()).size(), k.longest);
  the_schemes(lesson);
  two_to_the_left(lesson, k);
  if (!lesson.quick()) copies(lesson, k);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_23); }
