// Hints, common mistakes and checks of exercise 04.2.
#include "tutorials/04_softmax_and_masks/exercises/2_gradient.h"

#include <fmt/format.h>

#include <string>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Setting;
using Row = std::vector<double>;

struct Answer {
  decltype(&mine::dloss_dx) dx;
  decltype(&mine::dloss_dt) dt;
};

// scale (p - q): dL/dz with scale 1, dL/dx with scale 1 / t.
Row difference(const Row& p, const Row& q, double scale) {
  Row d;
  for (size_t i = 0; i < p.size(); ++i) d.push_back(scale * (p[i] - q[i]));
  return d;
}
Row probabilities(const Row& x, const Setting& s) { return mine::softmax(mine::divided(x, s.t)); }
Row unsmoothed(const Row& x, const Setting& s) { return mine::target(x.size(), {s.t, 0, s.y}); }
Row right_dz(const Row& x, const Setting& s) { return difference(probabilities(x, s), mine::target(x.size(), s), 1); }
Row right_dx(const Row& x, const Setting& s) { return mine::divided(right_dz(x, s), s.t); }
// sum_i dz_i x_i times a power of t
double dt_with(const Row& x, const Setting& s, double factor) {
  double sum = 0;
  const Row dz = right_dz(x, s);
  for (size_t i = 0; i < x.size(); ++i) sum += dz[i] * x[i];
  return factor * sum;
}
double right_dt(const Row& x, const Setting& s) { return dt_with(x, s, -1 / (s.t * s.t)); }

using R = const Row&;
using S = const Setting&;
const std::vector<app::Mistake<Answer>> mistakes{
    {"dloss_dx is still open: it returns zeros", {[](R x, S) { return Row(x.size(), 0.0); }, right_dt}},
    {"The sign of dL/dx is wrong: it is p - q, positive where a word gets too much probability",
     {[](R x, S s) { return difference(mine::target(x.size(), s), probabilities(x, s), 1 / s.t); }, right_dt}},
    {"dL/dx misses the factor 1 / t: p - q is dL/dz, and z = x / t", {right_dz, right_dt}},
    {"dL/dx is multiplied by t: z = x / t, so dz/dx is 1 / t",
     {[](R x, S s) { return difference(probabilities(x, s), mine::target(x.size(), s), s.t); }, right_dt}},
    {"dL/dx ignores label smoothing: the target is q, not 1 for the right word and 0 for the others",
     {[](R x, S s) { return difference(probabilities(x, s), unsmoothed(x, s), 1 / s.t); }, right_dt}},
    {"dL/dx uses the softmax of x: the probabilities are the softmax of z = x / t",
     {[](R x, S s) { return difference(mine::softmax(x), mine::target(x.size(), s), 1 / s.t); }, right_dt}},
    {"dL/dx has the right word alone: all logits share the sum of the softmax, so each has the gradient (p_i - q_i) / "
     "t",
     {[](R x, S s) {
        Row d(x.size(), 0.0);
        d[s.y] = right_dx(x, s)[s.y];
        return d;
      },
      right_dt}},
    {"dL/dx is p alone: subtract the target q",
     {[](R x, S s) { return mine::divided(probabilities(x, s), s.t); }, right_dt}},
    {"dL/dx is divided by V: L is a sum over the words, not their mean",
     {[](R x, S s) { return mine::divided(right_dx(x, s), static_cast<double>(x.size())); }, right_dt}},
    {"dL/dx is right, and dL/dt is 0: it is still open, or it misses the factor x_i, since all p_i - q_i sum to 0",
     {right_dx, [](R, S) { return 0.0; }}},
    {"The sign of dL/dt is wrong: z = x / t falls in size as t grows, dz/dt = -x / t^2",
     {right_dx, [](R x, S s) { return dt_with(x, s, 1 / (s.t * s.t)); }}},
    {"dL/dt misses a factor 1 / t: multiply dL/dz by dz/dt = -x / t^2, or dL/dx by -x / t",
     {right_dx, [](R x, S s) { return dt_with(x, s, -1 / s.t); }}},
    {"dL/dt has a factor 1 / t too many: dL/dx contains one already, so multiply it by -x / t, or dL/dz by -x / t^2",
     {right_dx, [](R x, S s) { return dt_with(x, s, -1 / (s.t * s.t * s.t)); }}},
    {"dL/dt misses the factor 1 / t^2: the derivative of x / t by t is -x / t^2",
     {right_dx, [](R x, S s) { return dt_with(x, s, -1); }}},
    {"dL/dt looks at the right word alone: t acts through every z_i, so sum over all words",
     {right_dx, [](R x, S s) { return -right_dx(x, s)[s.y] * x[s.y] / s.t; }}},
};

// dL/dt is checked once dL/dx is right.
void examine(app::Exercise& e, const Answer& answer) {
  Generator rng(1);
  const double h = 1e-5;
  const std::vector<Setting> settings{{1, 0, 2}, {2, 0, 0}, {0.5, 0.1, 4}, {3, 0.3, 1}};
  std::vector<Row> rows;
  for (size_t n = 0; n < settings.size(); ++n) {
    rows.emplace_back();
    for (int i = 0; i < 5; ++i) rows.back().push_back(rng.normal());
  }
  auto where = [](const Setting& s) { return fmt::format(" at t = {}, e = {}, y = {}", s.t, s.e, s.y); };
  bool right = true;
  for (size_t n = 0; n < settings.size(); ++n) {
    Row numeric;
    for (size_t i = 0; i < rows[n].size(); ++i) {
      Row up = rows[n], down = rows[n];
      up[i] += h, down[i] -= h;
      numeric.push_back((mine::loss(up, settings[n]) - mine::loss(down, settings[n])) / (2 * h));
    }
    right =
        e.check("dL/dx" + where(settings[n]) + ", element ", answer.dx(rows[n], settings[n]), numeric, 1e-8) && right;
  }
  if (!right) return;
  for (size_t n = 0; n < settings.size(); ++n) {
    const Setting& s = settings[n];
    const double by_t = (mine::loss(rows[n], {s.t + h, s.e, s.y}) - mine::loss(rows[n], {s.t - h, s.e, s.y})) / (2 * h);
    e.check("dL/dt" + where(s), answer.dt(rows[n], s), by_t, 1e-8);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("04", 2, "The gradient of cross-entropy");
  e.hint("dL/dz_k = -sum_i q_i ([i = k] - p_k) = p_k sum_i q_i - q_k. What is sum_i q_i?");
  e.hint("x_k acts through z_k = x_k / t alone, so dL/dx_k = dL/dz_k / t.");
  e.hint("t acts through every z_k: dz_k/dt = -x_k / t^2, and dL/dt = sum_k dL/dz_k dz_k/dt.");
  e.insight(
      "The gradient by the logits is the predicted minus the target probability, p - q. It is never larger than 1 and\n"
      "does not vanish while the prediction is wrong: that is why softmax and cross-entropy belong together.",
      "./heed exercise 04 3");
  const Answer yours{mine::dloss_dx, mine::dloss_dt};
  return e.run(argc, argv, yours, examine, mistakes);
}
