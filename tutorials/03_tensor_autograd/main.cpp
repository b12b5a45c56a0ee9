// Lesson 03: gradients of whole tensors. Two rules give nearly every gradient of this library:
//
//   an axis that broadcasting repeated is summed over:      db = sum of dy over the repeated axis
//   C = A B, A [M, K], B [K, N]:                            dA = dC B^T [M, K],  dB = A^T dC [K, N]
//
// Both are broken here on purpose. The lesson shows the wrong numbers, and the gradient check names the bug.
// dy is short for dL/dy, the gradient that arrives at y; it has the shape of y. L is the number that is differentiated.
#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "tutorials/03_tensor_autograd/census.h"
#include "tutorials/03_tensor_autograd/differences.h"
#include "tutorials/03_tensor_autograd/show.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"

using namespace heed;

namespace {

using In = const std::vector<Variable>&;
using Cells = std::vector<std::vector<std::string>>;

struct Knobs {
  int64_t size = 3, rows = 4;
  double step = 6e-6;
  std::string bug = "transpose";
};

Tensor random(const Shape& shape, Generator& rng) { return Tensor::uniform(shape, rng, -1, 1, DType::f64); }

// Two operations with right and with wrong gradients. Their values are always right, so only a check of the gradients
// finds the mistakes.
enum RowGradient { kAsItComes, kFirstRow, kMeanOfRows, kSumOfRows, kMarked };
Variable add_row(const Variable& x, const Variable& b, RowGradient how) {
  Input row = how == kMarked ? broadcast(b) : Input(b);  // marked: the engine sums what arrives to the shape of b
  return attach("add_row", {x, row}, add(x.value(), b.value()), [how](Grads& g, const Variable& dy) {
    g.add(0, dy);                                                  // [R, N]
    if (how == kAsItComes || how == kMarked) g.add(1, dy);         // [R, N], but b has the shape [N]
    if (how == kFirstRow) g.add(1, select(dy, 0, 0));              // [N]: the shape is right, the number is not
    if (how == kMeanOfRows) g.add(1, mean(dy, /*axes=*/Dims{0}));  // [N]
    if (how == kSumOfRows) g.add(1, sum(dy, /*axes=*/Dims{0}));    // [N]: b_n is used in R elements of y
  });
}
Variable matmul_with(Fault bug, const Variable& a, const Variable& b) {
  return attach("matmul_with_bug", {a, b}, matmul(a.value(), b.value()),
                [bug, sa = save(a), sb = save(b)](Grads& g, const Variable& dc) {
                  g.add(0, matmul(dc, transpose(g[sb], 0, 1)));      // [M, K], always right
                  Variable db = matmul(transpose(g[sa], 0, 1), dc);  // [K, N], right
                  if (bug == Fault::missing) return;
                  if (bug == Fault::sign) db = -db;
                  if (bug == Fault::mean) db = db / static_cast<double>(dc.size(0));     // over the M rows of dC
                  if (bug == Fault::transpose) db = matmul(transpose(dc, 0, 1), g[sa]);  // dC^T A = dB^T
                  g.add(1, db);
                  if (bug == Fault::twice) g.add(1, db);
                });
}

// --- 1. The graph of a loss
void draw_graph(app::Lesson& lesson, const Knobs& k, Generator& rng) {
  Variable x = random({k.rows, 3}, rng), t = random({k.rows, 2}, rng);  // constants have no node in the graph
  Variable w(random({3, 2}, rng), Variable::kRequiresGrad), b(random({2}, rng), Variable::kRequiresGrad);
  Variable loss = mean(square(tanh(matmul(x, w) + b) - t)) + 0.01 * sum(square(w));  // w is used twice
  GraphView view = view_of(picture(loss, {{"w", w}, {"b", b}}));
  const std::string formula = "L = mean((tanh(x w + b) - t)^2) + 0.01 sum(w^2)";
  heading("1. The graph of " + formula);
  show(report::table({"box", "operation", "shape", "bytes", "inputs (boxes)"}, view.rows, console()));
  view.panel.title = "The graph of a loss";
  view.panel.text = "`" + formula +
                    "`. Values flow along the arrows, gradients against them. `x` and `t` need no gradient and have no "
                    "box. `w` is used twice, so two gradients arrive there and are added.";
  lesson.report().graph(view.panel);
}

// --- 2. Broadcasting: the row b [3] is added to each row of x [R, 3]
void broadcasting(app::Lesson& lesson, const Knobs& k, Generator& rng) {
  Tensor x = random({k.rows, 3}, rng), b = random({3}, rng);
  Tensor numeric = by_differences([&](const Tensor& at) { return sum(square(add(x, at))).item(); }, b, k.step);
  auto row = [](const char* name, const Tensor& db, const std::string& said) {
    std::vector<std::string> cells{name};
    for (int64_t i = 0; i < 3; ++i) cells.push_back(db.defined() ? fmt::format("{:7.4f}", db.at({i})) : "-");
    cells.push_back(said);
    return cells;
  };
  Cells cells{row("by differences", numeric, "")};
  const char* names[] = {"dy as it is", "first row of dy", "mean of dy", "sum of dy", "dy, b marked"};
  for (RowGradient how : {kAsItComes, kFirstRow, kMeanOfRows, kSumOfRows, kMarked}) {
    auto loss = [how](In in) { return sum(square(add_row(in[0], in[1], how))); };
    Variable leaf(b, Variable::kRequiresGrad);
    try {
      backward(loss({x, leaf}));
    } catch (const GraphError&) {}  // refused; gradcheck, on the next line, reports why
    GradcheckReport r = gradcheck(loss, {x, b}, {.step = k.step, .seed = lesson.seed()});
    cells.push_back(row(names[how], leaf.grad(), verdict(r)));
  }
  heading(fmt::format("2. A row b [3] is added to x [{}, 3]; L = sum((x + b)^2). What is dL/db?", k.rows));
  for (const auto& c : cells)
    item(fmt::format("{:<15}", c[0]), fmt::format("{:>7} {:>7} {:>7}   {}", c[1], c[2], c[3], c[4]));
  lesson.report().table({.title = "Five ways to compute the gradient of a broadcast row",
                         .text =
                             "L = sum((x + b)^2), where the row b [3] is added to each row of x. First row: the "
                             "gradient by central differences. The last column is the result of the gradient check.",
                         .header = {"db computed as", "db_0", "db_1", "db_2", "gradient check"},
                         .rows = cells});
}

// --- 3. Matrix product: if the sizes differ, the shapes tell which product is the gradient
Products from_shapes(const Knobs& k, Generator& rng) {
  Products odd = gradients_of_a(3, 4, 2, k.step, rng);
  heading("3. dL/dA of C = A B is a product of dC or dC^T with B or B^T: there are eight of them");
  app::tell("   A [3, 4], B [4, 2]   have the shape of A: {}, right: {}   {}\n", odd.shape_fits, odd.right,
            odd.formula);
  Products even = gradients_of_a(k.size, k.size, k.size, k.step, rng);
  app::tell("   A and B [{0}, {0}]       have the shape of A: {1}, right: {2}\n", k.size, even.shape_fits, even.right);
  odd.control = fmt::format("{} if all sizes are {}", even.shape_fits, k.size);
  return odd;
}

// --- 4. Five bugs in the gradient of a matrix product; returns how many of them are named
int plant_by_hand(app::Lesson& lesson, const Knobs& k, Generator& rng) {
  Tensor a = random({k.size, k.size}, rng), b = random({k.size, k.size}, rng);
  heading(fmt::format("4. Five bugs in dL/dB of C = A B, with A and B [{0}, {0}]", k.size));
  int named = 0;
  for (Fault bug : {Fault::none, Fault::sign, Fault::missing, Fault::twice, Fault::mean, Fault::transpose}) {
    auto product = [bug](In in) { return matmul_with(bug, in[0], in[1]); };
    GradcheckReport r = gradcheck(product, {a, b}, {.step = k.step, .seed = lesson.seed()});
    named += bug != Fault::none && r.fault == bug;
    item(fmt::format("{:<10} error {:.1e}", name_of(bug), r.max_relative_error), verdict(r));
    if (bug != Fault::none && name_of(bug) != k.bug) continue;
    r = gradcheck(product, {a, b}, {.method = GradcheckOptions::jacobian, .step = k.step});
    std::string of = bug == Fault::none ? "dC/dB of the right product" : "dC/dB with a planted bug";
    std::string text =
        "The Jacobian: one row for each element of C (C01 is row 0, column 1), one column for each element of B.";
    if (bug != Fault::none) text += " The planted bug: " + k.bug + ".";
    const auto& [analytic, numeric] = r.jacobians[1];  // with respect to B: [elements of C, elements of B]
    double largest = 0;
    for (double v : numeric.to_vector()) largest = std::max(largest, std::fabs(v));
    for (const auto& [what, t] :
         {std::pair{"analytic", analytic}, {"numeric", numeric}, {"difference", sub(analytic, numeric)}})
      lesson.report().heat({of + ": " + what, text, "C", "B", places('C', k.size), places('B', k.size), matrix_of(t),
                            -largest, largest});
  }
  Variable leaf(b, Variable::kRequiresGrad);
  backward(sum(square(matmul_with(Fault::transpose, a, leaf))));
  Tensor numeric = by_differences([&](const Tensor& at) { return sum(square(matmul(a, at))).item(); }, b, k.step);
  app::tell("\n   L = sum(C^2) with the bug \"transpose\": all numbers of dL/dB are right, but in the wrong places\n");
  show(report::matrix_with_numbers({{"analytic", matrix_of(leaf.grad())},
                                    {"numeric", matrix_of(numeric)},
                                    {"difference", matrix_of(sub(leaf.grad(), numeric))}},
                                   console()));
  return named;
}

// --- 5. Two mistakes that are in no formula: overwritten memory, and backward called twice
void faults_of_use() {
  heading("5. Mistakes that are in no formula: overwritten memory, and backward called twice");
  auto refusal = [](auto work) -> std::string {
    try {
      work();
    } catch (const GraphError& error) { return error.what(); }
    return "not refused";
  };
  auto slope = [](auto overwrite) {  // the derivative of L = sum(exp w) at w = 1, which is e
    Variable w(Tensor::full({1}, 1, DType::f64), Variable::kRequiresGrad), y = exp(w), loss = sum(y);
    overwrite(y);  // exp saved y, because its gradient is dy * y
    backward(loss);
    return w.grad().item();
  };
  app::tell("   d exp(w)/dw at 1                    {:.4f}\n", slope([](const Variable&) {}));
  app::tell("   y set to 0 by a raw pointer         {:.4f}\n",
            slope([](const Variable& y) { y.value().data<double>()[0] = 0; }));
  item(fmt::format("{:<34}", "y set to 0 by fill_"),
       "refused: " + refusal([&] { slope([](const Variable& y) { fill_(y.detach(), 0); }); }));
  app::tell("   a clone of y set to 0               {:.4f}\n",
            slope([](const Variable& y) { fill_(y.value().clone(), 0); }));
  Variable w(Tensor::full({1}, 3, DType::f64), Variable::kRequiresGrad), loss = sum(square(w));
  backward(loss, {.retain_graph = true});
  app::tell("\n   d w^2/dw at 3                       {:.4f}\n", w.grad().item());
  w.zero_grad();
  backward(loss, {.retain_graph = true});
  app::tell("   again, after zero_grad()            {:.4f}\n", w.grad().item());
  backward(loss);
  app::tell("   again, without zero_grad()          {:.4f}\n", w.grad().item());
  item(fmt::format("{:<34}", "again, after the graph was freed"), "refused: " + refusal([&] { backward(loss); }));
}

// --- 6. Every operation of the library
Census every_operation(app::Lesson& lesson, const Knobs& k) {
  Census c = check_every_operation({.step = k.step, .seed = lesson.seed()}, lesson.quick() ? 4 : 1);
  std::sort(c.rows.begin(), c.rows.end(), [](const auto& p, const auto& q) { return p.worst > q.worst; });
  const std::vector<std::string> header{"operation", "cases", "numbers", "largest error", "bugs named"};
  Cells cells;
  for (const auto& r : c.rows)
    cells.push_back({r.operation, std::to_string(r.cases), std::to_string(r.numbers), fmt::format("{:.1e}", r.worst),
                     fmt::format("{} of 5", r.bugs_named)});
  report::TablePanel panel{.title = "Every operation",
                           .text =
                               "The largest relative error of all cases of an operation, and how many of five planted "
                               "bugs the gradient check names.",
                           .header = header,
                           .rows = cells};
  lesson.report().table(panel);
  heading(fmt::format("6. All {} operations: {} cases, {} numbers. The five largest errors:", c.rows.size(), c.cases,
                      c.numbers));
  panel.rows.resize(std::min<size_t>(cells.size(), 5));
  show(panel);
  app::tell("\n   Planted bugs: {} are caught, {} of these are named; {} change no number.\n", c.caught, c.named,
            c.harmless);
  return c;
}

// --- 7. The control: the same check in f32. Returns its error on a right gradient, at the best step.
double f32_control(app::Lesson& lesson, Generator& rng) {
  Tensor a = random({3, 3}, rng), b = random({3, 3}, rng);
  Sweep f64 = sweep_steps(DType::f64, a, b), f32 = sweep_steps(DType::f32, a, b);
  auto row = [](const char* name, const Sweep& s) {
    auto said = [](double error) { return fmt::format("{:.1e} {}", error, error < 1e-6 ? "passes" : "fails"); };
    return std::vector<std::string>{name, fmt::format("{:.0e}", s.best_step), said(s.right), said(s.wrong)};
  };
  heading("7. The control: the check of L = sum tanh(A B) in f64 and in f32, each at its best step");
  show({.title = "Relative error against central differences",
        .text = "At the step with the least error; below 1e-6 the check passes.",
        .header = {"numbers", "best step", "right gradient", "gradient 0.01 % too large"},
        .rows = {row("f64", f64), row("f32", f32)}});
  lesson.report().curves({.title = "A right gradient against differences in f64 and in f32",
                          .text = "The gradient of L = sum tanh(A B) is right, so all of this error comes from the "
                                  "differences. In f32 it never falls below 1e-6, so mistakes cannot be told from it.",
                          .x_label = "step h",
                          .y_label = "largest relative error",
                          .series = {{"f64", f64.errors, f64.steps}, {"f32", f32.errors, f32.steps}},
                          .log_x = true,
                          .log_y = true});
  return f32.right;
}

int lesson_03(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("03_tensor_autograd", "Gradients of whole tensors: broadcasting, matrix products, the graph");
  lesson.knob("size", &k.size, "rows and columns of the matrices in parts 3 and 4").between(2, 8);
  lesson.knob("rows", &k.rows, "rows of x to which b is added").between(2, 64);
  lesson.knob("step", &k.step, "step of the differences").between(1e-12, 0.1);
  lesson.knob("bug", &k.bug, "the planted bug whose Jacobian is drawn")
      .one_of({"sign", "missing", "twice", "mean", "transpose"});
  lesson.question(
      {"A row b [3] is added to each of the 4 rows of x [4, 3], and the gradient dy [4, 3] comes back. What is "
       "dL/db?",
       {"the first row of dy", "the mean of the rows of dy", "the sum of the rows of dy"},
       3,
       "Each number of b is used in four elements of y and affects L through all of them."});
  lesson.start(argc, argv);
  Generator rng(lesson.seed());

  lesson.report().text(
      "What this page shows",
      "Two rules give nearly all gradients: an axis that broadcasting repeated is summed over, and the gradient of `A` "
      "in `C = A B` is the one product that has the shape of `A`. The page shows the graph of a loss, what happens if "
      "a "
      "rule is broken, and how far the gradient of each operation is from finite differences.");
  app::tell(
      "\nWe plant bugs in the gradients of a broadcast addition and of a matrix product, and let the gradient\n"
      "check find them. Then it checks every operation of the library, with and without planted bugs.\n");
  draw_graph(lesson, k, rng);
  broadcasting(lesson, k, rng);
  Products products = from_shapes(k, rng);
  int by_hand = plant_by_hand(lesson, k, rng);
  faults_of_use();
  Census c = every_operation(lesson, k);

  double f32 = f32_control(lesson, rng);

  heading("Claims");
  lesson.claim({.name = fmt::format("largest relative error of {} operations", c.rows.size()),
                .measured = c.worst,
                .comparator = "<",
                .threshold = 1e-6,
                .control = fmt::format("f32 at its best step: {:.1e}", f32)});
  lesson.claim({.name = "planted bugs named: 5 by hand, 5 in each operation",
                .measured = static_cast<double>(by_hand + c.bugs_named),
                .comparator = "==",
                .threshold = static_cast<double>(5 + 5 * c.rows.size()),
                .control = fmt::format("without a bug: {} of {} cases reported", c.accused, c.cases)});
  lesson.claim({.name = "of eight products, those of A's shape if the sizes differ",
                .measured = static_cast<double>(products.shape_fits * (products.right == 1)),
                .comparator = "==",
                .threshold = 1,
                .control = products.control});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_03); }
