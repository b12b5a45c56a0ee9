// Hints and checks of exercise 33.3.
#include "tutorials/33_pictures/exercises/3_bilinear.h"

#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/attention/grids/deformable.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  constexpr int64_t R = 3, C = 4;
  Generator rng(5);
  const Tensor picture = Tensor::normal({1, 1, R * C, 1}, rng, 0, 1, DType::f64);
  const std::vector<double> p = picture.to_vector();
  // The centre of a place, points between two and four places, near the borders, and outside.
  const double points[][2] = {{0.375, 0.5}, {0.5, 0.5},  {0.31, 0.62},  {0.88, 0.21}, {0.05, 0.4},
                              {0.6, 0.97},  {-0.1, 0.3}, {0.45, -0.09}, {1.4, 0.5}};
  for (auto [x, y] : points) {
    Variable column(Tensor::full({1, 1, 1}, x, DType::f64), Variable::kRequiresGrad);
    Variable row(Tensor::full({1, 1, 1}, y, DType::f64), Variable::kRequiresGrad);
    Variable value = nn::bilinear(Variable(picture), R, C, row * static_cast<double>(R) - 0.5,
                                  column * static_cast<double>(C) - 0.5);
    backward(sum(value));
    const mine::Reading mine = mine::read_at(p, R, C, x, y);
    const std::string where = fmt::format("x = {}, y = {}: ", x, y);
    e.check(where + "value", mine.value, value.item(), 1e-12);
    if (x == 0.375 || x == 0.5) continue;  // at a centre the slopes of both sides differ
    e.check(where + "derivative by x", mine.by_x, column.grad().item(), 1e-12);
    e.check(where + "derivative by y", mine.by_y, row.grad().item(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("33", 3, "Bilinear sampling");
  e.hint(
      "First turn x into a column that need not be whole: 0 at the centre of the first place, 1 at that of the "
      "second.");
  e.hint("floor gives the column to the left of the point, also for points outside. What is left over is u.");
  e.hint("For the derivatives, write the value as a function of u and v. u grows by C if x grows by 1.");
  e.insight(
      "The nearest place has no useful derivative. Interpolation has one: the difference of neighbouring places. This\n"
      "is why a point can be learned, and why it only feels what is one place away.",
      "./heed exercise 33");
  return e.run(argc, argv, examine);
}
