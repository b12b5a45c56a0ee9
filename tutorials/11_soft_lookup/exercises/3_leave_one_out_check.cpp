// Hints and checks of exercise 11.3.
#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tutorials/11_soft_lookup/exercises/3_leave_one_out.h"
#include "tutorials/11_soft_lookup/smooth.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(7);
  lookup::Points points = lookup::noisy_points(11, 0.3, rng);
  for (double s : {0.2, 1.0, 0.01}) {
    Tensor mine = lookup::smooth(points.x, points, s, mine::mask(11)).values.value();
    for (int64_t i = 0; i < 11; ++i) {
      std::vector<double> x = points.x.to_vector(), y = points.y.to_vector();
      x.erase(x.begin() + i);
      y.erase(y.begin() + i);
      Tensor at = points.x.slice(0, i, i + 1);
      double wanted = lookup::smooth(at, {Tensor::from(x, {10}), Tensor::from(y, {10})}, s).values.item();
      e.check(fmt::format("point {}, predicted from the others with s = {:g},", i, s), mine.at({i, 0}), wanted, 1e-12);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("11", 3, "Leave one out");
  e.hint("Tensor::eye(N) is 1 on the diagonal; equal(t, 0) is true where t is 0.");
  e.hint("attend needs [1, N, N]: unsqueeze(0) adds the first axis.");
  e.insight(
      "All N predictions, each from the other N - 1 points, are one call of attend with a mask.\n"
      "A mask decides what a prediction may use: a model that may look at its own target learns to copy it.",
      "./heed run 12");
  return e.run(argc, argv, examine);
}
