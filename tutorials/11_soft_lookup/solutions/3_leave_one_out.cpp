// Exercise 11.3: leave one out.
//
//   f(x_i) = sum_{j != i} w_ij y_j        w_i = softmax over j != i of -(x_i - x_j)^2 / (2 s^2)
//
// A kernel's width is chosen by asking each point of the others. Without the mask each point finds itself among the
// keys, at distance 0, and a width of 0 looks best. The checks compare your answers with a look-up
// from which the point was really taken out.
#include <fmt/format.h>

#include <vector>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tensor/compare.h"
#include "tutorials/11_soft_lookup/smooth.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// What attend may look at: bool [1, N, N], row i for the question x_i; undefined: everything.
Tensor mask(int64_t N) {
  // ---- the gap, filled ----
  return not_equal(Tensor::eye(N), 1).unsqueeze(0);
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("11", 3, "Leave one out");
  e.hint("Tensor::eye(N) is 1 on the diagonal; equal(t, 0) says where t is 0.");
  e.hint("attend wants [1, N, N]: unsqueeze(0) adds the first axis.");
  return e.run(argc, argv, [&] {
    Generator rng(7);
    lookup::Points points = lookup::noisy_points(12, 0.3, rng);
    for (double s : {0.01, 0.2, 1.0}) {
      Tensor mine = lookup::smooth(points.x, points, s, mask(12)).values.value();
      for (int64_t i = 0; i < 12; ++i) {
        std::vector<double> x = points.x.to_vector(), y = points.y.to_vector();
        x.erase(x.begin() + i);
        y.erase(y.begin() + i);
        Tensor at = points.x.slice(0, i, i + 1);
        double wanted = lookup::smooth(at, {Tensor::from(x, {11}), Tensor::from(y, {11})}, s).values.item();
        e.check(fmt::format("point {}, asked of the others with s = {:g},", i, s), mine.at({i, 0}), wanted, 1e-12);
      }
    }
  });
}
