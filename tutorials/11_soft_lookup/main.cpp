// Lesson 11: attention is a soft look-up. A table that can be asked for a word that it does not hold, and can learn.
//
//   1  the table        asked for a word that it does not hold
//   2  the temperature  from soft to hard: how fast the two approach each other, and what a hard look-up costs
//   3  the learning     vectors found by gradient descent; more than one solution gives 8
//   4  the curve        Nadaraya-Watson regression, 1964, is attention; a point must not be its own key
//
// T: questions, S: keys, D: numbers in a value, t: temperature, s: width of a kernel.
#include <fmt/format.h>

#include <map>

#include "tutorials/11_soft_lookup/learn.h"
#include "tutorials/11_soft_lookup/pictures.h"
#include "tutorials/11_soft_lookup/smooth.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace lookup;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t steps = 1000, points = 60;
  double rate = 0.03, noise = 0.5;
};

Tensor row(const Tensor& t, int64_t i) { return t.slice(0, i, i + 1); }
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
std::string number(double x) { return fmt::format("{:.2f}", x); }

// ---- 1  the table ---------------------------------------------------------------------------------------------------
void the_table(app::Lesson& lesson, const Table& table, const Tensor& queries) {
  heading("1  The table: apple 10, banana 5, chair 2");
  std::map<std::string, double> dictionary{{"apple", 10}, {"banana", 5}, {"chair", 2}};
  std::string fruit = "no answer: it is not in the map";
  try {
    fruit = fmt::format("{}", dictionary.at("fruit"));
  } catch (const std::out_of_range&) {}
  app::tell("   a std::map: apple gives {}, fruit gives {}\n\n", dictionary.at("apple"), fruit);
  Tensor scores = dot_scores(queries, table.keys).value();
  Answer answer = soft(scores, table.values);
  Tensor best = hard(scores, table.values);
  report::TablePanel panel{.title = "The same with vectors",
                           .text =
                               "Each word is four numbers. The score of a key is its dot product with the question, "
                               "the weights are the softmax of the scores, and the answer is 10, 5 and 2 mixed.",
                           .header = {"question", "eaten, round, long, legs", "scores", "weights", "hard", "soft"}};
  for (int64_t i = 0; i < 4; ++i) {
    auto list = [&](const Tensor& t, const char* format) {
      std::string text;
      for (double x : row(t, i).to_vector())
        text += fmt::format("{}{}", text.empty() ? "" : " ", fmt::format(fmt::runtime(format), x));
      return text;
    };
    panel.rows.push_back({i < 3 ? table.words[static_cast<size_t>(i)] : "fruit", list(queries, "{:.3g}"),
                          list(scores, "{:.3g}"), list(answer.weights.value(), "{:.2f}"),
                          fmt::format("{:g}", best.at({i, 0})), number(answer.values.value().at({i, 0}))});
  }
  show(lesson, panel);
}

// ---- 2  the temperature ---------------------------------------------------------------------------------------------
double the_temperature(app::Lesson& lesson, const Table& table, const Tensor& fruit, double* at_one) {
  heading("2  The temperature: fruit, from soft to hard");
  const std::vector<double> temperatures{16, 4, 1, 1. / 4, 1. / 16, 1. / 64};
  report::TablePanel panel{.title = "Fruit at six temperatures",
                           .text =
                               "Hard gives 10. The bound is 2 (10 - 2) exp(-lead / t). The gradient: how much the "
                               "answer moves when the question does. A tie: apple and banana fit equally well.",
                           .header = {"t", "weights", "soft", "soft - hard", "bound", "gradient", "a tie gives"}};
  report::CurvesPanel curves{.title = "Fruit against temperature",
                             .text = "Right: all keys count equally. Left: only the best one counts.",
                             .x_label = "temperature",
                             .y_label = "answer",
                             .series = {{.name = "fruit"}, {.name = "a tie"}, {.name = "hard"}},
                             .log_x = true};
  report::CurvesPanel slopes{.title = "How much the answer moves with the question",
                             .text = "The norm of d answer / d question for fruit. Where it is 0, nothing is learned.",
                             .x_label = "temperature",
                             .y_label = "gradient",
                             .series = {{.name = "fruit"}},
                             .log_x = true};
  Tensor even = Tensor::from(std::vector<double>{3, 0, 0, 0}, {1, 4});
  auto look = [&](double t) {
    Variable question(fruit, Variable::kRequiresGrad);
    Variable scores = dot_scores(question, table.keys);
    Answer answer = soft(scores, table.values, t);
    double slope = norm(grad({sum(answer.values)}, {question})[0]).item();
    double tie = soft(dot_scores(even, table.keys), table.values, t).values.item();
    return std::tuple{answer, slope, tie, bound(scores.value(), table.values, t)};
  };
  double best = hard(dot_scores(fruit, table.keys).value(), table.values).item();
  for (double t : temperatures) {
    auto [answer, slope, tie, limit] = look(t);
    std::vector<double> w = answer.weights.value().to_vector();
    double apart = std::abs(answer.values.item() - best);
    if (t == 1) *at_one = apart;
    panel.rows.push_back({fmt::format("{:g}", t), fmt::format("{:.2f} {:.2f} {:.2f}", w[0], w[1], w[2]),
                          number(answer.values.item()), fmt::format("{:.2g}", apart), fmt::format("{:.2g}", limit),
                          fmt::format("{:.2g}", slope), number(tie)});
  }
  for (double power = -7; power <= 6; power += 0.25) {
    double t = std::exp2(power);
    auto [answer, slope, tie, limit] = look(t);
    for (auto [series, y] : {std::pair{&curves.series[0], answer.values.item()},
                             {&curves.series[1], tie},
                             {&curves.series[2], best},
                             {&slopes.series[0], slope}})
      series->x.push_back(t), series->y.push_back(y);
  }
  show(lesson, panel);
  lesson.report().curves(curves);
  lesson.report().curves(slopes);
  Generator rng(lesson.seed());
  return worst_of_bound(temperatures, lesson.quick() ? 50 : 500, rng);
}

// ---- 3  the learning ------------------------------------------------------------------------------------------------
struct Found {
  double one = 0, two = 0, sharp = 0;      // % of the starts after which fruit gives 8 +/- 0.1
  double one_number = 0, two_numbers = 0;  // the chair's weight under fruit, of the middle start
};

Found the_learning(app::Lesson& lesson, const Table& table, const Knobs& k) {
  heading("3  The learning: vectors from random ones, until fruit gives 8");
  constexpr int64_t kStarts = 50, kShown = 10;
  Tensor wanted = Tensor::from(std::vector<double>{10, 5, 2, 8}, {4, 1});
  Tensor both = Tensor::from(std::vector<double>{10, 10, 5, 10, 2, 0}, {3, 2}),  // the number; is it eaten? 10 or 0
      wanted_both = Tensor::from(std::vector<double>{10, 10, 5, 10, 2, 0, 8, 10}, {4, 2});
  report::TablePanel panel{
      .title = "Fruit, learned from several starts",
      .text =
          "What fruit gives, and the weights of apple, banana, chair. `one`, one number a word: the table must give "
          "10, 5, 2 and 8. `two`, two numbers: it must "
          "also say whether the thing is eaten: 10, 10, 0, and 10 for fruit. t = 0.01: almost hard while it learns.",
      .header = {"start", "before", "one", "weights", "two", "weights", "t = 0.01"}};
  Found found;
  std::vector<double> chair_one, chair_two;
  std::vector<Learned> first;
  for (int64_t i = 0; i < kStarts; ++i) {
    Training t{.steps = k.steps, .rate = k.rate, .seed = lesson.seed() * 1000 + static_cast<uint64_t>(i)};
    Learned one = learn(table.values, wanted, t), two = learn(both, wanted_both, t);
    t.temperature = 0.01;
    Learned sharp = learn(table.values, wanted, t);
    auto weights = [](const Learned& l) {
      std::vector<double> w = row(l.weights, 3).to_vector();
      return fmt::format("{:.2f} {:.2f} {:.2f}", w[0], w[1], w[2]);
    };
    if (i < kShown)
      panel.rows.push_back({std::to_string(i + 1), number(one.before.at({3, 0})), number(one.after.at({3, 0})),
                            weights(one), number(two.after.at({3, 0})), weights(two), number(sharp.after.at({3, 0}))});
    auto share = [](const Learned& l) { return std::abs(l.after.at({3, 0}) - 8) <= 0.1 ? 100.0 / kStarts : 0; };
    found.one += share(one), found.two += share(two), found.sharp += share(sharp);
    chair_one.push_back(one.weights.at({3, 2})), chair_two.push_back(two.weights.at({3, 2}));
    if (i == 0) first = {one, two, sharp};
  }
  found.one_number = median(chair_one), found.two_numbers = median(chair_two);
  show(lesson, panel);
  app::tell(
      "\n   of {} starts fruit gives 8 +/- 0.1 in {:.0f} %, with two numbers in {:.0f} %, at t = 0.01 in {:.0f} %\n",
      kStarts, found.one, found.two, found.sharp);
  app::tell("   start 1, two numbers: {}\n\n", answers_text(first[1].after));
  draw_learning(lesson, first);
  return found;
}

// ---- 4  the curve ---------------------------------------------------------------------------------------------------
struct Errors {
  double chosen = 0, width = 0, narrow = 0, wide = 0, average = 0;
};

Errors the_curve(app::Lesson& lesson, const Knobs& k) {
  heading(fmt::format("4  The curve: {} noisy points, Nadaraya-Watson regression", k.points));
  Generator rng(lesson.seed());
  Points points = noisy_points(k.points, k.noise, rng), real = grid(201);
  Tensor others = not_itself(k.points);
  auto error = [&](double width) { return mean_square(smooth(real.x, points, width).values.value(), real.y); };
  const std::vector<double> widths{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5};
  report::TablePanel panel{.title = "Squared error by width of the kernel",
                           .text =
                               "To the curve: what we want to be small and cannot see without the curve. To the "
                               "points, each asked of the others, or of all with itself: what can be seen.",
                           .header = {"width s", "to the curve", "points, of the others", "points, itself too"}};
  Errors e{.width = 0, .narrow = error(widths.front()), .wide = error(widths.back())};
  double least = INFINITY;
  for (double width : widths) {
    double left_out = mean_square(smooth(points.x, points, width, others).values.value(), points.y),
           itself = mean_square(smooth(points.x, points, width).values.value(), points.y);
    panel.rows.push_back({fmt::format("{:g}", width), fmt::format("{:.3f}", error(width)),
                          fmt::format("{:.3f}", left_out), fmt::format("{:.3f}", itself)});
    if (left_out < least) least = left_out, e.width = width;
  }
  e.chosen = error(e.width);
  Tensor average = mean(Variable(points.y), {}).value();
  e.average = mean_square(average.expand({real.x.count()}), real.y);
  panel.rows.push_back({"average", fmt::format("{:.3f}", e.average), "", ""});
  show(lesson, panel);

  Width learned = learn_width(points, others, 1, k.steps), alone = learn_width(points, {}, 1, k.steps);
  app::tell("\n   s by gradient descent: of the others s = {:.3f}, error to the curve {:.3f}\n", learned.widths.back(),
            error(learned.widths.back()));
  app::tell("   with itself among the keys: s = {:.2g}, to the points {:.2g}, to the curve {:.3f}\n\n",
            alone.widths.back(), alone.losses.back(), error(alone.widths.back()));
  draw_curve(lesson, points, real, {.narrow = widths.front(), .chosen = e.width, .wide = widths.back()});
  draw_widths(lesson, learned, alone);
  return e;
}

int lesson_11(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("11_soft_lookup", "Attention is a soft look-up: a table asked for what it does not hold");
  lesson.knob("steps", &k.steps, "steps of gradient descent").between(10, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate for the vectors").between(1e-5, 1);
  lesson.knob("points", &k.points, "noisy points of the curve").between(5, 500);
  lesson.knob("noise", &k.noise, "their noise: its standard deviation").between(0, 5);
  lesson.question(
      {"A table holds apple 10, banana 5, chair 2. Its vectors are learned until \"fruit\" gives 8. How "
       "much of the answer comes from the chair?",
       {"nothing: a chair is no fruit", "it depends on the random start", "a third"},
       2,
       "0.6 of 10 and 0.4 of 5 are 8, but 0.75 of 10 and 0.25 of 2 are 8 as well. Nothing in the number "
       "8 speaks against the chair."});
  lesson.start(argc, argv);
  lesson.report().text("What this page shows",
                       "A dictionary has an answer for each of its keys and none for any other word. Here question "
                       "and keys are vectors: every key is compared with the question, and the answer is a mixture of "
                       "all values, more of those whose keys fit. That is attention.");
  Table table = by_hand();
  Tensor fruit = fruit_by_hand();
  the_table(lesson, table, concat(std::vector<Tensor>{table.keys, fruit}, 0));
  double at_one = 0, worst = the_temperature(lesson, table, fruit, &at_one);
  Found found = the_learning(lesson, table, k);
  Errors e = the_curve(lesson, k);

  heading("Claims");
  lesson.claim({.name = "largest |soft - hard| over its bound, temperatures 16 to 1/64",
                .measured = worst,
                .comparator = "<=",
                .threshold = 1,
                .control = fmt::format("|soft - hard| itself, fruit at t = 1: {:.2f}", at_one)});
  lesson.claim({.name = "random starts after which fruit gives 8 +/- 0.1, in %",
                .measured = found.one,
                .comparator = ">=",
                .threshold = 90,
                .control = fmt::format("learned at t = 0.01, almost hard: {:.0f}", found.sharp)});
  lesson.check({.name = "the chair's weight under fruit, two numbers a word, of the middle start",
                .measured = found.two_numbers,
                .comparator = "<=",
                .threshold = 0.02,
                .control = fmt::format("one number: {:.3f}", found.one_number)});
  lesson.claim(
      {.name = "error of the curve at the chosen width, over the best of three others",
       .measured = e.chosen / std::min({e.average, e.narrow, e.wide}),
       .comparator = "<=",
       .threshold = 0.5,
       .control = fmt::format("errors: chosen s {:g} {:.3f}, too narrow {:.3f}, too wide {:.3f}, average {:.3f}",
                              e.width, e.chosen, e.narrow, e.wide, e.average)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_11); }
