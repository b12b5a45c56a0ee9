// Hints and checks of exercise 14.1.
#include "tutorials/14_scores/exercises/1_root.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scores/score.h"
#include "tensor/reduce.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  NoGrad guard;
  for (int64_t d : {4, 64, 256}) {
    Generator rng(1);
    Tensor q = Tensor::normal({100, 12, d}, rng), k = Tensor::normal({100, 18, d}, rng);
    Tensor ours = mine::scores(q, k);
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
  return e.run(argc, argv, examine);
}
