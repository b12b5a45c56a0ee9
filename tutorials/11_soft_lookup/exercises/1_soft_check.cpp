// Hints and checks of exercise 11.1.
#include <fmt/format.h>

#include <numeric>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "tutorials/11_soft_lookup/exercises/1_soft.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;
using Q = const Vector&;
using K = const std::vector<Vector>&;

double dot(Q a, Q b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
Vector scores(Q query, K keys) {
  Vector e;
  for (const Vector& key : keys) e.push_back(dot(query, key));
  return e;
}

void examine(app::Exercise& e) {
  const std::vector<Vector> keys{{3, 3, 0, 0}, {3, 0, 3, 0}, {0, 0, 0, 3}};
  const Vector values{10, 5, 2};
  const std::vector<Vector> queries{{3, 0.135, 0, 0}, {3, 3, 0, 0},      {3, 0, 0, 0},
                                    {0, 0, 0, 0},     {-1, 0.5, 0, 0.2}, {300, 1, 0.9, 0}};
  for (const Vector& query : queries) {
    Vector s = scores(query, keys);
    double wanted =
        nn::attend(Variable(Tensor::from(s, {1, 1, 3})), Variable(Tensor::from(values, {1, 3, 1}))).context.item();
    e.check(fmt::format("the answer for the scores {:.3g}, {:.3g}, {:.3g}", s[0], s[1], s[2]),
            mine::look_up(query, keys, values), wanted, 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("11", 1, "A soft look-up");
  e.hint(
      "Subtract the maximum of the scores before exp: the weights stay the same, and nothing overflows (lesson 04).");
  e.hint("Divide once, at the end: sum_i exp(e_i) v_i / sum_i exp(e_i).");
  e.insight(
      "The answer is a weighted mean, so it lies between the smallest and the largest value. Unlike the hard look-up\n"
      "it changes smoothly with query and keys, so both can be learnt by gradient descent.",
      "./heed exercise 11 2");
  return e.run(argc, argv, examine);
}
