// Lesson 02: derivatives by machine. First finite differences, which are never exact, then automatic differentiation.
//
//   1  the step     a large step has a truncation error, a small one a rounding error
//   2  the graph    numbers that remember how they were computed, and one backward pass
//   3  the order    passing gradients on at once is wrong or slow; a topological order is right and fast
//   4  the check    the engine against differences, the complex step and the library's engine
//   5  the use      a network learns exclusive or; one backward pass gives the derivatives of all parameters
#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/io/console.h"
#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/02_derivatives/recursion.h"
#include "tutorials/02_derivatives/scalar.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"
#include "tutorials/report/terminal.h"

namespace {

using namespace derivatives;
using heed::app::Lesson;
using heed::report::CurvesPanel;
using heed::report::TablePanel;

const heed::io::Console console = heed::io::console(1);

void show(const heed::report::Lines& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}
void put(Lesson& lesson, const TablePanel& panel) {
  show(heed::app::lines_of(panel, console));
  lesson.report().table(panel);
  fmt::print("\n");
}
std::string brief(double value) { return fmt::format("{:.1e}", value); }

// ---- 1  the step ----------------------------------------------------------------------------------------------------
void the_step(Lesson& lesson, std::int64_t points) {
  heed::app::tell("\n1  The step: relative error of the derivative of e^x tanh x, root mean square over {} points\n\n",
                  points);
  std::vector<double> places, steps;
  heed::Generator random(lesson.seed());
  for (std::int64_t i = 0; i < points; ++i) places.push_back(0.5 + 1.5 * random.uniform());
  for (int quarter = -64; quarter <= 0; ++quarter) steps.push_back(std::pow(10, quarter / 4.0));  // 1e-16 .. 1
  auto error = [&](const Formula& formula, double h) {                                            // root mean square
    double sum = 0;
    for (double x : places) sum += std::pow(formula.slope(x, h) / curve_slope(x) - 1, 2);
    return std::sqrt(sum / static_cast<double>(points));
  };

  std::vector<heed::report::Curve> curves;
  CurvesPanel panel{
      .title = "Error of a difference formula against its step",
      .text =
          "f(x) = `e^x tanh x`. On the right is the truncation error, with slopes 1, 2 and 4. On the left "
          "is the rounding error, with slope -1. The vertical lines mark the predicted steps.",
      .x_label = "step h",
      .y_label = "relative error",
      .log_x = true,
      .log_y = true};
  std::vector<heed::report::Series> marks;
  TablePanel table{.title = "Relative error at some steps",
                   .header = {"formula", "h=1e-2", "h=1e-5", "h=1e-10", "predicted h", "error there", "smallest"}};
  double worst = 0, harm = std::numeric_limits<double>::infinity();
  for (const Formula& formula : kFormulas) {
    std::vector<double> errors;
    for (double h : steps) errors.push_back(error(formula, h));
    double best = *std::min_element(errors.begin(), errors.end());
    curves.push_back({formula.name, errors});
    panel.series.push_back({.name = formula.name, .y = errors, .x = steps});
    table.rows.push_back({formula.name, brief(error(formula, 1e-2)), brief(error(formula, 1e-5)),
                          brief(error(formula, 1e-10)), "any small one", "", brief(best)});
    if (formula.order == 0) continue;
    double h = predicted_step(formula.order), there = error(formula, h);
    std::string name = fmt::format("eps^1/{}", formula.order + 1);
    table.rows.back()[4] = fmt::format("{} = {:.1e}", name, h);
    table.rows.back()[5] = brief(there);
    marks.push_back({.name = fmt::format("{}, {}", name, formula.name), .y = {1e-16, 1}, .x = {h, h}});
    worst = std::max(worst, there / best);
    harm = std::min({harm, error(formula, h / 100) / best, error(formula, h * 100) / best});
  }
  panel.series.insert(panel.series.end(), marks.begin(), marks.end());
  put(lesson, table);
  show(heed::report::plot(curves,
                          {.console = console, .height = 14, .log_y = true, .first = "h = 1e-16", .last = "h = 1"}));
  lesson.report().curves(panel);
  fmt::print("\n");
  lesson.claim({.name = "error at the predicted step divided by the smallest error of 65 steps",
                .measured = worst,
                .comparator = "<=",
                .threshold = 3,
                .control = fmt::format("a step 100 times off: at least {:.0f}", harm)});
}

// ---- 2  the graph ---------------------------------------------------------------------------------------------------
void the_graph(Lesson& lesson) {
  heed::app::tell("\n2  The graph: y = tanh(ab + a) e^b at a = 2, b = -0.5; the backward pass\n\n");
  Scalar a = 2, b = -0.5, y = drawn(a, b);
  backward(y);
  TablePanel table{.title = "The backward pass through y = tanh(ab + a) e^b",
                   .text = "In the order of the visits: each number after all numbers that used it.",
                   .header = {"number", "value", "gradient dy / d(number)"}};
  heed::report::GraphPanel graph{.title = "The graph of y = tanh(ab + a) e^b",
                                 .text =
                                     "Values flow down. The backward pass starts at the bottom with dy/dy = 1 and goes "
                                     "up. Along an edge it multiplies by the local derivative; where edges meet, it "
                                     "adds."};
  for (const Node* node : topological_order(y)) {
    std::string name = node == a.node().get() ? "a" : node == b.node().get() ? "b" : node->operation;
    std::string id = std::to_string(node->number), group = node->edges.empty() ? "input" : "operation";
    table.rows.push_back({name, fmt::format("{:.4f}", node->value), fmt::format("{:.4f}", node->grad)});
    graph.nodes.push_back({.id = id,
                           .label = fmt::format("{}: {:.3f}, dy {:.3f}", name, node->value, node->grad),
                           .group = node == y.node().get() ? "result" : group,
                           .tip = fmt::format("{}\nvalue {:.6f}\ndy/d(this) {:.6f}", name, node->value, node->grad)});
    for (const Edge& edge : node->edges) graph.edges.emplace_back(std::to_string(edge.input->number), id);
  }
  put(lesson, table);
  lesson.report().graph(graph);
}

// ---- 3  the order ---------------------------------------------------------------------------------------------------
void the_order(Lesson& lesson, std::int64_t depth) {
  heed::app::tell("3  The order: b = a + a; c = b + b; therefore dc/da = 4\n\n");
  Scalar a = 3, b = a + a, c = b + b;
  TablePanel table{.title = "b = a + a; c = b + b: what is dc/da?",
                   .text = "Three recursions and the topological order. The right answer is 4.",
                   .header = {"how gradients are passed on", "dc/da", "visits"}};
  auto row = [&](const std::string& how, std::uint64_t visits) {
    table.rows.push_back({how, fmt::format("{:g}", a.grad()), std::to_string(visits)});
  };
  row("recursion: the whole gradient, each time", backward_by(Recursion::everything, c));
  row("recursion: the whole gradient, once", backward_by(Recursion::once, c));
  row("recursion: only what has just arrived", backward_by(Recursion::news, c));
  row("topological order", backward(c));
  put(lesson, table);

  std::vector<double> depths, paths, visits;
  Scalar x = 1, y = x;
  for (std::int64_t n = 1; n <= depth; ++n) {
    y = y + y;
    depths.push_back(static_cast<double>(n));
    paths.push_back(static_cast<double>(backward_by(Recursion::news, y)));
    visits.push_back(static_cast<double>(backward(y)));
  }
  lesson.report().curves(
      {.title = "Visits through n doublings",
       .text = "The recursion that follows every path makes 2^(n+1) - 1 visits, the topological order n + 1. Both find "
               "the derivative, 2^n.",
       .x_label = "doublings n",
       .y_label = "visits",
       .series = {{.name = "every path", .y = paths, .x = depths},
                  {.name = "topological order", .y = visits, .x = depths}},
       .log_y = true});
  bool exact = x.grad() == std::ldexp(1, static_cast<int>(depth));  // if not, the claim cannot hold
  lesson.claim(
      {.name = fmt::format("visits of backward through {} doublings, with the exact result 2^{}", depth, depth),
       .measured = exact ? visits.back() : std::numeric_limits<double>::quiet_NaN(),
       .comparator = "==",
       .threshold = static_cast<double>(depth + 1),
       .control = fmt::format("every path: {:.0f}", paths.back())});
}

// ---- 4  the check ---------------------------------------------------------------------------------------------------
// One random expression, differentiated by the engine of this lesson and by five other methods: how far each of them is
// from the engine, |a - b| / max(1, |b|), the largest over the inputs.
struct Disagreement {
  double central = 0, extrapolated = 0, complex = 0;  // formulas that need only values
  double heed = 0, once = 0;                          // the engine of the library, in f64; the wrong recursion
};

void raise(double& worst, double measured, double truth) {
  worst = std::max(worst, std::abs(measured - truth) / std::max(1.0, std::abs(truth)));
}

Disagreement compare(const std::vector<double>& at, std::uint64_t which, std::int64_t operations) {
  std::vector<Scalar> scalars(at.begin(), at.end());
  Scalar y = random_expression(scalars, which, operations);
  backward(y);
  std::vector<double> gradient;  // with respect to each input, by the engine of this lesson
  for (const Scalar& x : scalars) gradient.push_back(x.grad());
  backward_by(Recursion::once, y);  // overwrites .grad

  std::vector<heed::Variable> variables;
  for (double x : at) variables.emplace_back(heed::Tensor::scalar(x, heed::DType::f64), heed::Variable::kRequiresGrad);
  heed::backward(random_expression(variables, which, operations));

  Disagreement worst;
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto along = [&](auto t) {  // the expression as a function of input i alone
      std::vector<decltype(t)> inputs(at.begin(), at.end());
      inputs[i] = t;
      return random_expression(inputs, which, operations);
    };
    raise(worst.central, central_difference(along, at[i], predicted_step(2)), gradient[i]);
    raise(worst.extrapolated, extrapolated_difference(along, at[i], 1e-4), gradient[i]);
    raise(worst.complex, complex_step(along, at[i], 1e-100), gradient[i]);
    raise(worst.heed, variables[i].grad().item(), gradient[i]);
    raise(worst.once, scalars[i].grad(), gradient[i]);
  }
  return worst;
}

void the_check(Lesson& lesson, std::int64_t expressions, std::int64_t operations) {
  heed::app::tell("\n4  The check: {} random expressions of {} operations on 4 inputs\n\n", expressions, operations);
  heed::Generator random(lesson.seed(), /*offset=*/1 << 20);
  Disagreement worst;
  std::int64_t caught = 0;
  for (std::int64_t e = 0; e < expressions; ++e) {
    std::vector<double> at;  // [4]
    for (int i = 0; i < 4; ++i) at.push_back(4 * random.uniform() - 2);
    Disagreement one = compare(at, random.next_u32(), operations);
    for (auto part : {&Disagreement::central, &Disagreement::extrapolated, &Disagreement::complex, &Disagreement::heed,
                      &Disagreement::once})
      worst.*part = std::max(worst.*part, one.*part);
    caught += one.once > 1e-8;
  }
  put(lesson, {.title = "The engine of this lesson against four other methods",
               .text = "The largest relative difference from the engine over all random expressions.",
               .header = {"method", "largest difference", "cost for n inputs"},
               .rows = {{"central difference, h = 6.1e-6", brief(worst.central), "2n evaluations"},
                        {"extrapolated difference, h = 1e-4", brief(worst.extrapolated), "4n evaluations"},
                        {"complex step, h = 1e-100", brief(worst.complex), "n complex evaluations"},
                        {"heed::Variable in f64", brief(worst.heed), "1 evaluation, 1 pass"}}});
  lesson.claim({.name = "largest difference of the engine from extrapolated differences",
                .measured = worst.extrapolated,
                .comparator = "<=",
                .threshold = 1e-8,
                .control = fmt::format("passing on once: wrong on {} of {}", caught, expressions)});
}

// ---- 5  the use -----------------------------------------------------------------------------------------------------
void the_use(Lesson& lesson, std::int64_t updates) {
  heed::app::tell("\n5  The use: a network of 17 parameters learns exclusive or in {} updates\n\n", updates);
  using Clock = std::chrono::steady_clock;
  std::vector<double> parameters, losses, thinned;
  heed::Generator random(lesson.seed(), /*offset=*/2 << 20);
  for (int i = 0; i < 17; ++i) parameters.push_back(random.normal());
  std::uint64_t visits = 0;
  Clock::time_point start = Clock::now();
  for (std::int64_t update = 0; update <= updates; ++update) {
    std::vector<Scalar> leaves(parameters.begin(), parameters.end());
    Scalar loss = xor_loss(leaves);
    visits = backward(loss);
    losses.push_back(loss.value());
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= 0.1 * leaves[i].grad();
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(updates + 1);
  for (std::size_t i = 0; i < losses.size(); i += 1 + losses.size() / 40) thinned.push_back(std::log(losses[i]));
  heed::app::tell("   loss {} -> {}  {} (logarithmic)\n", brief(losses.front()), brief(losses.back()),
                  heed::report::sparkline(thinned, console));
  heed::app::tell("   one gradient: 1 evaluation and 1 pass over {} numbers; central differences: 34 evaluations\n",
                  visits);
  heed::app::tell("   {:.0f} us per gradient, {:.0f} ns per number (50 to 500 are usual)\n\n", seconds * 1e6,
                  seconds * 1e9 / static_cast<double>(visits));
  lesson.report().curves({.title = "Exclusive or, learned by the scalar engine",
                          .text = "Four cases, four tanh units, 17 parameters. Each update subtracts a tenth of the "
                                  "gradient from each parameter.",
                          .x_label = "update",
                          .y_label = "mean squared error",
                          .series = {{.name = "loss", .y = losses}},
                          .log_y = true});
}

}  // namespace

int main(int argc, char** argv) {
  return heed::app::run_main(argc, argv, [](int count, char** words) {
    std::int64_t points = 64, depth = 20, expressions = 100, operations = 12, updates = 200;
    Lesson lesson("02_derivatives", "Derivatives by machine: finite differences, then a hundred lines of autograd");
    lesson.knob("points", &points, "points at which the differences are tried").between(16, 10000);
    lesson.knob("depth", &depth, "doublings in the graph of part 3").between(1, 24);
    lesson.knob("expressions", &expressions, "random expressions to check").between(1, 10000);
    lesson.knob("operations", &operations, "random operations in each of them").between(1, 40);
    lesson.knob("updates", &updates, "updates of the small network").between(1, 20000);
    lesson.question({.text = "A central difference with the step 1e-5 gives ten right digits of the derivative of "
                             "e^x tanh x. How many does it give with the step 1e-10?",
                     .answers = {"twenty: the error falls with the square of the step", "six", "ten, as before"},
                     .right = 2,
                     .because = "f(x + h) and f(x - h) then agree in about ten of their sixteen digits, and the "
                                "difference has only the other six."});
    lesson.start(count, words);
    if (lesson.quick()) expressions = std::min<std::int64_t>(expressions, 25);
    heed::app::tell(
        "\nFirst we measure how exact finite differences are. Then a small engine computes derivatives exactly, "
        "we\ncheck it with these differences, and a small network learns with it.\n");
    the_step(lesson, points);
    the_graph(lesson);
    the_order(lesson, depth);
    the_check(lesson, expressions, operations);
    the_use(lesson, updates);
    return lesson.finish();
  });
}
