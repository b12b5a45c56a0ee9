// Hints, common mistakes and checks of exercise 11.1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
Vector exps(Vector e) {  // exp(e - max e)
  const double top = *std::max_element(e.begin(), e.end());
  for (double& one : e) one = std::exp(one - top);
  return e;
}
double sum_of(Q x) { return std::accumulate(x.begin(), x.end(), 0.0); }

const std::vector<app::Mistake<decltype(&mine::look_up)>> mistakes{
    {"The gap is still open: this is the value of the best key alone",
     [](Q q, K k, Q v) {
       Vector e = scores(q, k);
       return v[static_cast<std::size_t>(std::max_element(e.begin(), e.end()) - e.begin())];
     }},
    {"exp overflows for large scores, and infinity / infinity is not a number: subtract the maximum first",
     [](Q q, K k, Q v) {
       Vector e = scores(q, k);
       for (double& one : e) one = std::exp(one);
       return dot(e, v) / sum_of(e);
     }},
    {"The weights do not sum to 1: divide by the sum of the exponentials",
     [](Q q, K k, Q v) { return dot(exps(scores(q, k)), v); }},
    {"The answer is divided by the number of keys: divide by the sum of the exponentials",
     [](Q q, K k, Q v) { return dot(exps(scores(q, k)), v) / static_cast<double>(k.size()); }},
    {"The scores themselves are used as weights: take exp of them",
     [](Q q, K k, Q v) { return dot(scores(q, k), v) / sum_of(scores(q, k)); }},
    {"This is the mean of the values: the scores do not enter",
     [](Q, K, Q v) { return sum_of(v) / static_cast<double>(v.size()); }},
    {"The worst key gets the largest weight: the exponent is e_i minus the maximum, not the reverse",
     [](Q q, K k, Q v) {
       Vector e = scores(q, k);
       const double top = *std::max_element(e.begin(), e.end());
       for (double& one : e) one = std::exp(top - one);
       return dot(e, v) / sum_of(e);
     }},
    {"The sum of the exponentials starts at 1: it starts at 0",
     [](Q q, K k, Q v) { return dot(exps(scores(q, k)), v) / (1 + sum_of(exps(scores(q, k)))); }},
    {"The scores are divided by the root of D: here they are plain dot products",
     [](Q q, K k, Q v) {
       Vector e = scores(q, k);
       for (double& one : e) one /= std::sqrt(static_cast<double>(q.size()));
       return dot(exps(e), v) / sum_of(exps(e));
     }},
};

void examine(app::Exercise& e, const decltype(&mine::look_up)& look_up) {
  const std::vector<Vector> keys{{3, 3, 0, 0}, {3, 0, 3, 0}, {0, 0, 0, 3}};
  const Vector values{10, 5, 2};
  const std::vector<Vector> queries{{3, 0.135, 0, 0}, {3, 3, 0, 0},      {3, 0, 0, 0},
                                    {0, 0, 0, 0},     {-1, 0.5, 0, 0.2}, {300, 1, 0.9, 0}};
  for (const Vector& query : queries) {
    Vector s = scores(query, keys);
    double wanted =
        nn::attend(Variable(Tensor::from(s, {1, 1, 3})), Variable(Tensor::from(values, {1, 3, 1}))).context.item();
    e.check(fmt::format("the answer for the scores {:.3g}, {:.3g}, {:.3g}", s[0], s[1], s[2]),
            look_up(query, keys, values), wanted, 1e-12);
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
  return e.run(argc, argv, mine::look_up, examine, mistakes);
}
