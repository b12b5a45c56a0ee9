// Hints, common mistakes and checks of exercise 11.3.
#include <fmt/format.h>

#include <functional>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tutorials/11_soft_lookup/exercises/3_leave_one_out.h"
#include "tutorials/11_soft_lookup/smooth.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

Tensor where(int64_t N, const std::function<bool(int64_t, int64_t)>& allowed) {
  std::vector<int> flags;
  for (int64_t i = 0; i < N; ++i)
    for (int64_t j = 0; j < N; ++j) flags.push_back(allowed(i, j));
  return Tensor::from_bools(flags, {1, N, N});
}

const std::vector<app::Mistake<decltype(&mine::mask)>> mistakes{
    {"The gap is still open: nothing is masked, and each point predicts itself", [](int64_t) { return Tensor(); }},
    {"The mask is the wrong way round: each point attends to itself only. True means that a key may be used",
     [](int64_t N) { return where(N, [](int64_t i, int64_t j) { return i == j; }); }},
    {"This is a causal mask: a point may use those after it as well, all but itself",
     [](int64_t N) { return where(N, [](int64_t i, int64_t j) { return j < i; }); }},
    {"Only the points after each one may be used: those before it belong to the others, too",
     [](int64_t N) { return where(N, [](int64_t i, int64_t j) { return j > i; }); }},
    {"The neighbour after each point is left out, and the point itself is not: mask where i == j",
     [](int64_t N) { return where(N, [](int64_t i, int64_t j) { return j != i + 1; }); }},
    {"The same point is left out for all queries: row i must leave out column i",
     [](int64_t N) { return where(N, [](int64_t, int64_t j) { return j != 0; }); }},
    {"The wrong diagonal is masked, from the top right to the bottom left: mask where i == j",
     [](int64_t N) { return where(N, [N](int64_t i, int64_t j) { return i + j != N - 1; }); }},
    {"The neighbours of each point are left out as well: only the point itself",
     [](int64_t N) { return where(N, [](int64_t i, int64_t j) { return std::abs(i - j) > 1; }); }},
};

void examine(app::Exercise& e, const decltype(&mine::mask)& mask) {
  Generator rng(7);
  lookup::Points points = lookup::noisy_points(11, 0.3, rng);
  for (double s : {0.2, 1.0, 0.01}) {
    Tensor mine = lookup::smooth(points.x, points, s, mask(11)).values.value();
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
  return e.run(argc, argv, mine::mask, examine, mistakes);
}
