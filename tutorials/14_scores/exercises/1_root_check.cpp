// Hints, common mistakes and checks of exercise 14.1.
#include "tutorials/14_scores/exercises/1_root.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scores/score.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

Tensor products(const Tensor& q, const Tensor& k) { return matmul(q, k.transpose(1, 2)); }
double width(const Tensor& q) { return static_cast<double>(q.size(2)); }
Tensor unit(const Tensor& x) { return div(x, heed::sqrt(sum(mul(x, x), {2}, true))); }  // rows of length 1

using X = const Tensor&;
const std::vector<app::Mistake<decltype(&mine::scores)>> mistakes{
    {"The variance is 1 / d: dividing by c divides the variance by c squared, so another c divides it by d",
     [](X q, X k) { return div(products(q, k), width(q)); }},
    {"The variance is d: nothing divides the products, and the larger d, the more the softmax saturates",
     [](X q, X k) { return products(q, k); }},
    {"The variance is d squared: you multiplied by the root of d instead of dividing by it",
     [](X q, X k) { return mul(products(q, k), std::sqrt(width(q))); }},
    {"You divided by the root of the number of keys: the products are sums over the width d, which is axis 2",
     [](X q, X k) { return div(products(q, k), std::sqrt(static_cast<double>(k.size(1)))); }},
    {"You divided by the root of the number of queries: the products are sums over the width d, which is axis 2",
     [](X q, X k) { return div(products(q, k), std::sqrt(static_cast<double>(q.size(1)))); }},
    {"You divided by the fourth root of d: that would be right for q and for k each, but here it is applied once",
     [](X q, X k) { return div(products(q, k), std::pow(width(q), 0.25)); }},
    {"You divided by the measured standard deviation: the divisor must not depend on the data, or one score would "
     "change "
     "all others",
     [](X q, X k) {
       Tensor e = products(q, k);
       return div(e, std::sqrt(heed::mean(mul(e, e)).item()));
     }},
    {"Your scores are cosines: their variance is 1 / d. Divide by a number that depends on d only, not by the lengths",
     [](X q, X k) { return products(unit(q), unit(k)); }},
};

void examine(app::Exercise& e, const decltype(&mine::scores)& scores) {
  NoGrad guard;
  for (int64_t d : {4, 64, 256}) {
    Generator rng(1);
    Tensor q = Tensor::normal({100, 12, d}, rng), k = Tensor::normal({100, 18, d}, rng);
    Tensor ours = scores(q, k);
    auto theirs = nn::make_score({.name = "scaled_dot", .query = d, .key = d}, rng);
    e.check(fmt::format("the variance of the scores for d = {}", d), heed::mean(mul(ours, ours)).item(), 1.0, 0.1);
    e.check(fmt::format("the scores for d = {}, element ", d), ours, (*theirs)(Variable(q), Variable(k)).value(), 1e-5);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("14", 1, "The right root");
  e.hint("q . k is a sum of d independent terms, each of variance 1. What is the variance of the sum?");
  e.hint("The sum has variance d. Dividing a random number by c divides its variance by c squared.");
  e.hint("c squared = d.");
  e.insight(
      "A standard deviation grows like the root of the number of terms, so the root of d keeps it at 1 for every "
      "width.\n"
      "Without it the softmax of a wide model saturates, and its gradient is nearly 0.",
      "./heed exercise 14 2");
  return e.run(argc, argv, mine::scores, examine, mistakes);
}
