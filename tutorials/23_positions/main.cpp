// Lesson 23: positions. How does attention, which knows no order, learn where words stand?
//
//   1  the schemes      clocks added to words, and numbers beside scores: pictures
//   2  two to the left  one layer, ten schemes; trained with 16 words, asked with 48
//   3  copies           longer than trained, beside an LSTM
//
// S words of a sentence, D width.
#include "tutorials/common/main.h"

#include <map>

#include "nn/attention/positions/score_bias.h"
#include "nn/attention/positions/sinusoidal.h"
#include "tensor/matmul.h"
#include "tutorials/23_positions/copies.h"
#include "tutorials/common/show.h"

using namespace positions;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t steps = 1500, width = 32, longest = 48, copies = 700;
  double rate = 3e-3;
};

std::string share(double percent) { return fmt::format("{:.1f} %", percent); }

// ---- 1  the schemes -------------------------------------------------------------------------------------------------
void the_schemes(app::Lesson& lesson) {
  heading("1  The schemes: what each makes of 48 places");
  Tensor clocks = nn::sinusoidal_positions(48, {.width = 32});
  lesson.report().heat({.title = "Sinusoidal: a clock with 16 hands",
                        .text = "A row for each place, a column for each number of its vector.",
                        .row_title = "place",
                        .column_title = "number",
                        .matrix = app::matrix_of(clocks)});
  report::CurvesPanel curves{.title = "How alike are two places?",
                             .text =
                                 "From place 24 to all others. Sinusoidal: P(24) . P(s) / 16. ALiBi: the number "
                                 "that the steepest and the flattest of four heads add to a score, divided by 10.",
                             .x_label = "place",
                             .y_label = "product, or number added"};
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
  fmt::print("   P(p) . P(p + 2), sinusoidal, width 32: {:.4f} at p = 0, {:.4f} at p = 40\n",
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
  heading(fmt::format("2  The word two to the left: trained with 16 words, asked with 16 and {}", k.longest));
  Training t{.steps = k.steps, .longest = k.longest, .width = k.width, .rate = k.rate, .seed = lesson.seed()};
  Generator rng(lesson.seed(), 1ull << 41);
  double counted = by_counting(make_sentences(500, t.length, rng));
  report::TablePanel table{.title = "Which word stands two to the left?",
                           .text = fmt::format("One layer of four heads. Who only knows which words are there, and not "
                                               "where, names the most frequent one: right in {:.1f} % of 16 words.",
                                               counted),
                           .header = {"scheme", "parameters", "16 words", fmt::format("{} words", k.longest)}};
  report::CurvesPanel curves{.title = "Correct answers by position", .x_label = "position", .y_label = "right, in %"};
  std::map<std::string, Outcome> out;
  for (const Scheme& scheme : schemes(lesson.quick())) {
    Outcome o = learn(scheme, t);
    table.rows.push_back({scheme.name, std::to_string(o.parameters), share(o.near), share(o.far)});
    curves.series.push_back({.name = scheme.name, .y = o.place});
    for (size_t i = 0; i < o.place.size(); ++i) curves.series.back().x.push_back(static_cast<double>(i) + 2);
    if (scheme.name == "RoPE" || scheme.name == "learned")
      lesson.report().heat({.title = "Attention weights: " + scheme.name,
                            .text = "One sentence, the mean over heads. Two to the left is the second diagonal.",
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
  lesson.claim({.name = "no positions, 16 words: right, in %",
                .measured = out["none"].near,
                .comparator = "<=",
                .threshold = 25,
                .control = fmt::format("the most frequent word: {:.1f}; RoPE: {:.1f}", counted, out["RoPE"].near)});
  lesson.claim({.name = fmt::format("Shaw, T5 and RoPE, {} words: the least right, in %", k.longest),
                .measured = std::min({out["Shaw, reach 8"].far, out["T5, reach 9"].far, out["RoPE"].far}),
                .comparator = ">=",
                .threshold = lesson.quick() ? 75.0 : 90.0,
                .control = lesson.quick()
                               ? io::Json("the quick run leaves it out")
                               : io::Json(fmt::format("T5 with a reach of 128: {:.1f}", out["T5, reach 128"].far))});
  lesson.claim({.name = fmt::format("learned positions, {} words: right, in %", k.longest),
                .measured = out["learned"].far,
                .comparator = "<=",
                .threshold = 60,
                .control = fmt::format("the same with 16 words: {:.1f}", out["learned"].near)});
}

// ---- 3  copies ------------------------------------------------------------------------------------------------------
void copies(app::Lesson& lesson, const Knobs& k) {
  heading("3  Copies: trained with 4 to 12 symbols, asked with up to 24");
  app::CopyTraining t{.steps = k.copies, .lengths = {4, 12}, .rate = 3e-3, .seed = lesson.seed()};
  std::vector<int64_t> lengths{6, 12, 14, 16, 20, 24};
  report::TablePanel table{.title = "Copies, places right in %",
                           .text = "Encoder-decoders, greedy. Nothing is claimed: none was trained beyond 12.",
                           .header = {"model", "6", "12", "14", "16", "20", "24"}};
  auto add = [&](const std::string& name, const std::vector<double>& right) {
    table.rows.push_back({name});
    for (double r : right) table.rows.back().push_back(fmt::format("{:.0f}", r));
  };
  for (const char* scheme : {"sinusoidal", "rope", "t5"})
    add(fmt::format("transformer, {}", scheme), right_by_length(learn_to_copy(scheme, t), lengths, t, 100));
  nn::Seq2SeqOptions lstm = app::copier_options("attention", 64);
  lstm.cell = "lstm";
  t.rate = 5e-3;
  add("LSTM with attention", app::right_by_length(app::learn_to_copy("LSTM", lstm, t).model, lengths, t, 100));
  show(lesson, table);
  fmt::print("\n");
}

int lesson_23(int argc, char** argv) {
  app::Lesson lesson("23_positions",
                     "How attention learns where words stand, and what becomes of it beyond the trained length");
  Knobs k;
  lesson.knob("steps", &k.steps, "training steps of each scheme").between(1, 100000);
  lesson.knob("width", &k.width, "D, divided by 8").between(8, 256);
  lesson.knob("longest", &k.longest, "words of the longest sentences").between(16, 512);
  lesson.knob("copies", &k.copies, "training steps of a copier").between(1, 100000);
  lesson.knob("rate", &k.rate, "learning rate").between(1e-5, 0.1);
  lesson.question(
      {.text = "A table of learned positions has 48 rows, and all sentences of training have 16 words. What are "
               "rows 17 to 48 worth?",
       .answers = {"nothing", "half as much", "as much as the others"},
       .right = 1,
       .because = "They never got a gradient: they are as they were drawn."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 700);
  the_schemes(lesson);
  two_to_the_left(lesson, k);
  if (!lesson.quick()) copies(lesson, k);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_23); }
