// Solution of exercise 04.1: softmax and log-sum-exp that never overflow.
//
//   p_i = e^x_i / sum_j e^x_j          lse = log sum_j e^x_j          of one row x of logits
//
// e^x is infinite from x = 710 on, and 0 below -746. Both results are ordinary numbers all the same: softmax does not
// change when every logit moves by the same amount, and lse moves with them. So choose the amount well.
//
// A logit of -inf means "not allowed". If nothing is allowed, the softmax is all zeros here (a row that reads nothing),
// and lse is -inf, the logarithm of an empty sum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tutorials/common/exercise.h"

using namespace heed;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_sum_exp(const std::vector<double>& x) {
  double top = *std::max_element(x.begin(), x.end()), sum = 0;
  if (top == -kInfinity) return top;
  for (double v : x) sum += std::exp(v - top);
  return top + std::log(sum);
}

std::vector<double> softmax(const std::vector<double>& x) {
  double lse = log_sum_exp(x);
  std::vector<double> p;
  for (double v : x) p.push_back(lse == -kInfinity ? 0 : std::exp(v - lse));
  return p;
}

int main(int argc, char** argv) {
  app::Exercise e("04", 1, "A softmax that never overflows");
  e.hint("Let m be the largest logit: e^(x_i - m) is at most 1, and one of them is exactly 1.");
  e.hint("lse = m + log sum_j e^(x_j - m); softmax is e^(x_i - lse).");
  e.hint("If m is -inf, then x_i - m is NaN: that row needs a line of its own.");
  return e.run(argc, argv, [&] {
    auto try_row = [&](const char* name, const std::vector<double>& x, double lse, const std::vector<double>& p) {
      e.check(std::string("lse of ") + name, log_sum_exp(x), lse, 1e-12);
      e.check(std::string("softmax of ") + name, softmax(x), p, 1e-12);
    };
    const double ln2 = 0.69314718055994531;
    try_row("[0, 0]", {0, 0}, ln2, {0.5, 0.5});
    try_row("[0, ln 3]", {0, std::log(3)}, 2 * ln2, {0.25, 0.75});
    try_row("[1000, 1000]", {1000, 1000}, 1000 + ln2, {0.5, 0.5});
    try_row("[-1000, -1000]", {-1000, -1000}, -1000 + ln2, {0.5, 0.5});
    try_row("[1000, 0, -1000]", {1000, 0, -1000}, 1000, {1, 0, 0});
    try_row("[2, -inf, 2]", {2, -kInfinity, 2}, 2 + ln2, {0.5, 0, 0.5});
    try_row("[-inf, -inf]", {-kInfinity, -kInfinity}, -kInfinity, {0, 0});
  });
}
