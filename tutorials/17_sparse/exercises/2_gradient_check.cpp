// Hints, common mistakes and checks of exercise 17.2.
#include "tutorials/17_sparse/exercises/2_gradient.h"

#include <fmt/format.h>

#include "tensor/tensor.h"
#include "tutorials/17_sparse/simplex.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using sparse::Row;

// The right answer with one part exchanged.
struct Parts {
  enum Mean { support, all, sum, weighted, none, over_S } mean = support;
  enum Outside { zero, minus_mean, everything } outside = zero;
  double sign = 1;
  bool times_w = false;
};
template <Parts p>
Row with(const Row& w, const Row& dw) {
  double inside = 0, size = 0, every = 0, weighted = 0;
  for (std::size_t s = 0; s < w.size(); ++s) {
    if (w[s] > 0) inside += dw[s], ++size;
    every += dw[s], weighted += w[s] * dw[s];
  }
  const auto S = static_cast<double>(w.size());
  double mean = inside / size;
  if (p.mean == Parts::all) mean = every / S;
  if (p.mean == Parts::sum) mean = inside;
  if (p.mean == Parts::weighted) mean = weighted;
  if (p.mean == Parts::none) mean = 0;
  if (p.mean == Parts::over_S) mean = inside / S;
  Row de;
  for (std::size_t s = 0; s < w.size(); ++s) {
    double outside = 0;
    if (p.outside == Parts::minus_mean) outside = -mean;
    if (p.outside == Parts::everything) outside = dw[s] - mean;
    de.push_back(p.sign * (w[s] > 0 ? dw[s] - mean : outside) * (p.times_w ? w[s] : 1));
  }
  return de;
}

const std::vector<app::Mistake<decltype(&mine::sparsemax_gradient)>> mistakes{
    {"The gap is still open, or tau counts as a constant and the cut at 0 is ignored: this is dw",
     [](const Row&, const Row& dw) { return dw; }},
    {"tau counts as a constant: it depends on every score of the support, by 1 / |A|",
     with<Parts{.mean = Parts::none}>},
    {"The mean runs over all keys: only those of the support count", with<Parts{.mean = Parts::all}>},
    {"The sum over the support is divided by S: divide by the number of keys in the support",
     with<Parts{.mean = Parts::over_S}>},
    {"You subtract the sum of dw over the support: subtract their mean", with<Parts{.mean = Parts::sum}>},
    {"You subtract a mean weighted by w, as for a softmax: here every key of the support counts the same",
     with<Parts{.mean = Parts::weighted}>},
    {"This is the gradient of the softmax, w (dw - sum w dw): sparsemax has no factor w",
     with<Parts{.mean = Parts::weighted, .times_w = true}>},
    {"There is a factor w too many: inside the support the slope is 1, whatever the weight",
     with<Parts{.times_w = true}>},
    {"Keys outside of the support have a gradient: their weight stays 0 when their score moves a little, so it is 0",
     with<Parts{.outside = Parts::everything}>},
    {"Keys outside of the support get minus the mean: tau does not depend on their scores, so their gradient is 0",
     with<Parts{.outside = Parts::minus_mean}>},
    {"The sign is wrong: a weight grows with its own score", with<Parts{.sign = -1}>},
};

void examine(app::Exercise& e, const decltype(&mine::sparsemax_gradient)& gradient) {
  Generator rng(18);
  for (int64_t S : {3, 6, 9}) {
    const Row scores = Tensor::normal({S}, rng, 0, 0.6, DType::f64).to_vector();
    const Row dw = Tensor::normal({S}, rng, 0.5, 1, DType::f64).to_vector();
    Row numeric;
    for (std::size_t r = 0; r < scores.size(); ++r) {
      Row up = scores, down = scores;
      up[r] += 1e-6, down[r] -= 1e-6;
      const Row high = sparse::nearest_by_enumeration(up), low = sparse::nearest_by_enumeration(down);
      double slope = 0;
      for (std::size_t s = 0; s < dw.size(); ++s) slope += dw[s] * (high[s] - low[s]) / 2e-6;
      numeric.push_back(slope);
    }
    e.check(fmt::format("{} keys, gradient by score ", S), gradient(sparse::nearest_by_enumeration(scores), dw),
            numeric, 1e-7);
  }
  e.check("one key has all the weight, gradient by score ", gradient({0, 1, 0}, {3, -2, 1}), Row(3, 0), 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("17", 2, "The gradient of sparsemax");
  e.hint("In the support, dw_s/de_r = (1 if s is r, else 0) - 1/|A|. If s or r is outside, it is 0.");
  e.hint("w[s] > 0 says whether s is in the support.");
  e.hint("de_r = dw_r - (mean of dw over the support) for r in the support, else 0.");
  e.insight(
      "No exponential, no weight, only a mean: cheaper than the softmax. But a key with the weight 0 gets nothing,\n"
      "and if one key has all the weight, nobody gets anything: this is the start from which sparsemax cannot learn.",
      "./heed exercise 17 3");
  return e.run(argc, argv, mine::sparsemax_gradient, examine, mistakes);
}
