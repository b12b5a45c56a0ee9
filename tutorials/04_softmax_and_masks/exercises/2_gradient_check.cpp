// Hints and checks of exercise 04.2.
#include "tutorials/04_softmax_and_masks/exercises/2_gradient.h"

#include <fmt/format.h>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Setting;
using Row = std::vector<double>;

// dL/dt is checked once dL/dx is right.
void examine(app::Exercise& e) {
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
    right = e.check("dL/dx" + where(settings[n]) + ", element ", mine::dloss_dx(rows[n], settings[n]), numeric, 1e-8) &&
            right;
  }
  if (!right) return;
  for (size_t n = 0; n < settings.size(); ++n) {
    const Setting& s = settings[n];
    const double by_t = (mine::loss(rows[n], {s.t + h, s.e, s.y}) - mine::loss(rows[n], {s.t - h, s.e, s.y})) / (2 * h);
    e.check("dL/dt" + where(s), mine::dloss_dt(rows[n], s), by_t, 1e-8);
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
  return e.run(argc, argv, examine);
}
