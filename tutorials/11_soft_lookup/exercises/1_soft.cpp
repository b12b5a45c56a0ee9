// Exercise 11.1: a soft look-up.
//
//   e_i = q . k_i      w_i = exp(e_i) / sum_j exp(e_j)      answer = sum_i w_i v_i
//
// What stands in the gap is the hard look-up: the value of the best key. The checks compare your answers
// with those of nn::attend, with scores up to 900 as well, where exp alone overflows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tutorials/common/exercise.h"

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double look_up(const Vector& query, const std::vector<Vector>& keys, const Vector& values) {
  std::vector<double> scores;
  for (const Vector& key : keys) scores.push_back(dot(query, key));
  auto best = std::max_element(scores.begin(), scores.end());
  // ---- the gap: mix the values ----
  return values[static_cast<std::size_t>(best - scores.begin())];
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("11", 1, "A soft look-up");
  e.hint("Subtract the largest score before exp: the weights stay the same, and nothing overflows (lesson 04).");
  e.hint("Divide by the sum at the end: sum_i exp(e_i) v_i / sum_i exp(e_i).");
  return e.run(argc, argv, [&] {
    using namespace heed;
    const std::vector<Vector> keys{{3, 3, 0, 0}, {3, 0, 3, 0}, {0, 0, 0, 3}};
    const Vector values{10, 5, 2};
    const std::vector<Vector> queries{{3, 0.135, 0, 0}, {3, 3, 0, 0},      {3, 0, 0, 0},
                                      {0, 0, 0, 0},     {-1, 0.5, 0, 0.2}, {300, 1, 0.9, 0}};
    for (const Vector& query : queries) {
      Vector scores;
      for (const Vector& key : keys) scores.push_back(dot(query, key));
      double wanted = nn::attend(Variable(Tensor::from(scores, {1, 1, 3})), Variable(Tensor::from(values, {1, 3, 1})))
                          .context.item();
      e.check(fmt::format("the answer for the scores {:.3g}, {:.3g}, {:.3g}", scores[0], scores[1], scores[2]),
              look_up(query, keys, values), wanted, 1e-12);
    }
  });
}
