// Lesson 22: self-attention and heads. The words of one sentence attend to each other, with several sets of weights.
//
//   1  by hand       "Thinking Machines": X, Q, K, V, scores, Z, two heads, W^O, compared with the library's layer
//   2  no order      shuffled words give the same outputs, shuffled
//   3  parallel      the longest chain of dependent operations, compared with a recurrent network; work and time
//   4  two heads     an ordered pair of neighbours: one head, two heads, and one head followed by a ReLU layer
//   5  "it"          what a pronoun attends to
//
// B batch, S words, D width, H heads, K = D/H.
#include "tutorials/common/main.h"

#include "tutorials/22_self_attention/order.h"
#include "tutorials/22_self_attention/pictures.h"
#include "tutorials/22_self_attention/thinking.h"
#include "tutorials/common/show.h"

using namespace heads;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t steps = 1500, ring = 8, colours = 8, width = 32, sentences = 400;
};

// ---- 1  by hand -----------------------------------------------------------------------------------------------------
void print(const std::string& name, const Tensor& m) {
  for (int64_t r = 0; r < m.size(0); ++r) {
    std::string line;
    for (int64_t c = 0; c < m.size(1); ++c) line += fmt::format("{:8.3f}", m.at({r, c}));
    app::tell("   {:<10}{}\n", r == 0 ? name : "", line);
  }
}

void by_hand(app::Lesson& lesson) {
  heading("1  Thinking Machines: two words, width 4, two heads of width 2");
  Thinking t = thinking_machines();
  print("X", t.x);
  for (size_t h : {size_t{0}, size_t{1}}) {
    const HeadByHand& head = t.heads[h];
    app::tell("\n   head {}\n", h + 1);
    for (const auto& [name, m] : {std::pair{"W^Q", head.w_q},
                                  {"W^K", head.w_k},
                                  {"W^V", head.w_v},
                                  {"Q", head.q},
                                  {"K", head.k},
                                  {"V", head.v},
                                  {"scores", head.scores},
                                  {"weights", head.weights},
                                  {"Z", head.z}})
      print(name, m);
    lesson.report().heat({.title = fmt::format("Thinking Machines: weights of head {}", h + 1),
                          .text = "One row per query; each row sums to 1.",
                          .row_title = "query",
                          .column_title = "key",
                          .rows = {"Thinking", "Machines"},
                          .columns = {"Thinking", "Machines"},
                          .matrix = app::matrix_of(head.weights),
                          .low = 0,
                          .high = 1});
  }
  app::tell("\n   both heads\n");
  print("[Z_1, Z_2]", t.z), print("W^O", t.w_o), print("output", t.output);
  fmt::print("\n");
  lesson.check({.name = "output by hand against nn::MultiHeadAttention, largest difference",
                .measured = max_abs_difference(t.output, by_the_layer(t)),
                .comparator = "<=",
                .threshold = 1e-12,
                .control = "without dividing by sqrt(2): " +
                           fmt::format("{:.2f}", max_abs_difference(t.heads[0].z, without_the_root(t.heads[0])))});
}

// ---- 2  no order ----------------------------------------------------------------------------------------------------
void no_order(app::Lesson& lesson) {
  heading("2  Order: eight words, shuffled");
  Generator rng(lesson.seed());
  constexpr int64_t D = 32;
  nn::MultiHeadAttention layer({.model = D, .heads = 4}, rng);
  nn::MultiHeadAttention causal({.model = D, .heads = 4, .scope = {.name = "causal"}}, rng);
  nn::Recurrent<nn::GRUCell> gru({.input = D, .hidden = D}, rng);
  Tensor x = Tensor::normal({1, 8, D}, rng), order = Tensor::from(std::vector<int64_t>{3, 7, 0, 5, 1, 6, 2, 4}, {8});
  auto far = [&](const auto& f) { return far_from_equivariant(f, x, order); };
  double self = far([&](const Variable& v) { return layer(v).output; });
  double masked = far([&](const Variable& v) { return causal(v).output; });
  double recurrent = far([&](const Variable& v) { return gru(v).annotations; });
  show(lesson, {.title = "Words shuffled before or after the layer",
                .text = "Largest difference between f(shuffled words) and shuffled f(words).",
                .header = {"f", "difference"},
                .rows = {{"self-attention", fmt::format("{:.1e}", self)},
                         {"self-attention with a causal mask", fmt::format("{:.2f}", masked)},
                         {"GRU", fmt::format("{:.2f}", recurrent)}}});
  fmt::print("\n");
  lesson.check({.name = "self-attention: f(shuffled) against shuffled f, largest difference",
                .measured = self,
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("with a causal mask: {:.2f}; a GRU: {:.2f}", masked, recurrent)});
}

// ---- 3  parallel ----------------------------------------------------------------------------------------------------
void no_waiting(app::Lesson& lesson) {
  heading("3  Dependent steps: operations that must wait for each other");
  report::TablePanel chains{.title = "The longest chain of dependent operations",
                            .text = "From the words to the output, counted in the recorded graph.",
                            .header = {"words", "self-attention", "plain RNN"}};
  std::vector<Steps> all;
  for (int64_t T : {8, 32, 128}) {
    all.push_back(dependent_steps(T, 32));
    chains.rows.push_back({std::to_string(T), std::to_string(all.back().attention), std::to_string(all.back().rnn)});
  }
  show(lesson, chains);
  report::TablePanel work{.title = "Multiply-adds of one layer, in millions",
                          .text =
                              "Forward pass, 8 sentences, D = 64. Per sentence: self-attention 4 T D^2 + 2 T^2 D, GRU "
                              "6 T D^2.",
                          .header = {"words", "self-attention", "GRU"}};
  report::TablePanel printed = work;
  printed.header.insert(printed.header.end(), {"ms, attention", "ms, GRU"});
  for (int64_t T : lesson.quick() ? std::vector<int64_t>{16, 128} : std::vector<int64_t>{16, 64, 256, 1024}) {
    Clock count = work_of(T, 64), ms = clock_of(T, 64);
    work.rows.push_back({std::to_string(T), fmt::format("{:.1f}", count.attention), fmt::format("{:.1f}", count.gru)});
    printed.rows.push_back(work.rows.back());
    printed.rows.back().push_back(fmt::format("{:.2f}", ms.attention));
    printed.rows.back().push_back(fmt::format("{:.2f}", ms.gru));
  }
  printed.text += " Milliseconds (ms): forward and backward on this machine; they are printed here only.";
  fmt::print("\n");
  show(printed);
  lesson.report().table(work);
  fmt::print("\n");
  lesson.claim({.name = "self-attention: operations on the longest chain, 128 words minus 8 words",
                .measured = static_cast<double>(all.back().attention - all.front().attention),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("plain RNN: {}", all.back().rnn - all.front().rnn)});
}

// ---- 4  two heads ---------------------------------------------------------------------------------------------------
void two_heads(app::Lesson& lesson, const Knobs& k) {
  heading(fmt::format("4  Two heads: {} words in a ring, the colours of the next word and of the one before", k.ring));
  struct Row {
    std::string name;
    int64_t heads, hidden;
  };
  report::TablePanel table{
      .title = "An ordered pair of relations",
      .text = fmt::format(
          "For each word, the layer must predict the colour of the next name and of the one before. Guessing "
          "gives {:.1f} % of the colours and {:.1f} % of the pairs.",
          100.0 / static_cast<double>(k.colours), 100.0 / static_cast<double>(k.colours * k.colours)),
      .header = {"layer", "parameters", "next", "before", "both"}};
  report::CurvesPanel curves{.title = "Learning the pair", .x_label = "training step", .y_label = "both correct, %"};
  std::vector<PairOutcome> out;
  for (const Row& row :
       {Row{"one head", 1, 0}, {"two heads", 2, 0}, {"four heads", 4, 0}, {"one head + ReLU", 1, 128}}) {
    std::optional<PairReader> reader;
    PairOutcome o = learn(
        row.name, {.ring = k.ring, .colours = k.colours, .width = k.width, .heads = row.heads, .hidden = row.hidden},
        {.steps = k.steps, .seed = lesson.seed()}, &reader);
    auto percent = [](double p) { return fmt::format("{:.1f} %", p); };
    table.rows.push_back({row.name, std::to_string(o.parameters), percent(o.next), percent(o.before), percent(o.pair)});
    curves.series.push_back({.name = row.name, .y = o.curve});
    for (size_t i = 0; i < o.curve.size(); ++i) curves.series.back().x.push_back(static_cast<double>(i) * kEvery);
    out.push_back(o);
    if (row.heads > 2) continue;
    draw_ring(lesson, *reader, row.name);
  }
  show(lesson, table);
  lesson.report().curves(curves);
  fmt::print("\n");
  lesson.claim({.name = "two heads: both neighbours correct, in %",
                .measured = out[1].pair,
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("one head with the same number of parameters: {:.1f} %", out[0].pair)});
  lesson.claim({.name = "one head: both neighbours correct, in %",
                .measured = out[0].pair,
                .comparator = "<=",
                .threshold = 50,
                .control = fmt::format("one head followed by a ReLU layer: {:.1f} %", out[3].pair)});
  // A head of width D instead of D/2 has as many parameters as a layer of one head; so two of them cost one layer more.
  Generator rng(1);
  nn::MultiHeadAttention full({.model = k.width, .heads = 1}, rng);
  lesson.check({.name = "parameters: two heads minus one head",
                .measured = static_cast<double>(out[1].parameters - out[0].parameters),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("two heads of the full width D: {}", nn::count_parameters(full))});
}

// ---- 5  "it" --------------------------------------------------------------------------------------------------------
void it_points(app::Lesson& lesson, const Knobs& k) {
  heading("5  \"it\": il or elle?");
  std::vector<data::PronounExample> family = data::pronoun_family();
  std::optional<PronounReader> reader;
  text::Vocabulary words;
  PronounOutcome o = learn_pronouns(family, true, k.sentences, lesson.seed(), &reader, &words);
  PronounOutcome blind = learn_pronouns(family, false, k.sentences, lesson.seed());
  report::TablePanel table{.title = "Attention weights of \"it\"",
                           .text =
                               "Mean over the test sentences: the weight on the adjective, on the noun that \"it\" "
                               "refers to, and on the other noun.",
                           .header = {"layer", "head", "adjective", "right noun", "other noun"}};
  for (size_t layer : {size_t{0}, size_t{1}})
    for (size_t head : {size_t{0}, size_t{1}})
      table.rows.push_back({std::to_string(layer + 1), std::to_string(head + 1),
                            fmt::format("{:.2f}", o.adjective[layer][head]), fmt::format("{:.2f}", o.noun[layer][head]),
                            fmt::format("{:.2f}", o.other[layer][head])});
  show(lesson, table);
  draw_it(lesson, *reader, words, family);
  fmt::print("\n");
  lesson.check({.name = "il or elle: correct test sentences, in %",
                .measured = o.right,
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("without attention to other words: {:.1f} %", blind.right)});
}

int lesson_22(int argc, char** argv) {
  app::Lesson lesson("22_self_attention", "Self-attention and heads: the words of one sentence attend to each other");
  Knobs k;
  lesson.knob("steps", &k.steps, "training steps of each layer on the ring").between(1, 100000);
  lesson.knob("ring", &k.ring, "words in the ring").between(3, 64);
  lesson.knob("colours", &k.colours, "number of colours").between(3, 64);
  lesson.knob("width", &k.width, "model width D, a multiple of 4").between(4, 256);
  lesson.knob("sentences", &k.sentences, "training steps of il or elle").between(1, 100000);
  lesson.question(
      {.text =
           "A layer with one head is replaced by a layer with two heads of the same width D. How many parameters does "
           "it have?",
       .answers = {"twice as many", "the same number", "half as many"},
       .right = 2,
       .because = "Each head is half as wide: 2 x D x D/2 = D x D for each of Q, K and V, and W^O does not change."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 700), k.sentences = std::min<int64_t>(k.sentences, 300);
  app::tell(
      "\n   Self-attention is computed by hand, shuffled and counted. Then small layers with one, two and four heads "
      "learn\n"
      "   the colours of two neighbours, and a small model learns what \"it\" refers to.\n");
  by_hand(lesson);
  no_order(lesson);
  no_waiting(lesson);
  two_heads(lesson, k);
  it_points(lesson, k);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_22); }
