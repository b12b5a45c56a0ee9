// Hints and checks of exercise 16.1.
#include "tutorials/16_hard_and_soft/exercises/1_reinforce.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "autograd/backward.h"
#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// A game with S choices: choice z is drawn with log-probability log_p(z) and says y with log-probability says(z).
struct Game {
  Variable scores, values;  // [S] each
  Variable log_p(int64_t z) const { return select(log_softmax(scores, 0), 0, z); }
  Variable says(int64_t z) const { return -square(select(values, 0, z) - 2); }
  // The gradients of y with respect to scores and values; 0 where y does not depend on one.
  std::vector<Tensor> gradients(const Variable& y) const {
    std::vector<Tensor> all;
    for (const Variable& g : grad({y}, {scores, values}, {.allow_unused = true}))
      all.push_back(g.defined() ? g.value() : Tensor::zeros(scores.shape(), DType::f64));
    return all;
  }
};

void examine(app::Exercise& e) {
  for (int64_t S : {2, 4}) {
    Generator rng(static_cast<uint64_t>(S));
    auto drawn = [&] { return Variable(Tensor::normal({S}, rng, 0, 1, DType::f64), Variable::kRequiresGrad); };
    Game game{drawn(), drawn()};
    Variable expected(Tensor::zeros({}, DType::f64));
    for (int64_t z = 0; z < S; ++z) expected = expected + exp(game.log_p(z)) * game.says(z);
    std::vector<Tensor> exact = game.gradients(expected);
    for (double b : {0.0, -3.0}) {
      std::string with = fmt::format("with {} choices and b = {:g}", S, b);
      Tensor by_scores = Tensor::zeros({S}, DType::f64), by_values = by_scores.clone();
      for (int64_t z = 0; z < S; ++z) {
        double share = std::exp(game.log_p(z).item());
        std::vector<Tensor> g = game.gradients(mine::surrogate(game.says(z), game.log_p(z), b));
        add_into(by_scores, g[0], share), add_into(by_values, g[1], share);
        e.check(fmt::format("the gradient by the scores for choice {} {}, element ", z, with), g[0],
                mul(game.gradients(game.log_p(z))[0], game.says(z).item() - b), 1e-12);
      }
      e.check(fmt::format("the expected gradient by the scores {}, element ", with), by_scores, exact[0], 1e-12);
      e.check(fmt::format("the expected gradient by the values {}, element ", with), by_values, exact[1], 1e-12);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("16", 1, "A loss whose gradient is the estimator");
  e.hint("Differentiate a product of two factors, one of them a constant: what is left?");
  e.hint("x.detach() has the value of x and no gradient.");
  e.hint("log p(y | z) + (constant - b) log p(z).");
  e.insight(
      "The value of this loss means nothing; only its gradient is used. That gradient is right on average for every "
      "b,\n"
      "because the mean of d log p(z) is 0: the baseline changes nothing but the variance.",
      "./heed exercise 16 2");
  return e.run(argc, argv, examine);
}
